"""Correlation of the noise across steps, and what it costs: one factory a family, each returning a `Mechanism`.

    mechanism = nu_ftrl(0.01)
    noise = mechanism.sample(steps, shape, generator)        # inverse(C) @ Z
    scale = mechanism.sensitivity(steps)                     # norm of the columns of C, in clip norms

Importing this package does not import torch; `sample` and `stream` do.
"""

from functools import lru_cache

import numpy as np

from core.check import choice, real, require, square, vector, whole
from core.mechanisms.banded import BandedStrategy, root_coef
from core.mechanisms.base import Mechanism, ToeplitzMechanism, check_mechanism
from core.mechanisms.best_toeplitz import Finite, best_coef
from core.mechanisms.characteristics import Characteristics, characterise, noise_power
from core.mechanisms.dense_optimum import check_bands, check_gram, solve
from core.mechanisms.families import Power, Taps
from core.mechanisms.from_spectrum import from_spectrum
from core.mechanisms.least_squares import Circulant
from core.mechanisms.matrix import Dense
from core.mechanisms.optimum import Interlaced, interlace, merge
from core.mechanisms.stamped import Stamped
from core.mechanisms.tree import FullTree, Tree

__all__ = [
    "Characteristics",
    "Mechanism",
    "ToeplitzMechanism",
    "anti_pgd",
    "banded_inverse_root",
    "banded_root",
    "best_toeplitz",
    "binary_tree",
    "characterise",
    "dense",
    "fft_mechanism",
    "from_spectrum",
    "independent",
    "lambda_cgd",
    "noise_power",
    "nu_ftrl",
    "optimal_counting",
    "optimal_dense",
    "optimal_for",
    "stamped",
    "toeplitz",
]


def independent() -> Mechanism:
    """Independent noise, DP-SGD: B = C = identity; samples are the seed noise itself."""
    return _power(0.0, 0.0, "independent", "DP-SGD")


def nu_ftrl(nu: float) -> Mechanism:
    """Noise of nu-DP-FTRL, B(z) = (1 - (1-nu) z)^(1/2) with 0 <= nu <= 1: 1 is independent, 0 optimal counting.

    Raises: ValueError for nu outside [0, 1].
    Reference: 2310.06771, eq. (7).
    """
    nu = real("nu", nu, at_least=0, at_most=1)
    return _power(1 - nu, 0.5, "nu_ftrl", f"nu-DP-FTRL, nu = {nu:.4g}")


def lambda_cgd(correlation: float) -> Mechanism:
    """Noise of DP-lambda-CGD, z_t - correlation z_{t-1} with 0 <= correlation < 1; 0 is independent.

    Raises: ValueError for a correlation outside [0, 1).
    Reference: 2605.12648, Algorithm 1.
    """
    correlation = real("correlation", correlation, at_least=0, below=1)
    return _power(correlation, 1.0, "lambda_cgd", f"DP-lambda-CGD, lambda = {correlation:.4g}")


def anti_pgd(damping: float) -> Mechanism:
    """Noise of anti-PGD, z_t - (1 - damping) z_{t-1} with 0 <= damping <= 1; undamped (0), C is all ones.

    Raises: ValueError for a damping outside [0, 1].
    Reference: 2310.06771, Table 2 and Section C.5; Orvieto et al., 2202.02831.
    """
    damping = real("damping", damping, at_least=0, at_most=1)
    return _power(1 - damping, 1.0, "anti_pgd", f"anti-PGD, damping = {damping:.4g}")


def optimal_counting() -> Mechanism:
    """Noise of the square-root factorisation of prefix sums, B(z) = (1 - z)^(1/2): nu-FTRL at nu = 0.

    Reference: Fichtenberger, Henzinger and Upadhyay, 2202.11205; 2310.06771, eq. (7) at nu = 0.
    """
    return _power(1.0, 0.5, "optimal_counting", "optimal counting")


def toeplitz(noising_coef: tuple[float, ...]) -> Mechanism:
    """Noise of any finitely many coefficients beta_0, beta_1, ... with beta_0 != 0; zero beyond.

    Raises: ValueError for an empty or not finite sequence, or beta_0 = 0, under which C does not exist.
    """
    taps = vector("noising_coef", noising_coef)
    require(taps[0] != 0, "noising_coef", noising_coef, "a first coefficient other than 0")
    return Taps(taps=tuple(taps.tolist()), arm="toeplitz", label=f"Toeplitz noise of {len(taps)} coefficients")


