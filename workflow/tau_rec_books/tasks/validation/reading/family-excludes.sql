-- How many books match what the hidden reader reveals, and how many of them match everything.
select size.size,
    coalesce(sum(tally.books) filter (tally.met & disclosure.revealed_bits = disclosure.revealed_bits), 0)::bigint
        as matching,
    coalesce(sum(tally.books) filter (tally.met = request.every), 0)::bigint as answers
from disclosure
join request using (family)
cross join size
left join tally on tally.family = disclosure.family and tally.size = size.size
where disclosure.condition = 'hidden'
group by size.size, size.ordinal
order by size.ordinal;
