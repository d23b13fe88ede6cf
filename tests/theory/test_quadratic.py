"""Exact curves against dense second moments, independently computed numbers, limits and each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mechanisms import anti_pgd, from_spectrum, independent, lambda_cgd, nu_ftrl, optimal_for, toeplitz
from core.theory import quadratic


def spectrum(dim, decay=1.0):
    return np.arange(1, dim + 1.0) ** -decay


def dense_second_moments(hessian, learning_rate, noising, noise_std, label_noise, batch_size, error):
    """Excess risk by the full (d, d) recursion for Gaussian x: E[xx' P xx'] = 2 H P H + tr(H P) H."""
    steps, dim = len(noising), len(hessian)
    step = np.eye(dim) - learning_rate * hessian
    moment = np.outer(error, error)
    correlation = np.zeros((steps, dim, dim))  # E[(theta_t - theta_star) z_k']
    risks = [np.trace(hessian @ moment) / 2]
    for t in range(steps):
        cross = -learning_rate * step @ np.tensordot(noising[t], correlation, axes=1)
        sampling = hessian @ moment @ hessian + np.trace(hessian @ moment) * hessian + label_noise**2 * hessian
        moment = step @ moment @ step + learning_rate**2 / batch_size * sampling + cross + cross.T
        moment += learning_rate**2 * noise_std**2 * (noising[t] @ noising[t]) * np.eye(dim)
        correlation = step @ correlation - learning_rate * noise_std**2 * noising[t][:, None, None] * np.eye(dim)
        risks.append(np.trace(hessian @ moment) / 2)
    return np.array(risks)


@pytest.mark.parametrize("batch_size", [1, 3])
@pytest.mark.parametrize("eigenvalues", [(1.0, 0.4, 0.07), (0.5, 0.5, 0.5), (0.9, 0.3, 0.3)])
def test_curve_equals_the_dense_recursion_in_a_rotated_basis(eigenvalues, batch_size):
    rng = np.random.default_rng(3)
    basis = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    error = rng.standard_normal(3)
    noising = np.tril(rng.standard_normal((14, 14)))
    arguments = (0.6, 0.3, batch_size, basis @ error)
    hessian = basis @ np.diag(eigenvalues) @ basis.T
    expected = dense_second_moments(hessian, 0.4, noising, *arguments)
    curve = quadratic.excess_risk_curve_dense(eigenvalues, 0.4, noising, 0.6, 0.3, batch_size, error)
    np.testing.assert_allclose(curve, expected, rtol=1e-12)

    coef = rng.standard_normal(14)
    matrix = np.array(toeplitz(coef).noising_matrix(14))
    expected = dense_second_moments(hessian, 0.4, matrix, *arguments)
    curve = quadratic.excess_risk_curve(eigenvalues, 0.4, 14, coef, 0.6, 0.3, batch_size, error)
    np.testing.assert_allclose(curve, expected, rtol=1e-12)
    np.testing.assert_allclose(
        quadratic.excess_risk_curve_dense(eigenvalues, 0.4, matrix, 0.6, 0.3, batch_size, error), expected, rtol=1e-12
    )


# Computed independently by a dense recursion: rho = clip_norm = 1, so noise variance sensitivity^2/2; eigenvalues 1/k;
# label noise variance 0.25; start 1/sqrt(d) in every direction. (dim, eta, steps, step read, batch, mechanism, value)
FINITE = [
    (16, 0.05, 400, 50, 1, independent(), 0.09473696888092331),
    (16, 0.05, 400, 50, 1, nu_ftrl(0.003125), 0.04942513757781904),
    (16, 0.05, 400, 50, 1, anti_pgd(0.1), 0.05343901805914106),
    (16, 0.05, 400, 400, 8, nu_ftrl(0.003125), 0.01198709081757534),
    (128, 0.02, 400, 400, 1, independent(), 0.11653998522465406),
    (128, 0.02, 400, 400, 1, nu_ftrl(0.00015625), 0.015511514736969998),
    (128, 0.02, 400, 400, 1, anti_pgd(0.1), 0.019929151118138186),
    (128, 0.02, 400, 400, 8, independent(), 0.10894946963578235),
    (128, 0.02, 400, 400, 8, anti_pgd(0.1), 0.01502864169719602),
]


@pytest.mark.parametrize(("dim", "rate", "steps", "step", "batch_size", "mechanism", "expected"), FINITE)
def test_finite_horizon_numbers(dim, rate, steps, step, batch_size, mechanism, expected):
    std = mechanism.sensitivity(steps) / np.sqrt(2)
    start = np.full(dim, dim**-0.5)
    coef = mechanism.noising_coef(steps)
    curve = quadratic.excess_risk_curve(spectrum(dim), rate, steps, coef, std, 0.5, batch_size, start)
    assert curve[step] == pytest.approx(expected, rel=1e-9)


# Computed independently by adaptive quadrature, noise variance limit_sensitivity^2/2.
# (dim, decay, eta, batch, mechanism, label noise, value)
STATIONARY = [
    (16, 1, 0.05, 1, independent(), 0.0, 0.11066312116479249),
    (16, 1, 0.05, 1, anti_pgd(0.1), 0.0, 0.01704871286634957),
    (128, 1, 0.02, 1, independent(), 0.0, 0.33879303279957695),
    (128, 1, 0.02, 1, anti_pgd(0.1), 0.0, 0.020570277761860725),
    (128, 2, 0.02, 1, independent(), 0.0, 0.32548342594792623),
    (128, 2, 0.02, 1, anti_pgd(0.1), 0.0, 0.01792991041077265),
    (16, 1, 0.3, 8, nu_ftrl(0.05), 0.5, 0.21035575348777616),
]


@pytest.mark.parametrize(("dim", "decay", "rate", "batch_size", "mechanism", "label_noise", "expected"), STATIONARY)
def test_stationary_numbers(dim, decay, rate, batch_size, mechanism, label_noise, expected):
    std = mechanism.limit_sensitivity() / np.sqrt(2)
    arguments = (spectrum(dim, decay), rate, mechanism, std, label_noise, batch_size)
    assert quadratic.asymptotic_excess_risk(*arguments) == pytest.approx(expected, rel=1e-7)


def figure2_slope(points, mechanism_of):
    """Least-squares slope in logs of the stationary excess risk; points are (x, eigenvalues, learning_rate)."""
    risks = []
    for _, eigenvalues, rate in points:
        mechanism = mechanism_of(rate * np.min(eigenvalues))
        std = mechanism.limit_sensitivity() / np.sqrt(2)
        risks.append(quadratic.asymptotic_excess_risk(eigenvalues, rate, mechanism, std))
    return np.polyfit(np.log([x for x, _, _ in points]), np.log(risks), 1)[0]


BY_DIM = [(dim, spectrum(dim), 0.02) for dim in (16, 32, 64, 128)]
BY_EFFECTIVE_DIM = [(spectrum(128, a).sum(), spectrum(128, a), 0.02) for a in (0.4, 0.6, 0.8, 1.0)]
BY_RATE = [(rate, spectrum(128), rate) for rate in np.geomspace(0.01, 0.2, 6)]


@pytest.mark.parametrize(
    ("points", "mechanism_of", "expected"),
    [
        (BY_DIM, lambda nu: independent(), 1.009),
        (BY_EFFECTIVE_DIM, lambda nu: independent(), 0.177),
        (BY_EFFECTIVE_DIM, nu_ftrl, 0.948),
        (BY_RATE, lambda nu: independent(), 1.254),
        (BY_RATE, nu_ftrl, 2.019),
    ],
    ids=["dim", "effective dim", "effective dim, nu", "rate", "rate, nu"],
)
def test_slopes_of_figure_2(points, mechanism_of, expected):
    """2310.06771, Figure 2 prints 1.00, .18, .94, 1.27, 2.03; batch 1, no label noise, nu = eta * least eigenvalue."""
    assert figure2_slope(points, mechanism_of) == pytest.approx(expected, abs=0.01)


def test_slopes_of_figure_2_to_six_digits():
    """Computed independently on these grids."""
    assert figure2_slope(BY_EFFECTIVE_DIM, lambda nu: independent()) == pytest.approx(0.17650091945582408, rel=1e-6)
    rates = (0.0178, 0.03776559302026995, 0.08012584360520575, 0.17)
    points = [(rate, spectrum(128), rate) for rate in rates]
    assert figure2_slope(points, lambda nu: independent()) == pytest.approx(1.2698650696440477, rel=1e-6)


@pytest.mark.parametrize(
    ("eigenvalues", "expected"),
    [(spectrum(16), 1.5344273297372635), (spectrum(128), 1.4675739534285883), ([1.0], 1.6)],
)
def test_largest_stable_learning_rate_numbers(eigenvalues, expected):
    """Computed independently by a root search; batch 8. In one dimension it is 2 / (1 + 2/B)."""
    assert quadratic.largest_stable_learning_rate(eigenvalues, 8) == pytest.approx(expected, rel=1e-10)


@given(dim=st.integers(1, 6), decay=st.floats(0.0, 3.0), batch_size=st.integers(1, 100), scale=st.floats(1e-3, 1e3))
def test_runs_are_stable_exactly_below_the_largest_stable_learning_rate(dim, decay, batch_size, scale):
    eigenvalues = scale * spectrum(dim, decay)
    limit = quadratic.largest_stable_learning_rate(eigenvalues, batch_size)
    below, above = (
        quadratic.asymptotic_excess_risk(eigenvalues, share * limit, independent(), 1.0, 0.0, batch_size)
        for share in (1 - 1e-6, 1 + 1e-6)
    )
    assert np.isfinite(below) and below > 0
    assert above == np.inf
    coef = np.eye(1, 2000)[0]
    shrinking, growing = (
        quadratic.excess_risk_curve(eigenvalues, share * limit, 2000, coef, 0.0, 0.0, batch_size, np.ones(dim))[-1]
        for share in (0.9, 1.1)
    )
    start = eigenvalues.sum() / 2
    assert shrinking < start < growing


def test_without_noise_or_error_nothing_happens():
    assert not quadratic.excess_risk_curve([1.0, 0.5], 0.1, 50, np.eye(1, 50)[0], 0.0).any()


def test_without_privacy_noise_the_mechanism_does_not_matter():
    arguments = {"noise_std": 0.0, "label_noise": 0.3, "batch_size": 2, "initial_error": np.ones(16)}
    one, other = (
        quadratic.excess_risk_curve(spectrum(16), 0.1, 80, mechanism.noising_coef(80), **arguments)
        for mechanism in (independent(), nu_ftrl(0.01))
    )
    np.testing.assert_array_equal(one, other)


def test_families_meet_at_their_limits():
    curves = [
        quadratic.excess_risk_curve(spectrum(8), 0.1, 60, mechanism.noising_coef(60), 0.7, 0.1, 2, np.ones(8))
        for mechanism in (independent(), nu_ftrl(1.0), lambda_cgd(0.0), anti_pgd(1.0), toeplitz([1.0]))
    ]
    for curve in curves[1:]:
        np.testing.assert_allclose(curve, curves[0], rtol=1e-14)
    pair = [quadratic.asymptotic_excess_risk(spectrum(8), 0.1, m, 0.7) for m in (lambda_cgd(0.3), anti_pgd(0.7))]
    assert pair[0] == pytest.approx(pair[1], rel=1e-12)


def test_doubling_all_standard_deviations_quadruples_the_risk():
    coef = nu_ftrl(0.02).noising_coef(100)
    one = quadratic.excess_risk_curve(spectrum(8), 0.1, 100, coef, 0.5, 0.2, 2, np.ones(8))
    two = quadratic.excess_risk_curve(spectrum(8), 0.1, 100, coef, 1.0, 0.4, 2, 2 * np.ones(8))
    np.testing.assert_allclose(two, 4 * one, rtol=1e-13)


def test_merged_eigenvalues_equal_nearly_repeated_ones():
    coef = lambda_cgd(0.6).noising_coef(200)
    start = np.array([1.0, -2.0, 0.5, 3.0])
    merged = quadratic.excess_risk_curve([1.0, 0.3, 0.3, 0.3], 0.2, 200, coef, 0.4, 0.2, 1, start)
    split = quadratic.excess_risk_curve([1.0, 0.3, 0.3 + 1e-13, 0.3 - 1e-13], 0.2, 200, coef, 0.4, 0.2, 1, start)
    np.testing.assert_allclose(merged, split, rtol=1e-11)


def test_parts_sum_to_the_curve_and_each_is_its_cause_alone():
    arguments = (spectrum(16), 0.1, 120, nu_ftrl(0.02).noising_coef(120))
    parts = quadratic.excess_risk_parts(*arguments, 0.4, 0.3, 2, np.ones(16))
    curve = quadratic.excess_risk_curve(*arguments, 0.4, 0.3, 2, np.ones(16))
    np.testing.assert_allclose(parts.start + parts.label_noise + parts.privacy_noise, curve, rtol=1e-13)
    alone = {
        "start": quadratic.excess_risk_curve(*arguments, 0.0, 0.0, 2, np.ones(16)),
        "label_noise": quadratic.excess_risk_curve(*arguments, 0.0, 0.3, 2),
        "privacy_noise": quadratic.excess_risk_curve(*arguments, 0.4, 0.0, 2),
    }
    for cause, expected in alone.items():
        np.testing.assert_allclose(getattr(parts, cause), expected, rtol=1e-13, err_msg=cause)


def test_batched_noise_equals_a_loop():
    rng = np.random.default_rng(0)
    coef, std = rng.standard_normal((2, 3, 40)), rng.uniform(0.1, 1.0, (2, 3))
    others = (0.3, 2, np.ones(5))
    curves = quadratic.excess_risk_curve(spectrum(5), 0.2, 40, coef, std, *others)
    parts = quadratic.excess_risk_parts(spectrum(5), 0.2, 40, coef, std, *others)
    assert curves.shape == (2, 3, 41)
    for place in np.ndindex(2, 3):
        one = quadratic.excess_risk_curve(spectrum(5), 0.2, 40, coef[place], std[place], *others)
        np.testing.assert_allclose(curves[place], one, rtol=1e-14)
        np.testing.assert_allclose(sum(part[place] for part in parts), one, rtol=1e-13)
    shared = quadratic.excess_risk_curve(spectrum(5), 0.2, 40, coef[0, 0], std, *others)
    assert shared.shape == (2, 3, 41)
    np.testing.assert_allclose(
        shared[1, 2], quadratic.excess_risk_curve(spectrum(5), 0.2, 40, coef[0, 0], std[1, 2], *others), rtol=1e-14
    )


def test_decay_over_two_hundred_decades_keeps_its_relative_accuracy():
    """One direction: the second moment shrinks by (1 - e)^2 + 2 e^2/B at every step, here with e = 0.9."""
    curve = quadratic.excess_risk_curve([1.0], 0.9, 100, np.eye(1, 100)[0], 0.0, 0.0, 1000, [1.0])
    assert curve[-1] < 1e-190
    expected = 0.5 * (0.1**2 + 2 * 0.9**2 / 1000) ** np.arange(101)
    np.testing.assert_allclose(curve, expected, rtol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mechanism", [independent(), nu_ftrl(0.1), lambda_cgd(0.9)], ids=repr)
def test_an_unstable_run_grows_to_infinity_without_nan_or_warning(mechanism):
    coef = mechanism.noising_coef(3000)
    curve = quadratic.excess_risk_curve([1.0, 0.2], 4.0, 3000, coef, 1.0, 0.1, 1, [0.0, 1.0])
    assert np.all(np.diff(curve[:100]) > 0) and np.isfinite(curve[100])
    assert not np.isnan(curve).any() and curve[-1] == np.inf
    parts = quadratic.excess_risk_parts([1.0, 0.2], 4.0, 3000, coef, 0.0, 0.1, 1)
    assert parts.label_noise[-1] == np.inf and not parts.privacy_noise.any() and not parts.start.any()
    dense = quadratic.excess_risk_curve_dense([1.0, 0.2], 4.0, mechanism.noising_matrix(700), 1.0, 0.1, 1, [0.0, 1.0])
    finite = np.isfinite(dense)
    np.testing.assert_allclose(dense[finite], curve[:701][finite], rtol=1e-8)
    assert finite[100] and not finite[-1]


@pytest.mark.parametrize(
    "mechanism",
    [
        independent(),
        nu_ftrl(0.02),
        lambda_cgd(0.8),
        anti_pgd(0.1),
        optimal_for((1.0, 0.5, 0.25), 0.2, 2),
        toeplitz([1.0, -0.4, 0.3]),
    ],
    ids=lambda mechanism: mechanism.label,
)
def test_curve_converges_to_the_stationary_value(mechanism):
    curve = quadratic.excess_risk_curve([1.0, 0.5, 0.25], 0.2, 2000, mechanism.noising_coef(2000), 0.8, 0.3, 2)
    limit = quadratic.asymptotic_excess_risk([1.0, 0.5, 0.25], 0.2, mechanism, 0.8, 0.3, 2)
    assert curve[-1] == pytest.approx(limit, rel=1e-10)


@pytest.mark.parametrize("mechanism", [independent(), nu_ftrl(0.02), lambda_cgd(0.8)], ids=lambda one: one.label)
@pytest.mark.parametrize("batch_size", [1, 8])
def test_stationary_excess_is_the_mean_of_noise_power_times_noise_weight(mechanism, batch_size):
    omega = (np.arange(20_000) + 0.5) * np.pi / 20_000  # analytic and periodic: the midpoint rule is exact to rounding
    weight = quadratic.noise_weight([1.0, 0.5, 0.1, 0.1], 0.3, omega, batch_size)
    mean = np.mean(np.abs(mechanism.frequency_response(omega)) ** 2 * weight)
    stationary = quadratic.asymptotic_excess_risk([1.0, 0.5, 0.1, 0.1], 0.3, mechanism, 0.7, 0.0, batch_size)
    assert 0.7**2 * mean == pytest.approx(stationary, rel=1e-12)


def test_noise_weight_is_infinite_where_no_stationary_state_exists():
    assert np.all(np.isinf(quadratic.noise_weight([1.0], 1.0, np.array([0.1, 1.0]), 1)))


def test_iterate_response_is_the_transfer_function_of_the_gradient_step():
    omega = np.array([0.0, 0.3, np.pi])
    response = quadratic.iterate_response(0.5, 0.2, omega)
    assert response[0] == pytest.approx(1 / 0.5)
    assert response[1] == pytest.approx(0.2 / abs(1 - np.exp(0.3j) - 0.1), rel=1e-14)
    assert response[2] == pytest.approx(0.2 / 1.9)


def test_best_learning_rate_beats_a_grid_for_fixed_noise():
    coef = nu_ftrl(0.02).noising_coef(150)
    others = (0.2, 2, np.ones(8))
    rate, risk = quadratic.best_learning_rate(spectrum(8), 150, lambda rate: (coef, 0.5), *others)
    assert risk == quadratic.excess_risk_curve(spectrum(8), rate, 150, coef, 0.5, *others)[-1]
    grid = np.geomspace(1e-3, 1.0, 200)
    assert risk <= min(quadratic.excess_risk_curve(spectrum(8), each, 150, coef, 0.5, *others)[-1] for each in grid)


def test_best_learning_rate_lets_the_mechanism_follow_the_rate():
    def noise_at(rate):
        mechanism = nu_ftrl(min(1.0, rate / 8))
        return mechanism.noising_coef(150), 0.5 * mechanism.sensitivity(150)

    rate, risk = quadratic.best_learning_rate(spectrum(8), 150, noise_at, 0.2, 2, np.ones(8))
    nearby = [
        quadratic.excess_risk_curve(spectrum(8), each, 150, *noise_at(each), 0.2, 2, np.ones(8))[-1]
        for each in (0.8 * rate, 0.99 * rate, 1.01 * rate, 1.25 * rate)
    ]
    assert risk < min(nearby)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"eigenvalues": [1.0, 0.0]}, "eigenvalues"),
        ({"eigenvalues": []}, "eigenvalues"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"noising_coef": [1.0, 0.0]}, "noising_coef"),
        ({"noising_coef": [1.0, 0.0, np.nan]}, "noising_coef"),
        ({"noising_coef": ["1", "0", "0"]}, "noising_coef"),
        ({"noising_coef": [1.0, [0.0], 0.0]}, "noising_coef"),
        ({"noise_std": -1.0}, "noise_std"),
        *(({"noise_std": wrong}, "noise_std") for wrong in ("3", True, None, np.nan, np.inf, [1.0, True, "2"], [True])),
        ({"label_noise": -0.1}, "label_noise"),
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 1.5}, "batch_size"),
        ({"initial_error": [1.0]}, "initial_error"),
        ({"steps": 0}, "steps"),
    ],
    ids=repr,
)
def test_wrong_arguments_are_named(change, field):
    arguments = {"eigenvalues": [1.0, 0.5], "learning_rate": 0.1, "steps": 3}
    arguments |= {"noising_coef": [1.0, 0.0, 0.0], "noise_std": 1.0}
    for function in (quadratic.excess_risk_curve, quadratic.excess_risk_parts):
        with pytest.raises(ValueError, match=f"^{field}="):
            function(**{**arguments, **change})


def test_a_noising_matrix_that_looks_into_the_future_is_refused():
    with pytest.raises(ValueError, match="^noising_matrix="):
        quadratic.excess_risk_curve_dense([1.0], 0.1, np.ones((3, 3)), 1.0)


def test_the_stationary_risk_of_a_drawn_spectrum_is_the_limit_of_its_curve():
    drawn = from_spectrum(np.geomspace(0.05, 3.0, 12), np.geomspace(0.05, 3.0, 12) ** 0.5)
    eigenvalues, steps = [1.0, 0.5, 0.2], 1500
    limit = quadratic.asymptotic_excess_risk(eigenvalues, 0.1, drawn, 0.8, 0.3, 4)
    curve = quadratic.excess_risk_curve(eigenvalues, 0.1, steps, drawn.noising_coef(steps), 0.8, 0.3, 4)
    assert limit == pytest.approx(curve[-1], rel=1e-8)
