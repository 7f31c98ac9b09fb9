select family.family,
    case when template.template is null then format('its template {} is not in the configuration', coalesce(family.template, ''))
        else format('is {} but its template {} is {}', coalesce(family.tier, ''), family.template, template.tier) end as detail
from family left join template on template.template = family.template
where template.template is null or family.tier is distinct from template.tier
order by family.line;
