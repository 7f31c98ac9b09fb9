select family, format('has no unread book in an accepted format at {}', size) as detail
from true_answers
where not nvr and size = (select size from smallest) and len(acceptable) = 0
order by family;
