select format('catalog {}', size) as family,
    format('{} stands in {} rows', id, count(*)) as detail, min(position) as place
from book group by size, id having count(*) > 1
union all
select format('catalog {}', size), format('row {} has the id {}', position + 1, id), position
from book where not regexp_full_match(id, 'wd_Q[1-9][0-9]*')
order by family, place, detail;
