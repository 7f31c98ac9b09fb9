select family, format('has {} answers at {}, more than {}', answers, size, answers_max_largest) as detail
from answer_count cross join setting
where not nvr and size = (select size from largest) and answers > answers_max_largest
order by family;
