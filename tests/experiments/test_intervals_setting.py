"""The setting of the confidence intervals page, its records, and what is known of them before a run."""

from dataclasses import fields, replace

import numpy as np
import pytest

from core import privacy
from core.experiments import intervals
from core.experiments.intervals import IntervalSetting, OwnTable
from core.experiments.intervals.setting import LARGEST_TABLE
from core.intervals import exact_coverage
from core.names import GLOSSARY

SMALL = IntervalSetting(n_samples=400, dim=3, rho=1.0, steps=120, replicates=30, device="cpu")
CSV = "a,b,y\n" + "\n".join(f"{i},{(i * 7) % 13},{(i * 5) % 11}" for i in range(40))


def test_every_control_is_in_the_glossary():
    assert not [field.name for field in fields(IntervalSetting) if field.name not in GLOSSARY]


def test_the_defaults_are_the_papers():
    setting = IntervalSetting()
    assert (setting.dim, setting.n_samples, setting.rho, setting.clip_factor) == (10, 10_000, 0.015, 5.0)
    assert (setting.learning_rate, setting.steps, setting.groups, setting.burn_in, setting.replicates) == (0.25, 250, 10, 20, 40)
    assert setting.changes() == {} and replace(setting, rho=0.05).changes() == {"rho": 0.05}


@pytest.mark.parametrize(
    ("field", "value"),
    [("design", "moon"), ("n_samples", 1), ("dim", 1), ("rho", 0.0), ("delta", 1.0), ("clip_factor", 0.0), ("learning_rate", -1.0),
     ("steps", 2.5), ("groups", 1), ("burn_in", -1), ("construction", "bootstrap"), ("schedule", "none"), ("replicates", 1),
     ("seed", -1), ("device", "tpu"), ("rho", float("nan"))],
)
def test_a_bad_value_is_named(field, value):
    with pytest.raises(ValueError, match=f"^{field}="):
        replace(IntervalSetting(), **{field: value})


def test_the_noise_is_that_of_lemma_2_1_over_all_gradients():
    # lambda^2 = 2 mT gamma^2 / (rho n^2), gamma = 5 sqrt(10)
    one, many = (intervals.expected(replace(IntervalSetting(), construction=key)) for key in ("batched_means", "independent_runs"))
    for found in (one, many):
        assert found.noise_std == pytest.approx(np.full(found.made.run_steps, (2 * 250 * 250 / (0.015 * 1e8)) ** 0.5), rel=1e-9)
    assert one.noise_std.size == 250 and many.noise_std.size == 25


@pytest.mark.parametrize("schedule", ["uniform", "geometric"])
def test_no_more_than_rho_is_spent(schedule):
    found = intervals.expected(replace(SMALL, construction="independent_runs", steps=250, schedule=schedule))
    moved = 2 * found.clip_norm / 400  # one record replaced moves a clipped mean by so much
    spent = found.made.runs * float((moved**2 / (2 * found.noise_std**2)).sum())
    assert spent <= 1.0 and spent == pytest.approx(1.0, rel=1e-9)
    rows = dict(intervals.ledger(found).rows)
    assert rows["rho spent, from the noise that is added"] == pytest.approx(spent, rel=1e-12)
    assert rows["epsilon at delta = 1e-06, tightest conversion"] == pytest.approx(privacy.zcdp_epsilon(spent, 1e-6))


def test_the_papers_epsilon():
    assert dict(intervals.ledger(intervals.expected(IntervalSetting())).rows)[
        "epsilon at delta = 1e-06, the paper's conversion"
    ] == pytest.approx(0.9254562776310877, rel=1e-9)


def test_coverage_of_the_default_is_that_of_its_directions():
    found = intervals.expected(IntervalSetting())
    values = found.records.eigenvalues[0]
    low, high = (exact_coverage("batched_means", value, 0.25, 250)[0] for value in (values[-1], values[0]))
    coverage = found.of_theta_hat.coverage
    assert low < coverage.min() and coverage.max() < high and coverage.mean() == pytest.approx(0.933, abs=0.001)


def test_without_clipping_the_settled_law_is_the_law():
    wide = intervals.expected(replace(SMALL, clip_factor=100.0))
    assert wide.share_clipped == 0 and wide.settled_law is wide.law and not intervals.is_biased(wide)
    assert set(intervals.landmarks(wide)) == {"least squares (OLS)", "truth"}
    tight = intervals.expected(replace(SMALL, clip_factor=0.3))
    assert tight.share_clipped > 0.5 and intervals.is_biased(tight)
    assert "what clipping estimates (Huber)" in intervals.landmarks(tight)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"construction": "independent_runs", "steps": 200}, "steps=200, expected more than 200"),
        ({"steps": 25}, "steps=25, expected at least 30"),
        ({"learning_rate": 3.0}, "learning_rate=3.0, expected > 0 and < "),
        ({"schedule": "geometric", "steps": 500}, "schedule='geometric', expected uniform for runs of 500 steps"),
        ({"n_samples": 10, "dim": 10}, "records=10, expected more than the 10 features"),
        ({"n_samples": 1_000_000, "dim": 100}, f"n_samples=1000000, expected at most {LARGEST_TABLE // 100:,}"),
        ({"design": "own_table"}, "CSV file='', expected one with a header row"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(changes, words):
    with pytest.raises(ValueError, match=words):
        intervals.expected(replace(SMALL, **changes))


def test_more_iterates_than_can_be_kept_are_refused():
    with pytest.raises(ValueError, match="replicates=1000, expected at most"):
        intervals.plan(replace(SMALL, replicates=1000, steps=20_000))


def test_a_csv_file_of_more_numbers_than_a_page_can_take_is_refused(monkeypatch):
    monkeypatch.setattr("core.experiments.intervals.setting.LARGEST_TABLE", 60)
    with pytest.raises(ValueError, match="rows below the header=40, expected at most 30 with 2 features"):
        intervals.expected(replace(SMALL, design="own_table"), OwnTable(CSV.encode(), "y"))


def test_a_csv_file_is_one_data_set():
    own = OwnTable(CSV.encode(), "y")
    found = intervals.expected(replace(SMALL, design="own_table", steps=120), own)
    assert found.records.feature_names == ("a", "b") and found.records.n_samples == 40 and found.theta_star is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "CSV file=''"),
        ("y\n1\n2\n", "columns="),
        ("a,y\nx,1\ny,2\n", "column 'a' in line 2"),
        ("a,y\n1,nan\n2,3\n", "column 'y' in line 2"),
        ("a,y\n1,2\n1,3\n1,4\n", "column 'a'"),
        ("a,b,c,y\n1,2,3,4\n4,3,2,1\n", "rows below the header=2"),
        ("a,b,y\n" + "\n".join(f"{i},{2 * i},{i % 3}" for i in range(9)), "sum of multiples of other columns"),
        ("a,y\n" + "\n".join(f"{i},{i % 7}" for i in range(1_000_001)), "rows below the header=1000001, expected at most 1000000"),
    ],
    ids=["empty", "one column", "text", "NaN", "constant", "more columns than rows", "dependent", "a million and one rows"],
)
def test_a_bad_csv_file_is_one_sentence(content, words):
    with pytest.raises(ValueError, match=words) as error:
        intervals.expected(replace(SMALL, design="own_table"), OwnTable(content.encode(), "y"))
    assert "\n" not in str(error.value) and len(str(error.value)) < 250
