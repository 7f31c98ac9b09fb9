select family, line, 'has no persona' as detail
from family
where json_type(document -> 'persona') is distinct from 'OBJECT' or len(json_keys(document -> 'persona')) = 0
union all
select family, line, format('its persona''s {} is not a text', item.key)
from family, json_each(document -> 'persona') as item
where item.key is not null and (item.type <> 'VARCHAR' or trim(item.value ->> '$') = '')
order by line, detail;
