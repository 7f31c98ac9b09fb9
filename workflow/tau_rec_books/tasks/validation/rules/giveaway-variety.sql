-- What a label says at once: itself and its parents.
with implied as (
    select 'language' as field, variety as label, variety as implied from language_variety
    union select 'country', country, country from language_variety
    union select field, label, label from vocabulary_label
    union select field, child, parent from child_label
),
-- A variety names its country and what covers it; a country, or a part of it, names the variety spoken there.
named as (
    select 'language' as field, variety as said, 'country' as hidden_field, implied.implied as meant, variety, country
    from language_variety join implied on implied.field = 'country' and implied.label = country
    union
    select 'country', country, 'language', variety, variety, country
    from language_variety
)
select distinct pair.family, pair.ordinal, pair.hidden_ordinal,
    format('the revealed {} ({}) gives away the hidden {} ({}): {} is the language of {}',
        id, words, hidden_id, hidden_words, variety, country) as detail
from pair
join implied on implied.field = pair.field and implied.label = pair.label
join named on named.field = pair.field and named.said = implied.implied
    and named.hidden_field = pair.hidden_field and named.meant = pair.hidden_label
order by pair.family, pair.ordinal, pair.hidden_ordinal, detail;
