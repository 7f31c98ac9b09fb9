-- The vocabulary as tables. Given: raw_vocabulary(document), one row.

create table child_label as
select 'language' as field, parent.key as parent, child.value ->> '$' as child
from raw_vocabulary, json_each(document -> 'language_children') as parent, json_each(parent.value) as child
where parent.key is not null
union all
select 'country', parent.key, child.value ->> '$'
from raw_vocabulary, json_each(document -> 'country_children') as parent, json_each(parent.value) as child
where parent.key is not null;

create table vocabulary_label as
select 'genre' as field, label.key as label, label.value as counts
from raw_vocabulary, json_each(document -> 'genres') as label
where label.key is not null
union all
select 'language', label.key, label.value
from raw_vocabulary, json_each(document -> 'languages') as label
where label.key is not null
union all
select 'country', label.key, label.value
from raw_vocabulary, json_each(document -> 'countries') as label
where label.key is not null;

create table format_name (name varchar);
insert into format_name values ('audiobook'), ('ebook'), ('hardcover'), ('paperback');
