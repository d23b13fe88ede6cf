"""Drawn designs have the laws they say; tables are refused in one sentence where nothing can be learned from them."""

import numpy as np
import pytest

from core.intervals import ols_interval
from core.problems.designs import DESIGNS, Records, anisotropic, from_table, heavy_tails, isotropic, outliers
from core.problems.tables import MAX_ROWS, diabetes, from_csv

every_design = pytest.mark.parametrize("design", DESIGNS)


@every_design
def test_shapes_seeds_and_truth(design):
    draw = DESIGNS[design][1]
    records = draw(40, 3, data_sets=2, seed=1)
    assert records.features.shape == (2, 40, 3) and records.labels.shape == (2, 40)
    assert (records.data_sets, records.n_samples, records.dim) == (2, 40, 3)
    np.testing.assert_allclose(np.linalg.norm(records.theta_star, axis=1), 1.0, rtol=1e-14)
    again = draw(40, 3, data_sets=2, seed=1)
    assert np.array_equal(records.features, again.features) and np.array_equal(records.labels, again.labels)
    assert not np.array_equal(records.features, draw(40, 3, data_sets=2, seed=2).features)
    assert not np.array_equal(records.features[0], records.features[1])
    second = records.one(1)
    assert second.data_sets == 1 and np.array_equal(second.labels[0], records.labels[1])
    assert np.array_equal(second.theta_star[0], records.theta_star[1])


@every_design
def test_rows_have_the_covariance_they_say(design):
    """200,000 rows; standard errors of the second moments from the sample itself."""
    records = DESIGNS[design][1](200_000, 3, seed=3)
    x = records.features[0]
    products = x[:, :, None] * x[:, None]
    z = (products.mean(axis=0) - records.covariance[0]) / (products.std(axis=0) / 200_000**0.5)
    assert np.abs(z).max() < 4.2


