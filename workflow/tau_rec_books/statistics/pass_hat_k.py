"""pass^k: the chance that k trials of a task all succeed, estimated without bias."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb


def pass_hat_k(successes: int, trials: int, k: int) -> Fraction:
    """Unbiased estimate for one task, C(c, k) / C(n, k), as an exact fraction (paper, section 4.2).

    Args:
        successes: c, successful trials.
        trials: n, finished trials.
        k: how many trials must all succeed.

    Raises:
        ValueError: when k is larger than n; a cell with too few trials has no pass^k.
    """
    if not 0 <= successes <= trials or not 1 <= k <= trials:
        raise ValueError(f"pass^{k} needs 0 ≤ c ≤ n and 1 ≤ k ≤ n, but c={successes}, n={trials}")
    return Fraction(comb(successes, k), comb(trials, k))


def mean_pass_hat_k(counts: Sequence[tuple[int, int]], k: int) -> Fraction:
    """Mean over tasks of pass^k; every task weighs the same, however many trials it has.

    Args:
        counts: per task, (successes, trials).
    """
    return sum((pass_hat_k(c, n, k) for c, n in counts), Fraction(0)) / len(counts)
