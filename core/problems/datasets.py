"""Data sets with two classes: bundled, drawn, or the viewer's own. Split by seed, scaled by a rule that is public.

Nothing is downloaded. Inputs lie within [-1, 1], where splines live.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.check import real, require, whole
from core.problems.tables import read_csv

TEST_SHARE = 0.25
ODD, EVEN = (1, 3, 5, 7, 9), (0, 2, 4, 6, 8)
_DRAWN = "The inputs are drawn within [-1, 1]: nothing is scaled."
_BY_RANGE = "Each input was scaled from its smallest and largest value in the data to [-1, 1]; these two count as public."


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """Records of two classes, some of them held out.

    `features` (n, d) within [-1, 1] and `labels` (n,) -1 or +1 are for training, `test_features` and `test_labels` are
    held out; `classes` names -1 and +1. `preparation` says in words by which rule the inputs were scaled. Scaling and
    splitting are outside the privacy guarantee.
    """

    features: np.ndarray
    labels: np.ndarray
    test_features: np.ndarray
    test_labels: np.ndarray
    feature_names: tuple[str, ...]
    classes: tuple[str, str]
    preparation: str

    @property
    def test(self) -> tuple[np.ndarray, np.ndarray]:
        """The records held out, as `Kan` takes them."""
        return self.test_features, self.test_labels

    def in_unit_ball(self) -> "TwoClasses":
        """The same records divided by sqrt(d), so that no input is longer than 1, as the theorems ask."""
        root = self.features.shape[1] ** 0.5
        return replace(
            self,
            features=self.features / root,
            test_features=self.test_features / root,
            preparation=f"{self.preparation} All inputs were then divided by sqrt(d), into the unit ball.",
        )


def breast_cancer(seed: int = 0) -> TwoClasses:
    """569 tumours, 30 measurements of cell nuclei each: malignant (+1) or benign (-1); scikit-learn's bundled table.

    Reference: Street, Wolberg, Mangasarian (1993), Nuclear feature extraction for breast tumor diagnosis.
    """
    from sklearn.datasets import load_breast_cancer  # a second of imports that only bundled tables need

    table = load_breast_cancer()
    names = tuple(str(name) for name in table.feature_names)
    return _split(_by_range(table.data), np.where(table.target == 0, 1.0, -1.0), names, ("benign", "malignant"), _BY_RANGE, seed)


def digits(positive: Sequence[int] = ODD, negative: Sequence[int] = EVEN, seed: int = 0) -> TwoClasses:
    """Handwritten digits of 8 x 8 pixels, `positive` (+1) against `negative` (-1): all 1797, or those of a pair.

    Raises: ValueError unless both are lists of digits 0..9 without one in common.
    Reference: Alpaydin and Kaynak (1998), Optical recognition of handwritten digits; scikit-learn's bundled test part.
    """
    from sklearn.datasets import load_digits

    positive, negative = tuple(positive), tuple(negative)
    for name, chosen in (("positive", positive), ("negative", negative)):
        require(bool(chosen) and set(chosen) <= set(range(10)), name, chosen, "digits from 0 to 9, at least one")
    require(not set(positive) & set(negative), "negative", negative, f"no digit that is in positive={positive}")
    table = load_digits()
    kept = np.isin(table.target, positive + negative)
    labels = np.where(np.isin(table.target[kept], positive), 1.0, -1.0)
    names = tuple(f"pixel {row},{column}" for row in range(8) for column in range(8))
    rule = "Pixels range from 0 to 16 by their format and were scaled to [-1, 1] from there: no record enters the rule."
    return _split(table.data[kept] / 8 - 1, labels, names, (_listed(negative), _listed(positive)), rule, seed)


def additive_teacher(n_samples: int = 24_000, dim: int = 10, flipped: float = 0.05, seed: int = 0) -> TwoClasses:
    """x uniform on [-1, 1]^d, y = sign(sum_i sin(pi w_i x_i) + x_1 x_2 / 2), a share of the labels flipped.

    The frequencies w are drawn from [.5, 1.5]: every input matters, none by a straight line.
    A sum of curves of one input each, nearly: what a Kolmogorov-Arnold network can learn and a linear model cannot.
    """
    dim = whole("dim", dim, at_least=2)
    flipped = real("flipped", flipped, at_least=0.0, below=0.5)
    source, x = _uniform(n_samples, dim, seed)
    weights = source.uniform(0.5, 1.5, dim)
    signal = np.sin(np.pi * weights * x).sum(axis=1) + 0.5 * x[:, 0] * x[:, 1]
    signs = np.where(source.random(len(x)) < flipped, -1.0, 1.0)
    return _split(x, signs * np.where(signal > 0, 1.0, -1.0), _numbered(dim), ("-1", "+1"), _DRAWN, seed)


def separable(n_samples: int = 4000, dim: int = 2, margin: float = 0.1, seed: int = 0) -> TwoClasses:
    """x uniform on [-1, 1]^d but for the strip |<x, u>| < margin, y the side of the strip; u is a random direction.

    Raises: ValueError for a margin outside [0, .5]: a wider strip leaves too little room.
    """
    margin = real("margin", margin, at_least=0.0, at_most=0.5)
    source, x = _uniform(n_samples, whole("dim", dim, at_least=1), seed)
    direction = source.standard_normal(dim)
    direction /= np.linalg.norm(direction)
    while (inside := np.abs(x @ direction) < margin).any():
        x[inside] = source.uniform(-1, 1, (int(inside.sum()), dim))
    return _split(x, np.where(x @ direction > 0, 1.0, -1.0), _numbered(dim), ("-1", "+1"), _DRAWN, seed)


def rings(n_samples: int = 4000, seed: int = 0) -> TwoClasses:
    """A disc of radius .45 (-1) inside a ring from .6 to .95 (+1), evenly by area: no straight line tells them apart."""
    source, _ = _uniform(n_samples, 2, seed)
    outer = np.arange(n_samples) % 2 == 1
    least, most = np.where(outer, 0.6, 0.0), np.where(outer, 0.95, 0.45)
    radii = np.sqrt(source.uniform(least**2, most**2))
    angles = source.uniform(0, 2 * np.pi, n_samples)
    x = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return _split(x, np.where(outer, 1.0, -1.0), _numbered(2), ("disc", "ring"), _DRAWN, seed)


def xor(n_samples: int = 4000, seed: int = 0) -> TwoClasses:
    """x uniform on [-1, 1]^2, y = sign(x_1 x_2): no sum of curves of one input each gets it right without a hidden layer."""
    _, x = _uniform(n_samples, 2, seed)
    return _split(x, np.where(x[:, 0] * x[:, 1] > 0, 1.0, -1.0), _numbered(2), ("unlike signs", "like signs"), _DRAWN, seed)


def from_csv(content: str | bytes, target: str, seed: int = 0) -> TwoClasses:
    """The viewer's own table: numbers below a header, `target` a column of two different values, the larger one +1.

    Guarantees: nothing is dropped, filled in or guessed.
    Raises: ValueError with one sentence for whatever `tables.read_csv` refuses, for a target of more than two values,
    and for so few records of a class that one part of the split has none.
    """
    values, names = read_csv(content, target)
    at = names.index(target)
    found = np.unique(values[:, at])
    shown = found[:5].tolist()
    require(len(found) == 2, f"values of {target!r}", shown, "two different numbers, one for each class")
    classes = tuple(f"{target} = {value:g}" for value in found)
    labels = np.where(values[:, at] == found[1], 1.0, -1.0)
    feature_names = tuple(name for name in names if name != target)
    return _split(_by_range(np.delete(values, at, axis=1)), labels, feature_names, classes, _BY_RANGE, seed)


DATASETS: dict[str, tuple[str, Callable[..., TwoClasses]]] = {
    "additive_teacher": ("Sum of curves, 10 inputs, 5% of labels flipped", additive_teacher),
    "digits": ("Handwritten digits, odd or even", digits),
    "breast_cancer": ("Breast cancer, malignant or benign", breast_cancer),
    "separable": ("Two classes with a margin between them", separable),
    "rings": ("Disc and ring", rings),
    "xor": ("Exclusive or", xor),
}
"""What can be chosen by name: words, and the function, which takes `seed`."""


def _split(x, labels, names, classes, preparation, seed) -> TwoClasses:
    """Shuffled by seed; the first round((1 - TEST_SHARE) n) records train, the rest are held out."""
    order = np.random.default_rng([whole("seed", seed), 1]).permutation(len(x))
    train, test = np.split(order, [round((1 - TEST_SHARE) * len(x))])
    for part, chosen in (("training", train), ("test", test)):
        present = np.unique(labels[chosen]).size
        require(present == 2, f"classes among the {len(chosen)} {part} records", present, "2: give more records of each class")
    return TwoClasses(x[train], labels[train], x[test], labels[test], names, classes, preparation)


def _by_range(x: np.ndarray) -> np.ndarray:
    within = x / np.abs(x).max(axis=0)  # so that the range of a huge column does not overflow
    low, high = within.min(axis=0), within.max(axis=0)
    return np.clip(2 * (within - low) / (high - low) - 1, -1, 1)  # rounding may leave [-1, 1] by a digit


def _uniform(n_samples: int, dim: int, seed: int) -> tuple[np.random.Generator, np.ndarray]:
    source = np.random.default_rng([whole("seed", seed), 0])
    return source, source.uniform(-1, 1, (whole("n_samples", n_samples, at_least=8), dim))


def _numbered(dim: int) -> tuple[str, ...]:
    return tuple(f"x{index + 1}" for index in range(dim))


def _listed(chosen: tuple[int, ...]) -> str:
    return {ODD: "odd", EVEN: "even"}.get(chosen, ", ".join(map(str, chosen)))
