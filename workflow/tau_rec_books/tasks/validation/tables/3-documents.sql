-- Families, tasks and answers as tables. Given: raw_family, raw_task, raw_answer (line, document).
-- A second line with the same id is left to the rules about order, so that no count is doubled here.

create table family as
select
    coalesce(document ->> 'id', format('line {} of families.jsonl', line)) as family,
    line,
    document ->> 'tier' as tier,
    document ->> 'template' as template,
    coalesce(try_cast(document ->> 'nvr' as boolean), false) as nvr,
    coalesce(try_cast(document ->> 'panel' as boolean), false) as panel,
    coalesce(try_cast(document ->> 'reliability' as boolean), false) as reliability,
    case when json_type(document -> 'accepted_formats') = 'ARRAY' then document ->> '$.accepted_formats[*]' end
        as formats,
    case when json_type(document -> 'history') = 'ARRAY' then document ->> '$.history[*]' else [] end as history,
    document
from raw_family
where getvariable('selected') is null or document ->> 'id' = getvariable('selected')
qualify row_number() over (partition by family order by line) = 1;

create table predicate as
select
    family.family,
    item.key::integer + 1 as ordinal,
    (1 << least(item.key::integer, 30))::integer as bit,
    item.value ->> 'id' as id,
    item.value ->> 'field' as field,
    item.value ->> 'operator' as operator,
    case when json_type(item.value -> 'value') = 'VARCHAR' then item.value ->> 'value' end as label,
    case when json_type(item.value -> 'value') in ('UBIGINT', 'BIGINT')
        then try_cast(item.value ->> 'value' as bigint) end
        as year,
    coalesce(item.value ->> 'value', '') as text
from family, json_each(family.document -> 'predicates') as item
where json_type(family.document -> 'predicates') = 'ARRAY';

alter table predicate add column words varchar;
update predicate set words = case
    when field = 'year' and operator = 'min' then format('year from {}', text)
    when field = 'year' and operator = 'max' then format('year to {}', text)
    else format('{} {}', field, text)
end;

create table request as
select
    family.family, family.nvr,
    count(predicate.ordinal) as predicates,
    coalesce(bit_or(predicate.bit), 0) as every
from family left join predicate using (family)
group by all;

create table family_tag as
select family.family, condition.key as condition, tag.key as predicate, tag.value ->> '$' as reveal
from family, json_each(family.document -> 'reveal') as condition, json_each(condition.value) as tag
where condition.key is not null and tag.key is not null;

create table disclosure as
select
    family_tag.family, family_tag.condition,
    count(*) filter (reveal = 'stated') as stated,
    count(*) filter (reveal = 'on_ask') as on_ask,
    count(*) filter (reveal = 'hidden') as hidden,
    coalesce(bit_or(predicate.bit) filter (reveal in ('stated', 'on_ask')), 0) as revealed_bits,
    coalesce(bit_or(predicate.bit) filter (reveal = 'hidden'), 0) as hidden_bits,
    coalesce(bit_or(predicate.bit) filter (reveal = 'stated'), 0) as stated_bits
from family_tag
join predicate on predicate.family = family_tag.family and predicate.id = family_tag.predicate
group by all;

create table task as
select
    coalesce(document ->> 'id', format('line {} of tasks.jsonl', line)) as task,
    line,
    document ->> 'family' as family,
    document ->> 'condition' as condition,
    document
from raw_task;

create table task_predicate as
select
    task.task, task.line, task.family, task.condition,
    item.key::integer + 1 as ordinal,
    item.value ->> 'id' as id,
    item.value ->> 'field' as field,
    item.value ->> 'operator' as operator,
    item.value ->> 'value' as text,
    item.value ->> 'reveal' as reveal
from task, json_each(task.document -> 'predicates') as item
where json_type(task.document -> 'predicates') = 'ARRAY';

create table given_answers as
select
    coalesce(document ->> 'family', format('line {} of answers.jsonl', line)) as family,
    size.key as size,
    case when json_type(size.value -> 'answers') = 'ARRAY' then size.value ->> '$.answers[*]' else [] end
        as answers,
    case when json_type(size.value -> 'acceptable') = 'ARRAY' then size.value ->> '$.acceptable[*]' else [] end
        as acceptable
from raw_answer, json_each(document -> 'sizes') as size
where size.key is not null
qualify row_number() over (partition by family, size order by line) = 1;

-- Under the hidden condition: each revealed predicate beside each hidden one.
create table pair as
with tagged as (
    select predicate.family, predicate.ordinal, predicate.id, predicate.bit, predicate.field, predicate.label,
        predicate.words, family_tag.reveal
    from predicate
    join family_tag on family_tag.family = predicate.family and family_tag.predicate = predicate.id
    where family_tag.condition = 'hidden'
)
select revealed.family, revealed.ordinal, revealed.id, revealed.bit, revealed.field, revealed.label, revealed.words,
    hidden.ordinal as hidden_ordinal, hidden.id as hidden_id, hidden.bit as hidden_bit, hidden.field as hidden_field,
    hidden.label as hidden_label, hidden.words as hidden_words
from tagged as revealed join tagged as hidden using (family)
where revealed.reveal in ('stated', 'on_ask') and hidden.reveal = 'hidden';
