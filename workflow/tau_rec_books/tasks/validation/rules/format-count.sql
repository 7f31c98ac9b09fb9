select 'families.jsonl' as family,
    format('{} satisfiable families take one format only instead of {}', found, single_format_families) as detail
from (select count(*) as found from family where not nvr and len(formats) = 1) cross join setting
where found > single_format_families or (found < single_format_families and not allow_fewer)
order by detail;
