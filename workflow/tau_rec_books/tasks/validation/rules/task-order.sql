with expected as (
    select (family.position - 1) * 3 + condition.ordinal as line, family.family, condition.name as condition
    from (select family, row_number() over (order by line) as position from family) as family
    cross join (values (1, 'volunteer'), (2, 'mixed'), (3, 'hidden')) as condition(ordinal, name)
)
select coalesce(expected.family, task.task) as family,
    case when task.line is null then format('has no {} task where line {} of tasks.jsonl should be', expected.condition, line)
        when expected.line is null then format('is a task too many in line {} of tasks.jsonl', line)
        else format('line {} of tasks.jsonl holds {} ({}, {}) instead of {}-{}', line, task.task,
            coalesce(task.family, 'no family'), coalesce(task.condition, 'no condition'),
            expected.family, expected.condition) end as detail
from expected full join task using (line)
where task.line is null or expected.line is null
    or task.task <> format('{}-{}', expected.family, expected.condition)
    or task.family is distinct from expected.family or task.condition is distinct from expected.condition
order by line;
