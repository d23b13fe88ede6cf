"""Data sets of two classes: within [-1, 1], split by seed, and true to their description."""

import numpy as np
import pytest

from core.problems import datasets
from core.problems.datasets import DATASETS, TwoClasses, additive_teacher, breast_cancer, digits, from_csv, separable

SIZES = {
    "additive_teacher": (18_000, 6_000, 10), "digits": (1348, 449, 64), "breast_cancer": (427, 142, 30),
    "separable": (3000, 1000, 2), "rings": (3000, 1000, 2), "xor": (3000, 1000, 2),
}


@pytest.mark.parametrize("key", DATASETS)
def test_every_data_set_keeps_its_promises(key):
    words, load = DATASETS[key]
    data, again, other = load(seed=3), load(seed=3), load(seed=4)
    assert isinstance(data, TwoClasses) and words
    assert (len(data.features), len(data.test_features), data.features.shape[1]) == SIZES[key]
    for x, y in ((data.features, data.labels), data.test):
        assert np.abs(x).max() <= 1 and x.shape == (len(y), len(data.feature_names))
        assert set(np.unique(y)) == {-1.0, 1.0} and 0.3 < (y > 0).mean() < 0.7
    assert np.array_equal(data.features, again.features) and np.array_equal(data.test_labels, again.test_labels)
    assert not np.array_equal(data.features, other.features)
    assert len(data.classes) == 2 and data.preparation.endswith(".")
    rows = np.vstack([data.features, data.test_features])
    assert len(np.unique(rows, axis=0)) >= 0.99 * len(rows)  # nobody is on both sides (a few digits are equal)


def test_the_unit_ball_holds_every_input():
    data = breast_cancer()
    ball = data.in_unit_ball()
    assert np.linalg.norm(ball.features, axis=1).max() <= 1 and np.linalg.norm(ball.test_features, axis=1).max() <= 1
    np.testing.assert_allclose(ball.features * 30**0.5, data.features, rtol=1e-12)
    assert "unit ball" in ball.preparation and "public" in ball.preparation


def test_breast_cancer_is_the_bundled_table_with_malignant_positive():
    data = breast_cancer()
    labels = np.concatenate([data.labels, data.test_labels])
    assert (labels > 0).sum() == 212 and (labels < 0).sum() == 357 and data.classes == ("benign", "malignant")
    whole = np.vstack([data.features, data.test_features])
    np.testing.assert_allclose(whole.min(axis=0), -1)
    np.testing.assert_allclose(whole.max(axis=0), 1)


def test_digits_are_scaled_by_their_format_and_pairs_hold_two_digits():
    from sklearn.datasets import load_digits

    table, pair = load_digits(), digits((3,), (8,))
    rows = np.vstack([pair.features, pair.test_features])
    labels = np.concatenate([pair.labels, pair.test_labels])
    for digit, sign in ((3, 1.0), (8, -1.0)):
        expected = table.data[table.target == digit]
        found = (rows[labels == sign] + 1) * 8
        assert sorted(map(tuple, found)) == sorted(map(tuple, expected))
    assert pair.classes == ("8", "3") and digits().classes == ("even", "odd")


def test_the_teacher_is_the_formula_with_a_share_of_labels_flipped():
    clean, noisy = additive_teacher(flipped=0.0, seed=1), additive_teacher(seed=1)
    assert np.array_equal(clean.features, noisy.features)
    share = (clean.labels != noisy.labels).mean()
    assert abs(share - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 18_000)
    weights = _teacher_weights(1)
    x = clean.features
    signal = np.sin(np.pi * weights * x).sum(axis=1) + 0.5 * x[:, 0] * x[:, 1]
    assert np.array_equal(clean.labels, np.where(signal > 0, 1.0, -1.0))


def _teacher_weights(seed):
    source = np.random.default_rng([seed, 0])
    source.uniform(-1, 1, (24_000, 10))
    return source.uniform(0.5, 1.5, 10)


