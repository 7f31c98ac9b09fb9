select task_predicate.family,
    format('{} tags {} as {}, but the family says {}', task_predicate.task, task_predicate.id,
        coalesce(task_predicate.reveal, 'nothing'), coalesce(family_tag.reveal, 'nothing')) as detail
from task_predicate
join family on family.family = task_predicate.family
left join family_tag on family_tag.family = task_predicate.family and family_tag.condition = task_predicate.condition
    and family_tag.predicate = task_predicate.id
where task_predicate.reveal is distinct from family_tag.reveal
order by task_predicate.line, task_predicate.ordinal;
