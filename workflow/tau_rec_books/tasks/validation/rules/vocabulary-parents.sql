select 'vocabulary' as family,
    format('the {} {} is its own parent', field, parent) as detail
from child_label where parent = child
union all
select 'vocabulary',
    format('the {} {} covers {}, which covers {}, but does not cover {} itself',
        upper_row.field, upper_row.parent, upper_row.child, lower_row.child, lower_row.child)
from child_label as upper_row
join child_label as lower_row on lower_row.field = upper_row.field and lower_row.parent = upper_row.child
left join child_label as direct
    on direct.field = upper_row.field and direct.parent = upper_row.parent and direct.child = lower_row.child
where direct.child is null
union all
select 'vocabulary', format('the {} {} covers {}, which no book carries', child_label.field, parent, child)
from child_label
left join (select distinct field, label from own_label) as own
    on own.field = child_label.field and own.label = child_label.child
where own.label is null
union all
select 'vocabulary', format('the {} {} has children but no entry of its own', child_label.field, parent)
from (select distinct field, parent from child_label) as child_label
left join vocabulary_label on vocabulary_label.field = child_label.field and vocabulary_label.label = parent
where vocabulary_label.label is null
union all
select 'vocabulary', format('the format list is {}', coalesce(document ->> 'formats', 'missing'))
from raw_vocabulary
where (document ->> '$.formats[*]') is distinct from (select list(name order by name) from format_name)
order by detail;
