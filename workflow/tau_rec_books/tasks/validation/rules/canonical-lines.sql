with line as (
    select 1 as file, 'families.jsonl' as name, line, canonical from raw_family
    union all select 2, 'tasks.jsonl', line, canonical from raw_task
    union all select 3, 'answers.jsonl', line, canonical from raw_answer
)
select name as family, format('line {} is not written as canonical JSON', line) as detail
from line where not canonical
order by file, line;
