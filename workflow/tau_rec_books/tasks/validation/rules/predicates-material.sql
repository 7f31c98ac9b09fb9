select family,
    format('dropping {} ({}) adds {} books to {} answers at {}', id, words, added, answers, size) as detail
from dropped cross join setting
where not nvr and (added < material_books or added < material_share * answers)
order by family, ordinal, size_ordinal;
