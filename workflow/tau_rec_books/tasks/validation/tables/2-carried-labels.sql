-- Which labels each book answers to: its own, and the parents of its own (one level).
-- Given: book(size, position, id, …, genres, languages, countries, year, formats), child_label.

create table own_label as
select distinct size, position, 'genre' as field, unnest(genres) as label from book
union all
select distinct size, position, 'language', unnest(languages) from book
union all
select distinct size, position, 'country', unnest(countries) from book;

create table carried_label as
select size, position, field, label from own_label
union
select own.size, own.position, own.field, child_label.parent
from own_label as own
join child_label on child_label.field = own.field and child_label.child = own.label;
