select format('catalog {}', inner_size.size) as family,
    case when larger.id is null then format('row {} ({}) is missing from {}', small.position + 1, small.id, outer_size.size)
        when larger.id <> small.id
            then format('row {} is {} but {} in {}', small.position + 1, small.id, larger.id, outer_size.size)
        else format('{} differs from its record in {}', small.id, outer_size.size)
    end as detail
from size as inner_size
join size as outer_size on outer_size.ordinal = inner_size.ordinal + 1
join book as small on small.size = inner_size.size
left join book as larger on larger.size = outer_size.size and larger.position = small.position
where larger.id is null
    or row(small.id, small.title, small.title_source, small.authors, small.author_ids, small.genres, small.languages,
           small.countries, small.year, small.sitelinks, small.formats)
       is distinct from
       row(larger.id, larger.title, larger.title_source, larger.authors, larger.author_ids, larger.genres,
           larger.languages, larger.countries, larger.year, larger.sitelinks, larger.formats)
order by inner_size.ordinal, small.position;
