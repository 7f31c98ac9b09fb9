with asked as (
    select template, list(field || ' ' || operator order by ordinal) as slots from template_slot group by template
),
given as (
    select family, list(coalesce(field, '') || ' ' || coalesce(operator, '') order by ordinal) as slots
    from predicate group by family
)
select family.family,
    format('has the predicates {} where its template {} asks for {}',
        array_to_string(coalesce(given.slots, []), ', '), family.template, array_to_string(asked.slots, ', ')) as detail
from family
join asked on asked.template = family.template
left join given on given.family = family.family
where coalesce(given.slots, []) <> asked.slots
order by family.line;
