with wanted as (
    select family.family, predicate.ordinal, predicate.id, predicate.words, predicate.bit
    from family
    join family_tag on family_tag.family = family.family and family_tag.condition = 'hidden'
        and family_tag.reveal = 'hidden'
    join predicate on predicate.family = family.family and predicate.id = family_tag.predicate
    where len(family.history) > 0
)
select wanted.family,
    format('holds {} books that fail only the hidden {} ({}) instead of one', count(history_book.id), wanted.id, wanted.words)
        as detail
from wanted
left join history_book on history_book.family = wanted.family and history_book.close
    and history_book.missing = wanted.bit
group by wanted.family, wanted.ordinal, wanted.id, wanted.words
having count(history_book.id) <> 1
order by wanted.family, wanted.ordinal;
