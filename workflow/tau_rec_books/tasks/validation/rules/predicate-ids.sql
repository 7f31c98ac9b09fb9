select family, format('calls its predicates {}', array_to_string(list(coalesce(id, '') order by ordinal), ', ')) as detail
from predicate
group by family
having list(coalesce(id, '') order by ordinal) <> list(format('p{}', ordinal) order by ordinal)
order by family;
