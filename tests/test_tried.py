"""Results kept while trying settings: what the table holds, and that each row leads back to its settings."""

import pytest
import streamlit as st
import test_accelerate_page
import test_adaptive_page
import test_intervals_page
from test_kan_page import QUICK, finished
from test_kan_page import headline as kan_headline
from test_pages import behind_the_router, faultless, headline, opened  # noqa: F401  (a fixture)


def tried(app):
    return [table for table in app.dataframe if "result" in table.value.columns]


def test_results_are_kept_with_what_was_changed_and_lead_back():
    app = opened(nu=0.05)
    assert not tried(app)
    first = headline(app)
    faultless(app.button(key="keep").click().run())
    faultless(app.select_slider(key="epsilon").set_value(8.0).run())
    second = headline(app)
    assert second != first
    faultless(app.button(key="keep").click().run())
    (table,) = tried(app)
    rows = table.value.to_dict("records")
    assert [row["epsilon"] for row in rows] == ["2", "8"] and [row["nu of nu-FTRL"] for row in rows] == ["0.05"] * 2
    assert [row["less error with nu-DP-FTRL"] for row in rows] == [first["nu_ftrl"], second["nu_ftrl"]]
    faultless(app.button(key="back-1").click().run())
    assert app.session_state["epsilon"] == 2.0 and app.session_state["nu"] == 0.05 and headline(app) == first
    assert len(tried(app)[0].value) == 2, "going back forgets nothing"
    faultless(app.button(key="forget").click().run())
    assert not tried(app)


def test_the_winner_among_the_noises_is_kept():
    app = opened("mechanisms", steps=50, dim=4)
    faultless(app.button(key="keep").click().run())
    (row,) = tried(app)[0].value.to_dict("records")
    (html,) = [block.proto.body for block in app.get("html") if 'id="winner"' in block.proto.body]
    assert f">{row['best noise']}<" in html and row["against DP-SGD"].split()[0] + "<" in html
    assert row["steps"] == "50" and row["dimension"] == "4"


def test_a_run_is_kept_once_it_has_ended_with_the_settings_it_began_with():
    app = opened("kan", **QUICK)
    assert app.button(key="keep").disabled
    faultless(app.button(key="run").click().run())
    finished(app)
    faultless(app.select_slider(key="correlation").set_value(0.5).run())
    shown = kan_headline(app)
    faultless(app.button(key="keep").click().run())
    (row,) = tried(app)[0].value.to_dict("records")
    assert row["best lambda above 0"] == shown["best-lambda"] and row["test accuracy over lambda = 0"].startswith(shown["gain"])
    assert row["width"] == "4" and "lambda of DP-lambda-CGD" not in row, "the slider moved after the run"


@pytest.mark.parametrize(
    ("pages_tests", "page"),
    [(test_adaptive_page, "adaptive"), (test_accelerate_page, "accelerate"), (test_intervals_page, "intervals")],
)
def test_results_that_arrive_are_kept_once_all_are_there(pages_tests, page):
    st.cache_resource.clear()  # all tests are one session to Streamlit
    app = pages_tests.finished(opened(page, **pages_tests.QUICK))
    faultless(app.run())
    faultless(app.button(key="keep").click().run())
    (row,) = tried(app)[0].value.to_dict("records")
    shown = pages_tests.headline(app)
    number = {"adaptive": shown.get("fall"), "accelerate": shown.get("gain"), "intervals": shown.get("coverage")}[page]
    assert number in [value.split(" ")[0] for value in row.values()]
