with counted as (
    select field, label, size, count(*) as books from carried_label group by all
),
listed as (
    select vocabulary_label.field, vocabulary_label.label, size.size,
        coalesce(try_cast(vocabulary_label.counts ->> size.size as bigint), 0) as books
    from vocabulary_label cross join size
)
select 'vocabulary' as family,
    format('the {} {} is counted {} times at {}, but {} books carry it',
        field, label, coalesce(listed.books, 0), size, coalesce(counted.books, 0)) as detail
from counted full join listed using (field, label, size)
where coalesce(listed.books, 0) <> coalesce(counted.books, 0)
order by field, label, size;