def optimal_for(eigenvalues, learning_rate: float, batch_size: int = 1) -> Mechanism:
    """The Toeplitz noise of least stationary suboptimality on Gaussian regression, Hessian `eigenvalues` (d,).

    |B(omega)|^2 = h^(-1/2), h = sum_j g_j / |1 - (1 - e_j) exp(i omega)|^2, e_j = learning_rate eigenvalue_j,
    g_j = eigenvalue_j (2 - e_j) / (2 - e_j (1 + 1/batch_size)).

    Guarantees: nothing Toeplitz does better (suboptimality of the privacy noise at fixed privacy); one distinct
    eigenvalue gives `nu_ftrl(learning_rate * eigenvalue)`; coefficients of C are non-negative and never rise.

    Raises: ValueError unless 0 < e_j < 1 and the iteration is stable.
    Reference: Cauchy-Schwarz on the stationary error of 2310.06771, Section C.2; Theorem 2.1 is its case d = 1.
    """
    eigenvalues = vector("eigenvalues", eigenvalues, above=0)
    learning_rate = real("learning_rate", learning_rate, above=0)
    batch_size = whole("batch_size", batch_size, at_least=1)
    rates = learning_rate * eigenvalues
    largest = 1 / eigenvalues.max()
    require(rates.max() < 1, "learning_rate", learning_rate, f"< {largest:.6g}, one over the largest eigenvalue")
    slack = 2 - rates * (1 + 1 / batch_size)
    coupling = np.sum(rates / batch_size / slack)
    stable = f"a stable one: noise feeds back by {coupling:.4g}, expected < 1"
    require(coupling < 1, "learning_rate", learning_rate, stable)
    rates, weights = merge(rates, eigenvalues * (2 - rates) / slack)
    arm, label = "optimal_for", "optimal noise for this problem"
    if len(rates) == 1:
        return _power(1 - float(rates[0]), 0.5, arm, label)
    return Interlaced(rates=tuple(rates.tolist()), gaps=tuple(interlace(rates, weights).tolist()), arm=arm, label=label)


def dense(strategy_matrix: np.ndarray) -> Mechanism:
    """Noise inverse(C) Z of any lower-triangular C (n, n) with a diagonal without zeros, for at most n steps.

    Raises: ValueError for a matrix of another shape; and later, from the methods that need Toeplitz coefficients.
    """
    expected = "a square lower-triangular matrix, finite, without zeros on the diagonal"
    matrix = square("strategy_matrix", strategy_matrix, expected)
    invertible = not np.triu(matrix, 1).any() and bool(np.all(np.diag(matrix) != 0))
    require(invertible, "strategy_matrix", matrix.shape, expected)
    label = f"dense strategy matrix of {len(matrix)} steps"
    return Dense(rows=len(matrix), entries=matrix.tobytes(), arm="dense", label=label)


def binary_tree(completion: str = "none") -> Mechanism:
    """Noise of the binary tree of dyadic blocks; `completion` says how prefix sums are put together from blocks.

    "none" adds up the largest complete blocks; "honaker" averages each with the blocks inside it, as a stream can;
    "full" reads every prefix sum from all blocks, later ones too, by least squares, and needs the number of steps.
    `noising_matrix` is the lower-triangular B with which B Z has exactly the distribution of the tree's noise: the
    increments of its noisy prefix sums. All cost sensitivity^2 = floor(log2 steps) + 1.

    Raises: ValueError for another completion.
    Reference: 2310.06771, Table 3; 2406.02716, Section 5; Honaker 2015; Kairouz et al., 2103.00039, Appendix B.
    """
    choice("completion", completion, ("none", "honaker", "full"))
    if completion == "full":
        return FullTree(arm="full_honaker", label="tree, fully completed (full Honaker)")
    if completion == "honaker":
        return Tree(averaged=True, arm="honaker", label="tree, Honaker's completion")
    return Tree(averaged=False, arm="binary_tree", label="binary tree")


def fft_mechanism() -> Mechanism:
    """Noise of the FFT mechanism: the square root of a circulant matrix that holds prefix sums, read by least squares.

    It needs the number of steps first.

    Reference: Choquette-Choo et al., 2211.06530, Section 3; 2310.06771, Table 3.
    """
    return Circulant(arm="fft", label="FFT mechanism")


