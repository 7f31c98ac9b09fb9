with asked as (
    select family, list(words order by words) as request from predicate group by family
)
select later.family, format('asks for the same as {}: {}', earlier.family, array_to_string(later.request, ', ')) as detail
from asked as later
join asked as earlier on earlier.request = later.request and earlier.family < later.family
order by later.family, earlier.family;
