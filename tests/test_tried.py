"""Results kept while trying settings: what the table holds, and that each row leads back to its settings."""

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