def best_toeplitz(gram: np.ndarray) -> Mechanism:
    """The Toeplitz noise of least error at fixed privacy for as many steps as `gram` has.

    `gram` (steps, steps) is the Gram matrix of a quadratic workload: the error of a noising matrix B at unit seed noise
    is sum(gram * (B @ B.T)), as `core.theory.workload` gives it.

    Guarantees: sensitivity^2 times error at most that of optimal counting, and stationary in every coefficient.
    Raises: ValueError for a matrix that is not symmetric, positive semidefinite and other than 0.
    """
    matrix = check_gram(gram)
    taps = best_coef(matrix.tobytes(), len(matrix))
    return Finite(taps=taps, arm="best_toeplitz", label=f"best Toeplitz noise for {len(taps)} steps")


def optimal_dense(gram: np.ndarray, bands: int | None = None) -> Mechanism:
    """The noise of least error at fixed privacy for as many steps as `gram` has: any matrix, or any of so many `bands`.

    `gram` as in `best_toeplitz`. All columns of C have norm 1, and with bands those at least so far apart are orthogonal:
    p participations cost sqrt(p). `core.mechanisms.dense_optimum.solve` also says how near to the least it is.

    Guarantees: within 5e-4 of the least error without bands; for prefix sums also with them, and below optimal counting.
    Raises: ValueError for a matrix that is not symmetric, positive semidefinite and other than 0.
    Reference: Denisov et al., 2202.08312; Choquette-Choo et al., 2211.06530 and 2306.08153; 2310.06771, Table 3 (ME).
    """
    matrix = check_gram(gram)
    bands = check_bands(bands, len(matrix))
    strategy = _best_strategy(matrix.tobytes(), len(matrix), bands)
    words = "" if bands is None else f" of {bands} bands"
    return Dense(rows=len(matrix), entries=strategy, arm="optimal_dense", label=f"best matrix{words} for {len(matrix)} steps")


def banded_root(bands: int) -> Mechanism:
    """Noise whose C holds the first `bands` coefficients of (1 - z)^(-1/2): optimal counting with a short memory.

    Participations at least `bands` steps apart cost as if each were alone. 1 is independent noise.

    Raises: ValueError for no bands.
    Reference: Kalinin and Lampert, 2405.13763, Section 3 (banded square root).
    """
    bands = whole("bands", bands, at_least=1)
    taps = tuple(root_coef(bands, -1).tolist())
    return BandedStrategy(taps=taps, arm="banded_root", label=f"banded square root, {bands} bands")


def banded_inverse_root(bands: int) -> Mechanism:
    """Noise whose B holds the first `bands` coefficients of (1 - z)^(1/2): it keeps bands - 1 past draws.

    Raises: ValueError for no bands.
    Reference: Kalinin, McKenna, Upadhyay and Lampert, 2505.12128 (banded inverse square root).
    """
    bands = whole("bands", bands, at_least=1)
    taps = tuple(root_coef(bands, 1).tolist())
    return Taps(taps=taps, arm="banded_inverse_root", label=f"banded inverse square root, {bands} bands")


def stamped(mechanism: Mechanism, period: int) -> Mechanism:
    """The noise of `mechanism`, begun afresh after every `period` steps: less sensitive, but errors add up.

    Raises: ValueError for what is no mechanism, a period below 1, or one that the mechanism's matrix is too short for.
    Reference: Choquette-Choo et al., 2211.06530 (stamping); the suffix x S of the figures of 2310.06771.
    """
    period = whole("period", period, at_least=1)
    check_mechanism(mechanism).sensitivity(period)  # a matrix that ends before the period says so now
    label = f"{mechanism.label}, restarted every {period} steps"
    return Stamped(inner=mechanism, period=period, arm="stamped", label=label)


@lru_cache(maxsize=16)
def _best_strategy(gram: bytes, steps: int, bands: int | None) -> bytes:
    return solve(np.frombuffer(gram).reshape(steps, steps), bands).strategy_matrix.tobytes()


def _power(root: float, power: float, arm: str, label: str) -> Mechanism:
    if root == 0:
        power = 0.0  # (1 - 0 z)^p is 1 for every p: families that meet are equal
    if power == 0:
        root = 0.0
    return Power(root=root, power=power, arm=arm, label=label)
