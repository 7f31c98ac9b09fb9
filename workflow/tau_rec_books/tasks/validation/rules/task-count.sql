select 'tasks.jsonl' as family, format('{} tasks for {} families instead of {}', tasks, families, 3 * families) as detail
from (select (select count(*) from raw_task) as tasks, (select count(*) from raw_family) as families)
where tasks <> 3 * families
order by detail;
