select family,
    format('its mixed reader states {}, answers {} and hides {} of {} predicates', stated, on_ask, hidden, predicates) as detail
from disclosure join request using (family)
where condition = 'mixed' and (stated <> 1 or on_ask <> predicates - 1)
order by family;
