select
    (select count(*) from raw_family) as families,
    (select count(*) from raw_task) as tasks,
    (select count(*) from predicate) as predicates,
    (select count(*) from family where len(formats) = 1) as single_format,
    (select count(*) from family where len(history) > 0) as histories,
    (select count(*) from family join disclosure using (family)
        where condition = 'hidden' and hidden = 2 and len(history) > 0) as histories_two_hidden,
    (select count(*) from disclosure where condition = 'hidden' and hidden = 1) as one_hidden,
    (select count(*) from disclosure where condition = 'hidden' and hidden = 2) as two_hidden,
    (select count(*) from family where panel) as panel,
    (select count(*) from family where reliability) as reliability
order by families;
