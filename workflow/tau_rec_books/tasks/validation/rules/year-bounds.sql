with span as (
    select min(year) as first, max(year) as last from book where size = (select size from largest)
)
select family, ordinal,
    case when year is null then format('{} asks for the year {}, which is no whole number', id, text)
        else format('{} asks for the year {}, outside the catalog''s {} to {}', id, year, first, last) end as detail
from predicate cross join span
where field = 'year' and (year is null or year not between first and last)
union all
select early.family, early.ordinal,
    format('asks for a year from {} and to {}, which no year meets', early.year, late.year)
from predicate as early
join predicate as late on late.family = early.family
where early.field = 'year' and late.field = 'year' and early.operator = 'min' and late.operator = 'max'
    and early.year > late.year
order by family, ordinal, detail;
