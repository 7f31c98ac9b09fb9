-- The reading history of the one family that is loaded, with what each book is to it.
select history_book.id, book.title, book.authors, book.year,
    case when history_book.close and history_book.missing = 0 then 'valid answer, already read'
        when history_book.close then format('fails only {}', history_book.missed_predicate)
        else 'fails more than one predicate' end as role
from history_book
left join book on book.id = history_book.id and book.size = (select size from largest)
order by history_book.ordinal;
