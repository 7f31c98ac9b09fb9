select template, count(*) as families
from family
group by template
order by template;
