"""Glossary: what mechanisms are compared by."""

from core.names.entry import Name

NAMES = (
    Name("entry_row", r"t", "step of the release t", "Row of a lower-triangular matrix: the step whose release it makes."),
    Name("entry_column", r"\tau", "earlier step", "Column of a lower-triangular matrix: the step whose gradient or draw enters."),
    Name("strategy_entry", r"C_{t,\tau}", "entry of C", "Weight with which the gradient of an earlier step is visible in what is released at step t.", "", True),
    Name(
        "noising_entry", r"B_{t,\tau}", "entry of B", "Weight with which the noise drawn at an earlier step enters step t; B is the inverse of C.",
        "", True,
    ),
)
