with found as (
    select count(*) as found
    from family join disclosure on disclosure.family = family.family and disclosure.condition = 'hidden'
    where len(family.history) > 0 and disclosure.hidden = 2
)
select 'families.jsonl' as family,
    format('{} families with a reading history hide two predicates instead of {}', found, history_two_hidden) as detail
from found cross join setting
where found > history_two_hidden or (found < history_two_hidden and not allow_fewer)
order by detail;
