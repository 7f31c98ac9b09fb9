with expected as (
    select tier_setting.ordinal, tier_setting.tier, kind.nvr,
        case when kind.nvr then setting.reliability_nvr else setting.reliability_satisfiable end as families
    from tier_setting cross join setting cross join (values (false), (true)) as kind(nvr)
),
found as (select tier, nvr, count(*) as families from family where reliability group by all)
select format('tier {}', tier) as family,
    format('{} {} families in the reliability block instead of {}', coalesce(found.families, 0),
        case when nvr then 'NVR' else 'satisfiable' end, coalesce(expected.families, 0)) as detail
from expected full join found using (tier, nvr)
where coalesce(found.families, 0) > coalesce(expected.families, 0)
    or (coalesce(found.families, 0) < coalesce(expected.families, 0) and not (select allow_fewer from setting))
order by ordinal, tier, nvr;
