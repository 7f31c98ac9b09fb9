select mixed.family, 'its mixed and hidden readers open with different predicates' as detail
from disclosure as mixed join disclosure as hidden using (family)
where mixed.condition = 'mixed' and hidden.condition = 'hidden' and mixed.stated_bits <> hidden.stated_bits
order by mixed.family;
