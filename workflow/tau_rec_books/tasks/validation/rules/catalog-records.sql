with fault as (
    select size, position, id, unnest([
        case when len(genres) = 0 then 'has no genre' end,
        case when len(languages) = 0 then 'has no language' end,
        case when genres <> list_sort(list_distinct(genres)) then 'has unsorted or repeated genres' end,
        case when languages <> list_sort(list_distinct(languages)) then 'has unsorted or repeated languages' end,
        case when countries <> list_sort(list_distinct(countries)) then 'has unsorted or repeated countries' end,
        case when len(formats) = 0 then 'comes in no format' end,
        case when formats <> list_sort(list_distinct(formats)) then 'has unsorted or repeated formats' end,
        case when not list_has_all((select list(name) from format_name), formats)
            then format('comes in {}, of which one is no format', array_to_string(formats, ', ')) end,
        case when title = '' then 'has no title' end,
        case when year is null then 'has no year' end
    ]) as fault
    from book
    where size = (select size from largest)
)
select format('catalog {}', size) as family, format('{} {}', id, fault) as detail
from fault
where fault is not null
order by position, fault;
