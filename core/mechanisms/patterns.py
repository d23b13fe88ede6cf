"""What a record that takes part in several steps can do: the worst admissible pattern of columns of C, exactly or not at all.

A pattern is a set of at most `participations` steps, any two of them at least `separation` apart.
"""

import numpy as np

from core.check import require, whole


def check_pattern(steps: int, participations: int, separation: int) -> tuple[int, int, int]:
    """Return the three as ints after checking that so many participations fit into `steps`."""
    steps = whole("steps", steps, at_least=1)
    participations = whole("participations", participations, at_least=1)
    separation = whole("separation", separation, at_least=1)
    room = 1 + (steps - 1) // separation
    require(participations <= room, "participations", participations,
            f"at most {room}: more do not fit into steps={steps} at separation={separation}")
    return steps, participations, separation


def pattern_norm(column: np.ndarray, participations: int, separation: int) -> float:
    """Norm of the sum of the columns 0, separation, 2 separation, ... of the Toeplitz matrix of `column` (steps,)."""
    total = column.copy()
    for start in range(separation, participations * separation, separation):
        total[start:] += column[: len(column) - start]
    return float(np.sqrt(total @ total))


def never_rises(column: np.ndarray) -> bool:
    """Whether the coefficients are non-negative and never rise, with 1e-12 of the first for rounding."""
    slack = 1e-12 * abs(column[0])
    return bool(np.all(column >= -slack) and np.all(np.diff(column) <= slack))


def worst_pattern(strategy: np.ndarray, participations: int, separation: int, label: str) -> float:
    """Largest norm of the sum of the columns of `strategy` (steps, steps) over all admissible patterns.

    Known for one participation; where columns at least `separation` apart are orthogonal (a banded C), by a dynamic
    programme; and where the columns' inner products G are non-negative and do not rise when two columns move apart or
    move later together (checked, with 1e-12 of the largest for rounding), by the pattern 0, separation, ...

    Guarantees: equals enumeration where it answers.
    Raises: ValueError elsewhere.
    """
    if participations == 1:
        return float(np.sqrt(np.max(np.sum(strategy**2, axis=0))))
    gram = strategy.T @ strategy
    if not np.tril(gram, -separation).any():
        return float(np.sqrt(heaviest(np.diag(gram), participations, separation)))
    slack = 1e-12 * gram.max()
    upper = np.triu_indices(len(gram) - 1)
    apart = (gram[:, 1:] - gram[:, :-1])[upper]
    later = (gram[1:, 1:] - gram[:-1, :-1])[upper]
    require(
        gram.min() >= -slack and apart.max(initial=0) <= slack and later.max(initial=0) <= slack,
        "participations", participations,
        f"1 for {label}: with several the worst pattern of columns of this matrix is not known exactly",
    )
    chosen = np.arange(participations) * separation
    return float(np.sqrt(gram[np.ix_(chosen, chosen)].sum()))


def heaviest(weights: np.ndarray, participations: int, separation: int) -> float:
    """Largest sum of at most `participations` of the `weights` (n,), any two chosen at least `separation` apart."""
    best = np.zeros(len(weights))
    for _ in range(participations):
        before = np.concatenate([np.zeros(min(separation, len(weights))), best[:-separation]])
        best = np.maximum.accumulate(weights + before)
    return float(best[-1])


def worst_leaves(steps: int, participations: int, separation: int, halves: tuple[int, int]) -> float:
    """Largest sum over dyadic blocks of (participations within)^2: what a tree of sums can be made to show.

    `halves` says whether a block that is a left, or a right, half of another one is in the tree; a block that is half
    of none is in it. By a dynamic programme over the tree: of a block, the best value for each number of leaves chosen,
    with at least so much room free at its left end and at its right end.

    Raises: ValueError where that takes more than 1e9 operations.
    """
    reach = min(separation, steps)
    work = steps.bit_length() * participations**2 / 2 * reach**3
    require(work <= 1e9, "participations", participations,
            f"1 for a tree at separation={separation}: finding the worst pattern of so many is too much work")
    leaf = np.full((2, reach, reach), -np.inf)  # none chosen, which leaves any room; or it, which leaves none
    leaf[0], leaf[1, 0, 0] = 0.0, 0.0
    tables = [leaf]
    for level in range(steps.bit_length() - 1):
        left, right = (tables[-1] + counted * _squares(tables[-1]) for counted in halves)
        tables.append(_join(left, right, 1 << level, 1 << level, participations))
    whole_run, filled = np.zeros((1, reach, reach)), 0
    for level in reversed(range(steps.bit_length())):
        if steps >> level & 1:
            block = tables[level] + _squares(tables[level])
            whole_run = _join(whole_run, block, filled, 1 << level, participations)
            filled += 1 << level
    return float(np.max(whole_run[:, 0, 0]))


def _squares(table: np.ndarray) -> np.ndarray:
    return np.arange(len(table))[:, None, None] ** 2.0


def _join(left: np.ndarray, right: np.ndarray, left_size: int, right_size: int, participations: int) -> np.ndarray:
    """Tables (count, room at the left end, room at the right end) of two neighbouring blocks, of both together."""
    reach = left.shape[1]
    room = np.arange(reach)
    most = min(participations, len(left) + len(right) - 2)
    joined = np.full((most + 1, reach, reach), -np.inf)
    joined[0] = 0.0
    for count in range(1, most + 1):
        if count < len(right):  # all on the right
            joined[count] = right[count][np.maximum(room - left_size, 0)]
        if count < len(left):
            alone = left[count][:, np.maximum(room - right_size, 0)]
            joined[count] = np.maximum(joined[count], alone)
        for first in range(max(1, count - len(right) + 1), min(count, len(left))):
            one, other = left[first], right[count - first][::-1]  # rooms that add up to separation - 1
            for between in range(reach):
                np.maximum(joined[count], one[:, between, None] + other[between], out=joined[count])
    return joined
