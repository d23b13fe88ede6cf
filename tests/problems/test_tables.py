"""Real tables: what is read is what the file holds, and anything else is refused with a sentence."""

import numpy as np
import pytest
import torch

from core.problems import tables
from core.problems.tables import TableRegression, column_names, diabetes, from_csv

GOOD = "age, weight ,height\n30,70,1.8\n40,82.5,1.7\n25,60,1.6\n51,90,1.9\n"


def test_csv_columns_are_standardised_and_the_target_is_set_apart():
    dataset = from_csv(GOOD, "weight")
    raw = np.array([[30, 1.8], [40, 1.7], [25, 1.6], [51, 1.9]])
    weights = np.array([70, 82.5, 60, 90])
    np.testing.assert_allclose(dataset.features, (raw - raw.mean(0)) / raw.std(0), atol=1e-12)
    np.testing.assert_allclose(dataset.labels, (weights - weights.mean()) / weights.std(), atol=1e-12)
    assert dataset.feature_names == ("age", "height") and dataset.target == "weight"
    assert "public" in dataset.preparation


def test_bytes_with_a_byte_order_mark_windows_line_ends_quotes_and_blank_lines_read_the_same():
    odd = "\ufeff" + GOOD.replace("age", '"age"').replace("\n", "\r\n") + "\r\n\r\n"
    dataset = from_csv(odd.encode(), "weight")
    np.testing.assert_array_equal(dataset.features, from_csv(GOOD, "weight").features)
    assert dataset.feature_names == ("age", "height")


def test_huge_and_tiny_columns_standardise_without_overflow():
    dataset = from_csv("a,b,y\n1e300,1e-300,1\n-1e300,2e-300,2\n1e300,4e-300,3\n", "y")
    assert np.isfinite(dataset.features).all()
    np.testing.assert_allclose(dataset.features.std(axis=0), 1.0)


ROWS = "\n1,2\n2,3\n3,5\n"


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "a header row"),
        ("\n\n", "a header row"),
        ("y" + "\n1\n2\n3", "at least two, separated by commas"),
        ("x;y" + "\n1;2\n2;3", "at least two, separated by commas"),
        ("x,y", "rows below the header=0"),
        ("x,z,y\n1,2,3\n2,1,5\n", r"rows below the header=2, expected at least as many as columns \(3\)"),
        ("x,x,y\n1,2,3", r"header=\['x'\], expected every column name once"),
        ("x,,y\n1,2,3", "a name for every column"),
        ("1,2\n3,4\n5,6", "column names, not numbers"),
        ("x,z" + ROWS, r"target='y', expected one of the columns \['x', 'z'\]"),
        ("x,y\n1,2\n2,M\n3,5", "column 'y' in line 3='M', expected a finite number in every cell"),
        ("x,y\n1,2\n,3\n3,5", "column 'x' in line 3='', expected a finite number in every cell"),
        ("x,y\n1,2\nnan,3\n3,5", "column 'x' in line 3='nan', expected a finite number"),
        ("x,y\n1,2\n2,inf\n3,5", "column 'y' in line 3='inf', expected a finite number"),
        ("x,y\n1,2\n2,3,4\n3,5", "cells in line 3=3, expected 2"),
        ("x,y\n1,2\n2\n3,5", "cells in line 3=1, expected 2"),
        ("x,y\n7,2\n7,3\n7,5", "column 'x'=7.0, expected at least two different values"),
        ("x,y\n1,2\n2,2\n3,2", "column 'y'=2.0, expected at least two different values"),
        (b"x,y\n1,\xff\n", "byte 6 of the CSV file is not UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00", "is not UTF-8"),
        ("x,y\n1,2\x00\n2,3\n3,5", "column 'y' in line 2"),
    ],
)
def test_anything_else_is_refused_with_one_sentence(content, message):
    with pytest.raises(ValueError, match=message) as raised:
        from_csv(content, "y")
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 300


def test_too_many_rows_and_too_many_bytes_are_refused(monkeypatch):
    monkeypatch.setattr(tables, "MAX_ROWS", 2)
    with pytest.raises(ValueError, match="rows below the header=3, expected at most 2"):
        from_csv("x,y" + ROWS, "y")
    monkeypatch.setattr(tables, "MAX_BYTES", 10)
    with pytest.raises(ValueError, match="bytes of the CSV file=16, expected at most 10"):
        from_csv("x,y" + ROWS, "y")


def test_an_unfinished_quote_that_swallows_the_file_is_refused_with_one_sentence():
    with pytest.raises(ValueError, match="of the CSV file cannot be read .field larger"):
        from_csv('x,y\n1,"2\n' + "3,4\n" * 50_000, "y")


def test_diabetes_is_the_bundled_table():
    dataset = diabetes()
    assert dataset.features.shape == (442, 10)
    np.testing.assert_allclose(dataset.features.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(dataset.features.std(axis=0), 1.0, rtol=1e-12)
    problem = TableRegression(dataset)
    # R^2 of ordinary least squares on this table is .5177 in every textbook; standardised labels have variance 1
    assert 1 - 2 * problem.least_loss == pytest.approx(0.5177, abs=1e-4)


def test_risk_on_the_table_is_the_mean_loss_and_its_gap_to_least_squares():
    dataset = diabetes()
    problem = TableRegression(dataset, dtype=torch.float64)
    theta = torch.randn(2, 3, 1, 10, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    loss = 0.5 * np.mean((theta[:, :, 0].numpy() @ dataset.features.T - dataset.labels) ** 2, axis=-1)
    risk = problem.risk(theta)
    np.testing.assert_allclose(risk["train_loss"].numpy(), loss, rtol=1e-12)
    np.testing.assert_allclose(risk["excess_risk"].numpy(), loss - problem.least_loss, rtol=1e-10)
    best = torch.tensor(problem.theta_ols).expand(1, 1, 1, 10)
    assert problem.risk(best)["excess_risk"].item() == 0.0
    assert (risk["excess_risk"] > 0).all()


def test_eigenvalues_are_those_of_the_hessian_largest_first():
    problem = TableRegression(diabetes())
    hessian = problem.dataset.features.T @ problem.dataset.features / 442
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(hessian).real)[::-1], problem.eigenvalues, rtol=1e-9)
    assert problem.eigenvalues.sum() == pytest.approx(10.0)


def test_a_repeated_column_has_a_least_squares_solution_all_the_same():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    text = "a,b,y\n" + "".join(f"{x},{2 * x},{x + y}\n" for x, y in rows)
    problem = TableRegression(from_csv(text, "y"), dtype=torch.float64)
    assert problem.risk(torch.tensor(problem.theta_ols).expand(1, 1, 1, 2))["excess_risk"].item() == 0.0
    assert problem.eigenvalues[-1] == pytest.approx(0.0, abs=1e-12)


def test_a_batch_holds_the_records_picked():
    problem = TableRegression(diabetes(), dtype=torch.float64)
    batch = problem.batch(torch.tensor([[3, 7], [441, 0]]))
    np.testing.assert_array_equal(batch.features[1, 0].numpy(), problem.dataset.features[441])
    np.testing.assert_array_equal(batch.labels.numpy(), problem.dataset.labels[[[3, 7], [441, 0]]])


def test_the_columns_to_choose_from_are_those_of_the_header():
    assert column_names(b"a, b ,c\n1,2,3\n") == ["a", "b", "c"]
    for content, words in ((b"", "a header row"), (b"a\n1\n", "at least two"), (b"1,2\n3,4\n", "not numbers")):
        with pytest.raises(ValueError, match=words):
            column_names(content)
