with kept as (
    select smaller.family, inner_size.ordinal, inner_size.size, outer_size.size as outer_size, kind.name as kind,
        case kind.name when 'answers' then smaller.answers else smaller.acceptable end as given,
        list_filter(
            case kind.name when 'answers' then larger.answers else larger.acceptable end,
            lambda x: list_contains(members.ids, x)) as expected
    from size as inner_size
    join size as outer_size on outer_size.ordinal = inner_size.ordinal + 1
    join (select size, list(id) as ids from (
            select distinct book.size, book.id from book semi join (
                select unnest(list_concat(answers, acceptable)) as id from given_answers) as used using (id)
        ) group by size) as members on members.size = inner_size.size
    join given_answers as smaller on smaller.size = inner_size.size
    join given_answers as larger on larger.size = outer_size.size and larger.family = smaller.family
    cross join (values ('answers'), ('acceptable')) as kind(name)
)
select family, format('its {} at {} are not those at {} that are in the smaller catalog', kind, size, outer_size) as detail
from kept where given <> expected
order by family, ordinal, kind desc;
