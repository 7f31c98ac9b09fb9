with expected as (
    select ordinal, tier, false as nvr, satisfiable as families from tier_setting
    union all select ordinal, tier, true, nvr from tier_setting
),
found as (select tier, nvr, count(*) as families from family group by all)
select format('tier {}', tier) as family,
    format('{} {} families instead of {}', coalesce(found.families, 0),
        case when nvr then 'NVR' else 'satisfiable' end, coalesce(expected.families, 0)) as detail
from expected full join found using (tier, nvr)
where coalesce(found.families, 0) > coalesce(expected.families, 0)
    or (coalesce(found.families, 0) < coalesce(expected.families, 0) and not (select allow_fewer from setting))
order by ordinal, tier, nvr;
