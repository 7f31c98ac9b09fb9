select format('template {}', template.template) as family, 'no family uses it' as detail
from template
where not (select allow_fewer from setting)
    and template.template not in (select coalesce(template, '') from family)
order by template.ordinal;
