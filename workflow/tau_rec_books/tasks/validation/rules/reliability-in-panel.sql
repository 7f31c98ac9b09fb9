select family, 'is in the reliability block but not in the panel' as detail
from family where reliability and not panel
order by line;