@pytest.mark.parametrize("dim, margin", [(2, 0.1), (5, 0.5), (3, 0.0)])
def test_separable_data_have_their_margin(dim, margin):
    data = separable(400, dim, margin, seed=2)
    x = np.vstack([data.features, data.test_features])
    y = np.concatenate([data.labels, data.test_labels])
    source = np.random.default_rng([2, 0])
    source.uniform(-1, 1, (400, dim))
    direction = source.standard_normal(dim)
    distances = y * (x @ direction) / np.linalg.norm(direction)
    assert distances.min() >= margin and distances.min() < margin + 0.05


def test_rings_and_xor_are_what_their_names_say():
    ring, xor = datasets.rings(seed=0), datasets.xor(seed=0)
    radii = np.linalg.norm(ring.features, axis=1)
    assert radii[ring.labels < 0].max() <= 0.45 and 0.6 <= radii[ring.labels > 0].min()
    assert radii.max() <= 0.95 and np.median(radii[ring.labels < 0]) == pytest.approx(0.45 / 2**0.5, abs=0.02)
    assert np.array_equal(xor.labels, np.where(xor.features.prod(axis=1) > 0, 1.0, -1.0))


def table(rows=40, seed=0):
    source = np.random.default_rng(seed)
    x = source.normal(size=(rows, 2)) * [1e3, 1e-3] + [5, 0]
    y = np.where(x[:, 0] > 5, 7, 2)
    return x, y, "a,sick,b\n" + "".join(f"{one!r},{label},{two!r}\n" for (one, two), label in zip(x.tolist(), y.tolist()))


def test_a_csv_file_is_scaled_by_its_ranges_and_its_larger_class_is_positive():
    x, y, text = table()
    data = from_csv(text, "sick", seed=5)
    rows, labels = np.vstack([data.features, data.test_features]), np.concatenate([data.labels, data.test_labels])
    scaled = 2 * (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0)) - 1
    expected = np.column_stack([scaled, np.where(y == 7, 1.0, -1.0)])
    found = np.column_stack([rows, labels])
    np.testing.assert_allclose(found[found[:, 0].argsort()], expected[expected[:, 0].argsort()], atol=1e-9)
    assert data.feature_names == ("a", "b") and data.classes == ("sick = 2", "sick = 7")
    assert len(data.labels) == 30 and "public" in data.preparation


def test_huge_columns_are_scaled_without_overflow():
    rows = "".join(f"{sign}e308,{index % 2}\n" for index, sign in enumerate(["1", "-1", "0.5", "1"] * 10))
    data = from_csv("a,y\n" + rows, "y")
    assert np.isfinite(data.features).all() and np.abs(data.features).max() == 1


@pytest.mark.parametrize(
    "content, message",
    [
        ("a,y\n" + "1,0\n2,1\n3,2\n", r"values of 'y'=\[0.0, 1.0, 2.0\], expected two different numbers"),
        ("a,y\n" + "".join(f"{i},{i / 10}\n" for i in range(20)), "values of 'y'=.*, expected two different numbers"),
        ("a,y\n" + "1,0\n2,0\n3,0\n", "column 'y'=0.0, expected at least two different values"),
        ("a,y\n" + "1,0\n1,1\n1,0\n", "column 'a'=1.0, expected at least two different values"),
        ("a,y\n" + "1,yes\n2,no\n", "column 'y' in line 2='yes', expected a finite number"),
        ("a,y\n" + "".join(f"{i},0\n" for i in range(30)) + "30,1\n", "classes among the .* records=1, expected 2"),
        ("a,z\n1,0\n2,1\n", r"target='y', expected one of the columns"),
        ("", "a header row"),
    ],
)
def test_any_other_file_is_refused_with_one_sentence(content, message):
    with pytest.raises(ValueError, match=message) as raised:
        from_csv(content, "y")
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 300


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: digits((1, 10), (2,)), "positive="), (lambda: digits((), (2,)), "positive="),
        (lambda: digits((1, 2), (2,)), r"negative=\(2,\), expected no digit that is in positive"),
        (lambda: separable(margin=0.9), "margin=0.9"), (lambda: separable(dim=0), "dim=0"),
        (lambda: additive_teacher(dim=1), "dim=1"), (lambda: additive_teacher(flipped=0.5), "flipped=0.5"),
        (lambda: datasets.xor(n_samples=3), "n_samples=3"), (lambda: datasets.rings(seed=-1), "seed=-1"),
    ],
)
def test_arguments_are_refused(make, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        make()
