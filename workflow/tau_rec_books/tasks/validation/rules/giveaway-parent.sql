select pair.family,
    format('the revealed {} ({}) and the hidden {} ({}) are parent and child', id, words, hidden_id, hidden_words) as detail
from pair
join child_label on child_label.field = pair.field
    and ((child_label.parent = pair.label and child_label.child = pair.hidden_label)
        or (child_label.parent = pair.hidden_label and child_label.child = pair.label))
where pair.field = pair.hidden_field
order by pair.family, pair.ordinal, pair.hidden_ordinal;
