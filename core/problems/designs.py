"""Finite data for linear regression: drawn by formula, or a table. Numpy only, so that theory can use it without torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.check import real, require, whole

if TYPE_CHECKING:
    from core.problems.tables import Dataset

FEATURE_FREEDOM, LABEL_FREEDOM = 5, 3
"""Degrees of freedom of the Student t laws of `heavy_tails`."""
OUTLIER_SHARE, OUTLIER_FACTOR = 0.05, -10.0
"""Share of the labels that `outliers` spoils, and what it multiplies them by: a wrong sign and a wrong unit."""
_ISOTROPIC = "Features have mean 0 and variance 1 by construction: nothing is scaled."


@dataclass(frozen=True, eq=False)
class Records:
    """The n records of a regression problem, or of several data sets of one size.

    `features` (data_sets, n, p), `labels` (data_sets, n). Where the records were drawn, `theta_star` (data_sets, p) is
    the truth and `covariance` (data_sets, p, p) that of a row of features; both None for a table. `preparation` says
    in words what was done to the columns, outside the privacy guarantee.

    Raises: ValueError for shapes that do not fit, for a value that is not finite, for fewer records than features.
    """

    features: np.ndarray
    labels: np.ndarray
    theta_star: np.ndarray | None = None
    covariance: np.ndarray | None = None
    feature_names: tuple[str, ...] = ()
    target: str = "y"
    preparation: str = ""

    def __post_init__(self) -> None:
        shape = np.shape(self.features)
        require(len(shape) == 3 and min(shape) >= 1, "shape of features", shape, "(data sets, records, features)")
        self._check_shapes(*shape)
        require(shape[1] >= shape[2], "n_samples", shape[1], f"at least one record for each of the {shape[2]} features")
        if not self.feature_names:
            object.__setattr__(self, "feature_names", tuple(f"x{index + 1}" for index in range(shape[2])))

    def _check_shapes(self, data_sets: int, n_samples: int, dim: int) -> None:
        expected = {"features": (data_sets, n_samples, dim), "labels": (data_sets, n_samples)}
        if self.theta_star is not None or self.covariance is not None:
            expected |= {"theta_star": (data_sets, dim), "covariance": (data_sets, dim, dim)}
        for name, shape in expected.items():
            array = np.array(getattr(self, name), dtype=float)
            require(array.shape == shape, f"shape of {name}", array.shape, f"{shape}")
            require(bool(np.isfinite(array).all()), name, "not finite", "finite numbers only")
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def data_sets(self) -> int:
        """How many data sets there are."""
        return self.features.shape[0]

    @property
    def n_samples(self) -> int:
        """Records in each data set."""
        return self.features.shape[1]

    @property
    def dim(self) -> int:
        """Features of a record."""
        return self.features.shape[2]

    @cached_property
    def gram(self) -> np.ndarray:
        """X'X/n (data_sets, p, p): the Hessian of the mean loss, the paper's Sigma."""
        return self.features.swapaxes(1, 2) @ self.features / self.n_samples

    @cached_property
    def theta_hat(self) -> np.ndarray:
        """The least-squares fit (data_sets, p), which minimises the mean loss of each data set.

        Raises: ValueError where a column is a sum of multiples of others, so that no fit is the only one.
        """
        least = float(self.eigenvalues[:, -1].min() / self.eigenvalues[:, 0].max())
        alone = "no column of features that is a sum of multiples of other columns"
        require(least > 1e-12, "smallest over largest eigenvalue of X'X", least, alone)
        return least_squares(self.features, self.labels)[0]

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of X'X/n (data_sets, p), largest first."""
        return np.linalg.eigvalsh(self.gram)[:, ::-1].copy()

    def one(self, index: int) -> Records:
        """The data set of this index alone."""
        kept = slice(whole("index", index, at_most=self.data_sets - 1), index + 1)
        cut = {name: getattr(self, name) for name in ("features", "labels", "theta_star", "covariance")}
        return replace(self, **{name: array if array is None else array[kept] for name, array in cut.items()})


