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
    Name("prefix_error", r"\operatorname{std}\sum_t\xi_t", "running-sum error",
         "Standard deviation of the summed noise at equal privacy: sensitivity times that of the sum of correlated noise.", "clip norm", True),
    Name("privacy_excess_risk", r"F(\theta)-F(\theta_\star)", "suboptimality from privacy", "The part of the suboptimality that privacy noise causes, at rho = 1.",
         "", True),
    Name("shown", "", "noises", "The noises that are compared, all at the same privacy."),
    Name("pictured", "", "noise whose matrices are drawn", "C and its inverse B of one noise."),
    Name("bands", r"b", "bands", "Coefficients that a banded noise keeps: of C for the banded square root, of B for the banded inverse.", "", True,
         low="1: independent noise", high="as many as steps: optimal counting"),
    Name("participations", r"k", "uses of a record", "Steps that one record joins, evenly spaced over the run; privacy is charged for all of them.", "", True,
         low="1: a stream of fresh records", high="many passes: the uses add up"),
    Name("restarts", r"S", "blocks", "Blocks of steps after which every noise begins anew (stamping); 1 is never.", "", True,
         low="1: the noise remembers the whole run", high="many short runs: less to charge, less to cancel"),
    Name("shape", "", "spectrum", "Eigenvalues of the Hessian. power: k^-a; geometric: evenly spaced over a decades; two_levels: one half 1, the other 10^-a."),
    Name("multiplier", "", "bound for any loss", "Sign of the multiplier of Theorem 3.1. corrected: valid for every loss; as_printed: proven only for losses "
         "symmetric about their minimum; constant: looser, in closed form."),
    Name("own", "", "your own noise", "drawn: by the handles of its spectrum; typed: by its coefficients."),
    Name("levels", "", "levels of the handles", "log10 of the noise's power at each handle, slow to fast."),
    Name("coefficients", r"\beta_0, \beta_1, \dots", "coefficients", "How much of the seed noise of 0, 1, 2, ... steps ago enters a step; zero beyond."),
)
