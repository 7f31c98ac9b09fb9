select family,
    case when len(formats) = 0 then 'accepts no format at all'
        when not list_has_all((select list(name) from format_name), formats)
            then format('accepts {}, of which one is no format', array_to_string(formats, ', '))
        when len(list_distinct(formats)) = (select count(*) from format_name) then 'lists every format instead of none'
        else format('lists its formats as {}, unsorted or twice', array_to_string(formats, ', ')) end as detail
from family
where formats is not null
    and (len(formats) = 0 or not list_has_all((select list(name) from format_name), formats)
        or formats <> list_sort(list_distinct(formats))
        or len(list_distinct(formats)) = (select count(*) from format_name))
order by line;
