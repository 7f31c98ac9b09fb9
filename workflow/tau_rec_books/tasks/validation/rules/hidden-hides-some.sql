select family,
    format('its hidden reader states {}, answers {} and hides {} of {} predicates', stated, on_ask, hidden, predicates) as detail
from disclosure join request using (family)
where condition = 'hidden' and (stated <> 1 or hidden not between 1 and 2 or stated + on_ask + hidden <> predicates)
order by family;
