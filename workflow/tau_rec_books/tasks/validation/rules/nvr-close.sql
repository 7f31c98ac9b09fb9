select family,
    format('dropping {} ({}) leaves {} matches at {}, fewer than {}', id, words, answers + added, size, nvr_leave_one_out)
        as detail
from dropped cross join setting
where nvr and size = (select size from smallest) and answers + added < nvr_leave_one_out
order by family, ordinal;
