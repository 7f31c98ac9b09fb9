-- Answers and acceptable answers of the one family that is loaded, at each size.
select size, len(answers) as answers, len(acceptable) as acceptable
from true_answers
order by size_ordinal;
