with spoken as (
    select family.family, item.key,
        ' ' || trim(regexp_replace(lower(strip_accents(nfc_normalize(item.value ->> '$'))), '[^\p{L}\p{N}]+', ' ', 'g')) || ' '
            as words
    from family, json_each(family.document -> 'persona') as item
    where item.key is not null
),
secret as (
    select family, ordinal, id, words as asked, year is not null as whole_number,
        trim(regexp_replace(lower(strip_accents(nfc_normalize(text))), '[^\p{L}\p{N}]+', ' ', 'g')) as words
    from predicate
    where text <> ''
)
select secret.family, format('its persona''s {} names {} ({})', spoken.key, secret.id, secret.asked) as detail
from secret join spoken using (family)
where contains(spoken.words, case when whole_number then secret.words else ' ' || secret.words || ' ' end)
order by secret.family, secret.ordinal, spoken.key;
