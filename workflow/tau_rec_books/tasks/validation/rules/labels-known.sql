select predicate.family,
    format('{} asks for the {} {}, which the vocabulary does not list', predicate.id, predicate.field, predicate.text) as detail
from predicate
left join vocabulary_label on vocabulary_label.field = predicate.field and vocabulary_label.label = predicate.label
where predicate.field is distinct from 'year' and vocabulary_label.label is null
order by predicate.family, predicate.ordinal;
