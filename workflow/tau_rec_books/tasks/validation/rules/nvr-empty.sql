select answer_count.family,
    format('has {} matches at {}, such as {}', answer_count.answers, answer_count.size, true_answers.answers[1]) as detail
from answer_count join true_answers using (family, size)
where answer_count.nvr and answer_count.answers > 0
order by answer_count.family, answer_count.size_ordinal;
