"""Glossary, formulas and guide: nothing on screen lacks its words."""

import re

import pytest

from core import formulas, guide
from core.check import real
from core.comparison import Setting
from core.names import ARMS, GLOSSARY, PAPERS, name


def test_every_control_is_in_the_glossary():
    for field in Setting.__dataclass_fields__:
        assert GLOSSARY[field].meaning


@pytest.mark.parametrize("entry", GLOSSARY.values(), ids=list(GLOSSARY))
def test_a_glossary_entry_is_whole(entry):
    assert entry.words and entry.meaning.endswith(".") and set(entry.letters) <= set(PAPERS)
    assert "|" not in entry.symbol, "a bar would end the cell of the guide's table: write \\vert"
    assert bool(entry.low) == bool(entry.high)


def test_the_guide_lists_every_word_and_every_letter():
    assert [row[0] for row in guide.words()] == [entry.words for entry in GLOSSARY.values()]
    widths = {len(row) for row in guide.letters()}
    assert widths == {1 + len(PAPERS)}
    text = guide.table(["a", "b"], [["1", "2"]])
    assert text == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_an_unknown_name_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="name='sigma', expected"):
        name("sigma")


@pytest.mark.parametrize("formula", formulas.FORMULAS.values(), ids=list(formulas.FORMULAS))
def test_a_formula_has_words_and_a_source(formula):
    assert formula.latex and formula.words and "arXiv" in formula.source
    assert formula.latex.count("{") == formula.latex.count("}")


def test_every_arm_that_a_mechanism_names_is_known():
    from core import mechanisms

    made = [
        mechanisms.independent(), mechanisms.nu_ftrl(0.1), mechanisms.lambda_cgd(0.5), mechanisms.anti_pgd(0.5),
        mechanisms.optimal_counting(), mechanisms.optimal_for((1.0, 0.5), 0.1, 1), mechanisms.toeplitz((1.0, -0.2)),
    ]
    assert {mechanism.arm for mechanism in made} <= set(ARMS)


def test_errors_read_as_one_sentence():
    with pytest.raises(ValueError) as error:
        real("learning_rate", -1.0, above=0)
    assert re.fullmatch(r"learning_rate=-1.0, expected > 0", str(error.value))
