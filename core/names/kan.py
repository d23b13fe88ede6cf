"""Glossary: Kolmogorov-Arnold networks."""

from core.names.entry import Name

NAMES = (
    Name("width", r"m", "width", "Hidden units of the network.", low="few units: few numbers that noise is added to", high="many units: can learn more, every one gets noise", letters={"kan": r"m"}),
    Name("width_bound", r"m", "width", "Hidden units of the network, as a theorem asks for them.", "", True),
    Name("n_basis", r"p", "basis functions", "Spline basis functions an edge.",
         low="4: one cubic an edge, stiff", high="many: bends anywhere, and every bend gets noise", letters={"kan": r"p"}),
    Name("test_accuracy", r"\Pr(y f(x) > 0)", "test accuracy", "Share of the examples not trained on whose label is predicted right."),
    Name("accuracy_gain", r"\bar\Delta_\lambda", "gain in test accuracy", "Test accuracy minus that of DP-SGD on the same batches and the same seed noise."),
    Name("noise_norm", r"\lVert\sum_t \xi_t\rVert", "norm of the noise so far", "Length of the sum of all noise added since the start.", "clip norm", letters={"kan": r"\lVert\sum_t\xi_t\rVert_2"}),
    Name("share_projected", r"\Pr(\theta\notin\mathcal{K})", "share of steps projected", "Fraction of steps that left the ball around the start and were projected back onto it."),
    Name("noise_ratio", r"\kappa_\lambda/\kappa_0", "noise, times that of DP-SGD", "Noise at one speed of change over what DP-SGD has there, at the same privacy.", "", True),
    Name("input", r"x_i", "input", "One feature of a record, scaled to [-1, 1]."),
    Name("second_input", r"x_2", "second input", "Another feature of the same record."),
    Name("edge", r"b_{ji}(x_i)", "edge function", "What one unit of a Kolmogorov-Arnold network makes of one input: a learned spline."),
)
