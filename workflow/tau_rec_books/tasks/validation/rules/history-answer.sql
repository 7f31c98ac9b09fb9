with found as (
    select family, count(*) filter (close and missing = 0) as valid from history_book group by family
)
select family, format('holds {} valid answers instead of one', valid) as detail
from found where valid <> 1
order by family;
