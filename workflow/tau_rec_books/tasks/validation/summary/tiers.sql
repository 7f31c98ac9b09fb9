select tier, count(*) filter (not nvr) as satisfiable, count(*) filter (nvr) as nvr
from family
group by tier
order by tier;
