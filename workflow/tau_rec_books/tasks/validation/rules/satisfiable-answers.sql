select family, format('has {} answers at {}, fewer than {}', answers, size, answers_min_smallest) as detail
from answer_count cross join setting
where not nvr and size = (select size from smallest) and answers < answers_min_smallest
order by family;
