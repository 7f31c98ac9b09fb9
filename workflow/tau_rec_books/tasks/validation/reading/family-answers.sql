-- Answers of the one family that is loaded, with the smallest catalog that holds each.
select near.position, book.id, book.title, book.authors, book.year, book.sitelinks, book.formats,
    arg_min(near.size, size.ordinal) as since, any_value(near.read) as read, any_value(near.in_format) as in_format
from near
join size on size.size = near.size
join book on book.size = near.size and book.position = near.position
where near.missing = 0
group by all
order by near.position
limit 10;
