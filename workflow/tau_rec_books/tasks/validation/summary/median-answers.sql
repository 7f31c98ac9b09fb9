select size, median(answers)::double as answers
from answer_count
where not nvr
group by size, size_ordinal
order by size_ordinal;
