with compared as (
    select true_answers.family, true_answers.size, true_answers.size_ordinal,
        true_answers.acceptable as wanted, coalesce(given_answers.acceptable, []) as given
    from true_answers
    left join given_answers on given_answers.family = true_answers.family and given_answers.size = true_answers.size
    where true_answers.acceptable <> coalesce(given_answers.acceptable, [])
),
difference as (
    select *, list_filter(wanted, lambda x: not list_contains(given, x)) as lacking,
        list_filter(given, lambda x: not list_contains(wanted, x)) as surplus
    from compared
)
select family,
    case when len(lacking) > 0 then format('lacks {} of {} acceptable answers at {}, such as {}', len(lacking), len(wanted), size, lacking[1])
        when len(surplus) > 0 then format('lists {} too many among its acceptable answers at {}, such as {}', len(surplus), size, surplus[1])
        else format('lists its acceptable answers at {} in another order or twice', size) end as detail
from difference
order by family, size_ordinal;
