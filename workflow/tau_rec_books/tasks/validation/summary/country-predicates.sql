select count(*) as predicates, count(*) filter (label in ('United States', 'United Kingdom')) as us_or_uk
from predicate
where field = 'country';
