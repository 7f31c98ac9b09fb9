select family, format('asks twice for {}', words) as detail
from predicate
group by family, words
having count(*) > 1
order by family, words;
