with compared as (
    select true_answers.family, true_answers.size, true_answers.size_ordinal,
        true_answers.answers as wanted, coalesce(given_answers.answers, []) as given
    from true_answers
    left join given_answers on given_answers.family = true_answers.family and given_answers.size = true_answers.size
    where true_answers.answers <> coalesce(given_answers.answers, [])
),
difference as (
    select *, list_filter(wanted, lambda x: not list_contains(given, x)) as lacking,
        list_filter(given, lambda x: not list_contains(wanted, x)) as surplus
    from compared
)
select family,
    case when len(lacking) > 0 then format('lacks {} of {} answers at {}, such as {}', len(lacking), len(wanted), size, lacking[1])
        when len(surplus) > 0 then format('lists {} too many among its answers at {}, such as {}', len(surplus), size, surplus[1])
        else format('lists its answers at {} in another order or twice', size) end as detail
from difference
order by family, size_ordinal;
