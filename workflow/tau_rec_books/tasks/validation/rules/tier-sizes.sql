select family.family, format('is {} but has {} predicates', family.tier, request.predicates) as detail
from family join request using (family)
where not case family.tier
    when 'simple' then request.predicates = 2
    when 'medium' then request.predicates in (3, 4)
    when 'complex' then request.predicates = 5
    else true end
order by family.line;
