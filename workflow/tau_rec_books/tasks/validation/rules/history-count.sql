select 'families.jsonl' as family,
    format('{} families have a reading history instead of {}', found, history_families) as detail
from (select count(*) as found from family where len(history) > 0) cross join setting
where found > history_families or (found < history_families and not allow_fewer)
order by detail;
