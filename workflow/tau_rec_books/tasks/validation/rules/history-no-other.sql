select family,
    case when close then format('holds {}, which fails {}, a predicate that is not hidden', id, missed_predicate)
        else format('holds {}, which fails more than one predicate', id) end as detail
from history_book
where in_smallest and not (close and (missing = 0 or misses_hidden))
order by family, ordinal;
