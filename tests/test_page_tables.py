"""A table of a page: what stands in it, and that a browser can be sent it."""

from streamlit.testing.v1 import AppTest

from core.experiments import kan
from core.experiments.kan import KanSetting
from pages import _figure


def _page():
    from core.results import Table
    from pages import _figure

    def made():
        """What the popover shows the source of."""

    rows = ((0.0, "not applicable", 1.23456, 3), (0.5, 12.34567, 2.0, None), (0.9, None, 3.0, 4))
    _figure.table(Table("Mixed", ("lambda", "closed form", "noise", "count"), rows, "a paper"), "mixed", made, None)


def test_a_column_of_words_and_numbers_is_words_and_the_rest_stays_numbers():
    app = AppTest.from_function(_page).run()
    assert not app.exception
    shown = app.dataframe[0].value
    assert list(shown["closed form"]) == ["not applicable", "12.3", ""]
    assert list(shown["lambda"]) == [0.0, 0.5, 0.9] and list(shown["noise"]) == [1.23456, 2.0, 3.0]


def test_no_column_of_the_accountants_mixes_kinds():
    table = kan.noise_multipliers(KanSetting(accountant="spectral", epsilon=0.25, delta=1e-8))
    mixed = [cells for cells in zip(*table.rows, strict=True) if len({type(cell) for cell in cells} & {str, float}) == 2]
    assert mixed, "a setting at which the closed form applies at some lambda and not at others"
    assert all(len({type(cell) for cell in _figure._of_one_kind(cells)}) == 1 for cells in zip(*table.rows, strict=True))
    assert "not applicable" in table.to_csv() and f",{max(cell for cell in mixed[0] if isinstance(cell, float))!r}," in table.to_csv()
