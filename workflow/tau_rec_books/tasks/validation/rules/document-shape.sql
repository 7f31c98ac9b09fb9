with piece as (
    select line, 'family' as part, coalesce(document ->> 'id', format('line {} of families.jsonl', line)) as family,
        '' as place, document as content from raw_family
    union all
    select line, 'family predicate', coalesce(document ->> 'id', format('line {} of families.jsonl', line)),
        format('predicate {}: ', item.key::integer + 1), item.value
    from raw_family, json_each(document -> 'predicates') as item
    where json_type(document -> 'predicates') = 'ARRAY'
    union all
    select line, 'task', coalesce(document ->> 'id', format('line {} of tasks.jsonl', line)), '', document from raw_task
    union all
    select line, 'task predicate', coalesce(document ->> 'id', format('line {} of tasks.jsonl', line)),
        format('predicate {}: ', item.key::integer + 1), item.value
    from raw_task, json_each(document -> 'predicates') as item
    where json_type(document -> 'predicates') = 'ARRAY'
    union all
    select line, 'answers', coalesce(document ->> 'family', format('line {} of answers.jsonl', line)), '', document
    from raw_answer
    union all
    select line, 'answers of a size', coalesce(document ->> 'family', format('line {} of answers.jsonl', line)),
        format('size {}: ', size.key), size.value
    from raw_answer, json_each(document -> 'sizes') as size
    where json_type(document -> 'sizes') = 'OBJECT'
),
entry as (
    select piece.*, key.key, key.type, key.value
    from piece, json_each(piece.content) as key
    where json_type(piece.content) = 'OBJECT'
),
fault as (
    select family, part, line, format('{} is not an object', case place when '' then 'the line' else rtrim(place, ': ') end) as detail
    from piece where json_type(content) <> 'OBJECT'
    union all
    select piece.family, piece.part, piece.line, format('{}the key {} is missing', piece.place, shape.key)
    from piece
    join document_shape as shape using (part)
    anti join entry
        on entry.part = piece.part and entry.line = piece.line and entry.place = piece.place and entry.key = shape.key
    where json_type(piece.content) = 'OBJECT'
    union all
    select entry.family, entry.part, entry.line,
        case when shape.key is null then format('{}the key {} is not part of the format', entry.place, entry.key)
            else format('{}{} is of type {} instead of {}', entry.place, entry.key, entry.type, shape.types) end
    from entry
    left join document_shape as shape on shape.part = entry.part and shape.key = entry.key
    where shape.key is null or not list_contains(string_split(shape.types, '|'), entry.type)
    union all
    select distinct entry.family, entry.part, entry.line,
        format('{}{} holds something other than text', entry.place, entry.key)
    from entry, json_each(entry.value) as item
    where entry.key in ('history', 'accepted_formats', 'answers', 'acceptable') and entry.type = 'ARRAY'
        and item.type <> 'VARCHAR'
)
select family, detail from fault order by part, line, detail;
