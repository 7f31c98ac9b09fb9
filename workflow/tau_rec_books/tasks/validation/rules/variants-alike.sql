with part as (
    select task.line, task.task, family.family, unnest([
        case when (task.document ->> 'tier') is distinct from family.tier then 'tier' end,
        case when (task.document ->> 'template') is distinct from family.template then 'template' end,
        case when (task.document -> 'nvr')::varchar is distinct from (family.document -> 'nvr')::varchar then 'nvr' end,
        case when (task.document -> 'accepted_formats')::varchar
            is distinct from (family.document -> 'accepted_formats')::varchar then 'accepted formats' end,
        case when (task.document -> 'history')::varchar is distinct from (family.document -> 'history')::varchar
            then 'reading history' end,
        case when (task.document -> 'persona')::varchar is distinct from (family.document -> 'persona')::varchar
            then 'persona' end,
        case when asked.predicates is distinct from own.predicates then 'predicates' end
    ]) as part
    from task
    join family on family.family = task.family
    left join (
        select line, list(row(id, field, operator, text) order by ordinal) as predicates from task_predicate group by line
    ) as asked on asked.line = task.line
    left join (
        select family, list(row(id, field, operator, text) order by ordinal) as predicates from predicate group by family
    ) as own on own.family = task.family
)
select family, format('{} differs from its family in more than reveal tags: {}', task, part) as detail
from part where part is not null
order by line, part;
