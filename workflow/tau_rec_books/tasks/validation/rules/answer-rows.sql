with expected as (
    select family, row_number() over (order by line) as line from family
),
given as (
    select line, coalesce(document ->> 'family', format('line {} of answers.jsonl', line)) as family,
        json_keys(document -> 'sizes') as sizes
    from raw_answer
)
select coalesce(expected.family, given.family) as family,
    case when given.line is null then format('has no row in line {} of answers.jsonl', line)
        when expected.line is null then format('is a row too many in line {} of answers.jsonl', line)
        when given.family <> expected.family
            then format('its place in line {} of answers.jsonl is taken by {}', line, given.family)
        else format('has answers for the sizes {}', array_to_string(given.sizes, ', ')) end as detail
from expected full join given using (line)
where given.line is null or expected.line is null or given.family <> expected.family
    or list_sort(given.sizes) is distinct from (select list_sort(list(size)) from size)
order by line;
