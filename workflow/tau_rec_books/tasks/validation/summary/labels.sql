select field, label, count(*) as predicates
from predicate
where label is not null
group by field, label
order by field, predicates desc, label;
