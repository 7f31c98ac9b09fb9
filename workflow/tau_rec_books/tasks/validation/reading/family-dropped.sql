-- What dropping each predicate of the one family that is loaded adds, at each size.
select ordinal, id, words, size, added
from dropped
order by ordinal, size_ordinal;
