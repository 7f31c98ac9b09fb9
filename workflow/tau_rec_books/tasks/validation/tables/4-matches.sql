-- Which predicates each book meets, from the books and labels alone.
-- met is a set of predicate bits; a book with met = every is an answer. Families and sizes are numbers in the
-- large table only, which keeps it small: it has a row per family and book that meets anything.

create table hit as
with numbered as (
    select family.line::integer as line, predicate.bit, predicate.field, predicate.operator, predicate.label, predicate.year
    from predicate join family using (family)
),
carried as (
    select size.ordinal as size_ordinal, carried_label.position::integer as position, carried_label.field,
        carried_label.label
    from carried_label join size using (size)
),
dated as (
    select size.ordinal as size_ordinal, book.position::integer as position, book.year from book join size using (size)
),
meeting as (
    select line, size_ordinal, position, bit
    from numbered join carried using (field, label)
    where operator = 'is'
    union all
    select line, size_ordinal, position, bit
    from numbered join dated on dated.year >= numbered.year
    where field = 'year' and operator = 'min'
    union all
    select line, size_ordinal, position, bit
    from numbered join dated on dated.year <= numbered.year
    where field = 'year' and operator = 'max'
)
select line, size_ordinal, position, bit_or(bit) as met
from meeting
group by all;

create table tally as
with counted as (
    select line, size_ordinal, met, count(*) as books from hit group by all
)
select family.family, size.size, counted.met, counted.books
from counted
join family on family.line = counted.line
join size on size.ordinal = counted.size_ordinal;

create table near as
select
    family.family, size.size, hit.position, book.id,
    hit.met, request.every, request.every & ~hit.met as missing,
    list_contains(family.history, book.id) as read,
    family.formats is null or list_has_any(family.formats, book.formats) as in_format
from hit
join family on family.line = hit.line
join request on request.family = family.family
join size on size.ordinal = hit.size_ordinal
join book on book.size = size.size and book.position = hit.position
where bit_count(request.every & ~hit.met) <= 1;

-- Books that answer a family at each size, and those added when one predicate is dropped.
create table answer_count as
select
    request.family, request.nvr, size.size, size.ordinal as size_ordinal,
    coalesce(sum(tally.books) filter (tally.met = request.every), 0)::bigint as answers
from request
cross join size
left join tally on tally.family = request.family and tally.size = size.size
group by all;

create table dropped as
select
    answer_count.family, answer_count.nvr, answer_count.size, answer_count.size_ordinal,
    predicate.ordinal, predicate.id, predicate.words,
    answer_count.answers,
    coalesce(sum(tally.books) filter (tally.met = request.every & ~predicate.bit), 0)::bigint as added
from answer_count
join request using (family)
join predicate on predicate.family = answer_count.family
left join tally on tally.family = answer_count.family and tally.size = answer_count.size
group by all;

create table true_answers as
select
    answer_count.family, answer_count.size, answer_count.size_ordinal, answer_count.nvr,
    coalesce(list(near.id order by near.position) filter (near.missing = 0), []) as answers,
    coalesce(
        list(near.id order by near.position) filter (near.missing = 0 and not near.read and near.in_format), []
    ) as acceptable
from answer_count
left join near on near.family = answer_count.family and near.size = answer_count.size
group by all;

-- What each book of a reading history is to its family, at the smallest size.
create table history_book as
with listed as (
    select family.family, entry.ordinal, entry.id
    from family, unnest(family.history) with ordinality as entry(id, ordinal)
)
select
    listed.family, listed.ordinal, listed.id,
    book.id is not null as in_smallest,
    near.family is not null as close,
    near.missing as missing,
    missed.id as missed_predicate,
    coalesce(near.missing & disclosure.hidden_bits, 0) <> 0 as misses_hidden
from listed
cross join smallest
left join (select distinct size, id from book) as book on book.size = smallest.size and book.id = listed.id
left join (select distinct family, size, id, missing from near) as near
    on near.family = listed.family and near.size = smallest.size and near.id = listed.id
left join predicate as missed on missed.family = listed.family and missed.bit = near.missing
left join disclosure on disclosure.family = listed.family and disclosure.condition = 'hidden';
