with shared as (
    select pair.family, pair.ordinal, pair.hidden_ordinal, pair.id, pair.words, pair.hidden_id, pair.hidden_words,
        coalesce(sum(tally.books) filter (tally.met & pair.bit <> 0), 0)::bigint as matching,
        coalesce(sum(tally.books) filter (tally.met & pair.bit <> 0 and tally.met & pair.hidden_bit <> 0), 0)::bigint as shared_books
    from pair join tally on tally.family = pair.family and tally.size = (select size from largest)
    group by all
)
select family,
    format('the revealed {} ({}) gives away the hidden {} ({}): {} of its {} books meet both',
        id, words, hidden_id, hidden_words, shared_books, matching) as detail
from shared cross join setting
where matching > 0 and shared_books >= giveaway_share * matching
order by family, ordinal, hidden_ordinal;
