with held as (
    select size.size, size.books, size.ordinal, count(book.id) as found
    from size left join book using (size)
    group by size.size, size.books, size.ordinal
)
select format('catalog {}', held.size) as family, format('has {} books instead of {}', found, books) as detail
from held cross join setting
-- With fewer works than its name says, a catalog must hold all there are: as many as the largest one.
where found <> books
    and not (fewer_books and found < books and found = (select found from held order by ordinal desc limit 1))
order by held.ordinal;
