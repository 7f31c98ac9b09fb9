select family, min(ordinal) as place,
    case when not any_value(in_smallest) then format('has read {}, which is not in the smallest catalog', id)
        else format('lists {} as read {} times', id, count(*)) end as detail
from history_book
group by family, id
having not any_value(in_smallest) or count(*) > 1
order by family, place;
