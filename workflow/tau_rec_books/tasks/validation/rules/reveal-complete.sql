with expected as (
    select predicate.family, predicate.id as predicate, condition.name as condition, condition.ordinal
    from predicate cross join (values (1, 'volunteer'), (2, 'mixed'), (3, 'hidden')) as condition(ordinal, name)
)
select family,
    case when expected.family is null then format('tags {}, which is none of its predicates, under {}', predicate, condition)
        when family_tag.family is null then format('gives {} no tag under {}', predicate, condition)
        else format('tags {} as {} under {}', predicate, coalesce(family_tag.reveal, 'nothing'), condition) end as detail
from expected full join family_tag using (family, predicate, condition)
where expected.family is null or family_tag.family is null
    or not coalesce(family_tag.reveal in ('stated', 'on_ask', 'hidden'), false)
order by family, ordinal, condition, predicate;
