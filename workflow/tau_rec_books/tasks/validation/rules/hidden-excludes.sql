with revealed as (
    select disclosure.family, size.size, size.ordinal,
        coalesce(sum(tally.books) filter (tally.met & disclosure.revealed_bits = disclosure.revealed_bits), 0)::bigint
            as matching,
        coalesce(sum(tally.books) filter (tally.met & (disclosure.revealed_bits | disclosure.hidden_bits)
            = (disclosure.revealed_bits | disclosure.hidden_bits)), 0)::bigint as remaining
    from disclosure cross join size
    left join tally on tally.family = disclosure.family and tally.size = size.size
    where disclosure.condition = 'hidden' and disclosure.hidden_bits <> 0
    group by all
)
select family,
    format('its hidden predicates rule out {} of {} books that match the revealed ones at {}',
        matching - remaining, matching, size) as detail
from revealed cross join setting
where matching = 0 or matching - remaining < hidden_exclusion * matching
order by family, ordinal;