def least_squares(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """theta (..., p) of least |X theta - y|, and R (..., p, p) of X = QR, for X (..., n, p) with independent columns and y (..., n).

    By orthogonal steps, which lose as many digits as the columns are alike; the normal equations would lose twice as many.

    Raises: ValueError for columns that depend on each other.
    """
    basis, triangle = np.linalg.qr(features)
    sizes = np.abs(np.diagonal(triangle, axis1=-2, axis2=-1))
    least = float((sizes.min(axis=-1) / np.maximum(sizes.max(axis=-1), np.finfo(float).tiny)).min())
    require(least > np.finfo(float).eps * features.shape[-2], "features", "columns that depend on each other", "independent columns")
    return np.linalg.solve(triangle, (labels[..., None, :] @ basis).swapaxes(-1, -2))[..., 0], triangle


def isotropic(n_samples: int, dim: int, data_sets: int = 1, label_noise: float = 1.0, seed: int = 0) -> Records:
    """x ~ N(0, I), y = <x, theta_star> + label_noise N(0, 1), theta_star uniform on the unit sphere.

    Guarantees: the same arguments give the same records; a data set is drawn afresh with its own theta_star.
    Reference: arXiv 2402.13531, Definition 1.1 and section 4.
    """
    truth, source = _start(n_samples, dim, data_sets, seed)
    features = source.standard_normal((data_sets, n_samples, dim))
    return _labelled(features, truth, _identities(truth), source.standard_normal, label_noise)


def anisotropic(n_samples: int, dim: int, data_sets: int = 1, label_noise: float = 1.0, seed: int = 0) -> Records:
    """As `isotropic` with x ~ N(0, U diag(2, 1, l_3, ..., l_p) U'), l_i uniform on [1, 2] and U a random rotation.

    Raises: ValueError for dim < 2.
    Reference: arXiv 2402.13531, Appendix B, "Experiments with Anisotropic Data".
    """
    truth, source = _start(n_samples, whole("dim", dim, at_least=2), data_sets, seed)
    spectrum = np.concatenate([np.tile([2.0, 1.0], (data_sets, 1)), source.uniform(1, 2, (data_sets, dim - 2))], axis=1)
    turned, triangle = np.linalg.qr(source.standard_normal((data_sets, dim, dim)))
    turned *= np.sign(np.diagonal(triangle, axis1=1, axis2=2))[:, None]  # without it QR prefers some rotations
    features = source.standard_normal((data_sets, n_samples, dim)) * np.sqrt(spectrum)[:, None] @ turned.swapaxes(1, 2)
    covariance = turned * spectrum[:, None] @ turned.swapaxes(1, 2)
    return _labelled(features, truth, covariance, source.standard_normal, label_noise)


def heavy_tails(n_samples: int, dim: int, data_sets: int = 1, label_noise: float = 1.0, seed: int = 0) -> Records:
    """As `isotropic`, but rows are Student t (5 degrees of freedom) and label noise is Student t (3), variances kept.

    A row is a Gaussian one times a random length: some records are long in all features, and their gradients clipped.
    """
    truth, source = _start(n_samples, dim, data_sets, seed)
    lengths = np.sqrt((FEATURE_FREEDOM - 2) / source.chisquare(FEATURE_FREEDOM, (data_sets, n_samples, 1)))
    features = lengths * source.standard_normal((data_sets, n_samples, dim))

    def student(shape: tuple[int, ...]) -> np.ndarray:
        return source.standard_t(LABEL_FREEDOM, shape) / np.sqrt(LABEL_FREEDOM / (LABEL_FREEDOM - 2))

    return _labelled(features, truth, _identities(truth), student, label_noise)


def outliers(n_samples: int, dim: int, data_sets: int = 1, label_noise: float = 1.0, seed: int = 0) -> Records:
    """As `isotropic`, but each label is multiplied by -10 with probability .05: a slip of sign and unit.

    `theta_star` is the truth of the other records. Least squares follows the slips (.45 theta_star with many records),
    clipping does not.
    """
    truth, source = _start(n_samples, dim, data_sets, seed)
    features = source.standard_normal((data_sets, n_samples, dim))
    clean = _labelled(features, truth, _identities(truth), source.standard_normal, label_noise)
    slipped = source.random((data_sets, n_samples)) < OUTLIER_SHARE
    return replace(clean, labels=np.where(slipped, OUTLIER_FACTOR, 1.0) * clean.labels)


DESIGNS: dict[str, tuple[str, Callable[..., Records]]] = {
    "isotropic": ("Gaussian, all directions alike", isotropic),
    "anisotropic": ("Gaussian, directions from 1 to 2 in variance", anisotropic),
    "heavy_tails": ("Heavy tails in features and labels", heavy_tails),
    "outliers": ("5% of the labels slipped in sign and unit", outliers),
}
"""What can be drawn by name: words, and the function."""


def from_table(dataset: Dataset) -> Records:
    """The records of a table as one data set; no truth is known.

    Raises: ValueError with one sentence where a column is a sum of multiples of others, or records are too few.
    """
    records = Records(
        dataset.features[None],
        dataset.labels[None],
        feature_names=dataset.feature_names,
        target=dataset.target,
        preparation=dataset.preparation,
    )
    _ = records.theta_hat  # what cannot be fitted is refused here, where the table came in
    return records


def _start(n_samples: int, dim: int, data_sets: int, seed: int) -> tuple[np.ndarray, np.random.Generator]:
    """theta_star (data_sets, p) on the unit sphere, and the source of everything else."""
    for name, value in (("n_samples", n_samples), ("dim", dim), ("data_sets", data_sets)):
        whole(name, value, at_least=1)
    source = np.random.default_rng(whole("seed", seed))
    truth = source.standard_normal((data_sets, dim))
    return truth / np.linalg.norm(truth, axis=1, keepdims=True), source


def _labelled(features, truth, covariance, draw: Callable[..., np.ndarray], label_noise: float) -> Records:
    noise = real("label_noise", label_noise, at_least=0.0) * draw(features.shape[:2])
    labels = (features @ truth[..., None])[..., 0] + noise
    return Records(features, labels, truth, covariance, preparation=_ISOTROPIC)


def _identities(truth: np.ndarray) -> np.ndarray:
    data_sets, dim = truth.shape
    return np.tile(np.eye(dim), (data_sets, 1, 1))
