-- Pairs of families that share answers in the largest catalog, with the Jaccard index of the two sets.
with answer as (
    select family, position from near where missing = 0 and size = (select size from largest)
),
held as (select family, count(*) as answers from answer group by family),
shared as (
    select one.family as one, other.family as other, count(*) as shared
    from answer as one join answer as other on other.position = one.position and other.family > one.family
    group by all
)
select one, other, shared, one_held.answers + other_held.answers - shared as joined,
    round(shared / (one_held.answers + other_held.answers - shared), 4) as jaccard
from shared
join held as one_held on one_held.family = one
join held as other_held on other_held.family = other
where shared >= ? * (one_held.answers + other_held.answers - shared)
order by jaccard desc, one, other;