@pytest.mark.parametrize("design", ["isotropic", "anisotropic", "heavy_tails"])
def test_labels_are_the_truth_and_noise(design):
    exact = DESIGNS[design][1](30, 4, label_noise=0.0, seed=4)
    np.testing.assert_allclose(exact.labels[0], exact.features[0] @ exact.theta_star[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(exact.theta_hat, exact.theta_star, rtol=1e-10)
    noisy = DESIGNS[design][1](100_000, 4, label_noise=0.5, seed=4)
    noise = noisy.labels[0] - noisy.features[0] @ noisy.theta_star[0]
    spread = (noise**2).std() / 100_000**0.5
    assert abs(noise.mean()) < 4 * 0.5 / 100_000**0.5 and abs((noise**2).mean() - 0.25) < 5 * spread


def test_anisotropic_covariances_follow_the_recipe():
    records = anisotropic(20, 6, data_sets=300, seed=5)
    values = np.linalg.eigvalsh(records.covariance)
    np.testing.assert_allclose(values[:, 0], 1.0, rtol=1e-12)
    np.testing.assert_allclose(values[:, -1], 2.0, rtol=1e-12)
    middle = values[:, 1:-1]
    assert abs(middle.mean() - 1.5) < 4 * (1 / 12) ** 0.5 / middle.size**0.5
    # a uniform rotation spreads every direction over all coordinates
    assert np.all(np.abs(np.diagonal(records.covariance, axis1=1, axis2=2).mean(axis=0) - 1.5) < 4 * 0.2 / 300**0.5)


def test_heavy_tails_are_heavy_and_outliers_fool_least_squares():
    def kurtosis(values):
        return np.mean(values**4) / np.mean(values**2) ** 2

    heavy = heavy_tails(100_000, 2, seed=6)
    assert kurtosis(heavy.features[0, :, 0]) > 5 > kurtosis(isotropic(100_000, 2, seed=6).features[0, :, 0])
    slipped = outliers(100_000, 5, seed=7)
    np.testing.assert_allclose(slipped.theta_hat, 0.45 * slipped.theta_star, atol=0.1)
    clean = slipped.labels[0] - slipped.features[0] @ slipped.theta_star[0]
    assert 0.02 < np.mean(np.abs(clean) > 4.5) < 0.05


def test_the_fit_of_columns_that_are_nearly_alike_is_that_of_lstsq():
    """Two columns 1e-5 apart; the normal equations miss by 8e-6."""
    source = np.random.default_rng(0)
    column = source.standard_normal(200)
    features = np.column_stack([column, column + 1e-5 * source.standard_normal(200)])
    labels = features @ [1.0, 1.0] + source.standard_normal(200)
    expected = np.linalg.lstsq(features, labels, rcond=None)[0]
    np.testing.assert_allclose(Records(features[None], labels[None]).theta_hat[0], expected, rtol=1e-10)
    np.testing.assert_array_equal(Records(features[None], labels[None]).theta_hat[0], ols_interval(features, labels)[0])


def test_the_fit_and_its_eigenvalues():
    records = anisotropic(60, 4, data_sets=2, seed=8)
    for index in range(2):
        x, y = records.features[index], records.labels[index]
        np.testing.assert_allclose(records.theta_hat[index], np.linalg.lstsq(x, y, rcond=None)[0], rtol=1e-10)
        np.testing.assert_allclose(records.gram[index], x.T @ x / 60, rtol=1e-12)
        np.testing.assert_allclose(records.eigenvalues[index], np.linalg.svd(x, compute_uv=False) ** 2 / 60, rtol=1e-10)
    with pytest.raises(ValueError, match="read-only"):
        records.features[0, 0, 0] = 1.0


def test_the_bundled_table():
    table = diabetes()
    records = from_table(table)
    assert (records.data_sets, records.n_samples, records.dim) == (1, 442, 10)
    assert records.theta_star is None and records.covariance is None
    assert records.feature_names == table.feature_names and records.target == "progression"
    assert "count as public" in records.preparation
    np.testing.assert_allclose(records.theta_hat[0], np.linalg.lstsq(table.features, table.labels, rcond=None)[0], rtol=1e-8)


GOOD = "a,b,y\n1,2,3\n2,1,5\n3,5,1\n4,4,2\n"


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "expected a header row"),
        ("y\n1\n2\n", "expected at least two, separated by commas"),
        (GOOD.replace("5,1", "five,1"), "column 'b' in line 4='five', expected a finite number"),
        (GOOD.replace("5,1", "nan,1"), "column 'b' in line 4='nan', expected a finite number"),
        (GOOD.replace("5,1", ",1"), "column 'b' in line 4='', expected a finite number"),
        ("a,b,y\n1,7,3\n2,7,5\n3,7,1\n", "column 'b'=7.0, expected at least two different values"),
        ("a,b,c,y\n1,2,3,4\n2,1,5,6\n", "rows below the header=2, expected at least as many as columns"),
        ("a,b,y\n1,2,3\n2,4,5\n3,6,1\n4,8,2\n", "smallest over largest eigenvalue of X'X="),
    ],
    ids=["empty", "one column", "text", "NaN", "missing", "constant", "more columns than rows", "one column twice another"],
)
def test_bad_tables_get_one_sentence(content, words):
    with pytest.raises(ValueError) as caught:
        from_table(from_csv(content, "y"))
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_million_rows_are_read_and_one_more_is_refused():
    body = "1,2,3\n2,1,5\n3,5,1\n4,4,2\n" * (MAX_ROWS // 4)
    records = from_table(from_csv("a,b,y\n" + body, "y"))
    assert records.n_samples == MAX_ROWS == 1_000_000
    with pytest.raises(ValueError, match="rows below the header=1000001, expected at most 1000000"):
        from_csv("a,b,y\n" + body + "1,2,3\n", "y")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: isotropic(2, 3), "n_samples=2, expected at least one record for each of the 3 features"),
        (lambda: isotropic(0, 3), "n_samples=0"),
        (lambda: isotropic(5, 2, data_sets=0), "data_sets=0"),
        (lambda: isotropic(5, 2, label_noise=-1.0), r"label_noise=-1\.0"),
        (lambda: anisotropic(5, 1), "dim=1"),
        (lambda: isotropic(5, 2).one(1), "index=1"),
        (lambda: Records(np.ones((5, 2)), np.ones(5)), "shape of features"),
        (lambda: Records(np.ones((1, 5, 2)), np.ones((1, 4))), "shape of labels"),
        (lambda: Records(np.full((1, 5, 2), np.nan), np.ones((1, 5))), "features='not finite'"),
        (lambda: Records(np.ones((1, 5, 2)), np.ones((1, 5)), theta_star=np.ones((1, 2))), "shape of covariance"),
    ],
)
def test_errors_are_sentences(call, words):
    with pytest.raises(ValueError, match=words):
        call()
