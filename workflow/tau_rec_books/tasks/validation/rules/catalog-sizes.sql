select format('catalog {}', size.size) as family,
    format('has {} books instead of {}', count(book.id), size.books) as detail
from size left join book using (size)
group by size.size, size.books, size.ordinal
having count(book.id) <> size.books
order by size.ordinal;
