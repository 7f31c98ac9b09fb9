with numbered as (
    select line, document ->> 'id' as id, document ->> 'tier' as tier,
        lag(tier_setting.ordinal) over (order by line) as previous_tier, tier_setting.ordinal as tier_ordinal
    from raw_family left join tier_setting on tier_setting.tier = document ->> 'tier'
)
select coalesce(id, format('line {} of families.jsonl', line)) as family,
    case when id is distinct from format('family-{:03d}', line)
        then format('stands in line {}, where family-{:03d} belongs', line, line)
        else format('is {} but follows a family of a later tier', tier) end as detail
from numbered
where id is distinct from format('family-{:03d}', line) or tier_ordinal < previous_tier
order by line;
