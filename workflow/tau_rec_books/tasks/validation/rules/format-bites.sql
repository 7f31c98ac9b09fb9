select family.family,
    format('accepts only {}, but every other valid unread book at {} comes in it',
        array_to_string(family.formats, ' or '), smallest.size) as detail
from family cross join smallest
where family.formats is not null
    and not exists (
        select 1 from near
        where near.family = family.family and near.size = smallest.size
            and near.missing = 0 and not near.read and not near.in_format)
order by family.line;
