select family, format('its volunteer reader states {} of {} predicates', stated, predicates) as detail
from disclosure join request using (family)
where condition = 'volunteer' and stated <> predicates
order by family;
