-- Satisfiable families: where the most popular acceptable answer stands among the unread books that match
-- the opening (mixed), and among those that match all that the hidden reader reveals, formats included.
with candidate as (
    select family.family, hit.met = request.every as meets_all,
        book.id, book.sitelinks,
        hit.met & mixed.stated_bits = mixed.stated_bits as in_opening,
        hit.met & hidden.revealed_bits = hidden.revealed_bits as in_revealed,
        family.formats is null or list_has_any(family.formats, book.formats) as in_format
    from hit
    join family on family.line = hit.line
    join request on request.family = family.family
    join disclosure as mixed on mixed.family = family.family and mixed.condition = 'mixed'
    join disclosure as hidden on hidden.family = family.family and hidden.condition = 'hidden'
    join size on size.ordinal = hit.size_ordinal and size.size = (select size from largest)
    join book on book.size = size.size and book.position = hit.position
    where not family.nvr and not list_contains(family.history, book.id)
        and (in_opening or in_revealed)
),
opening as (
    select family, meets_all and in_format as wanted,
        row_number() over (partition by family order by sitelinks desc, id) as place
    from candidate where in_opening
),
revealed as (
    select family, meets_all as wanted,
        row_number() over (partition by family order by sitelinks desc, id) as place
    from candidate where in_revealed and in_format
),
opening_place as (
    select family, min(place) filter (wanted) as opening_place, count(*) as opening_books from opening group by family
),
revealed_place as (
    select family, min(place) filter (wanted) as revealed_place, count(*) as revealed_books from revealed group by family
)
select family.family, family.tier, family.template, opening_place, opening_books, revealed_place, revealed_books
from family
join opening_place using (family)
join revealed_place using (family)
order by family.family;
