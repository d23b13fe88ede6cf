"""Glossary: confidence intervals from the iterates of a private run."""

from core.names.entry import Name

NAMES = (
    Name("clip_factor", r"C/\sqrt d", "clip norm over sqrt(d)", "Clip norm in units of the root of the number of features.", "", True,
         low="much is clipped: little noise, but another fit than least squares", high="nothing is clipped: no bias, much noise",
         letters={"dp_gd": r"\gamma/\sqrt p"}),
    Name("groups", r"m", "estimates", "How many estimates an interval is made of: runs, checkpoints or batches.",
         low="few: a wide interval that hardly depends on them being independent", high="many: narrow, and too narrow where neighbours resemble each other",
         letters={"dp_gd": r"m"}),
    Name("burn_in", r"", "burn-in", "Iterates at the start of a run that enter no estimate.", "steps",
         low="0: the start pulls the estimates", high="long: steps are paid for and thrown away"),
    Name("construction", r"", "construction",
         "How iterates become estimates. batched_means: one run, means of stretches. checkpoints: one run, the last iterate of each stretch. "
         "independent_runs: many short runs, the mean of each."),
    Name("schedule", r"", "budget over the steps", "uniform: every step gets the same share of rho. geometric: later steps get more, because their noise is felt more."),
    Name("design", r"", "records", "Where the records come from: drawn by formula, a real table, or your own CSV file."),
    Name("coordinate", r"j", "coefficient", "Which coefficient is shown."),
    Name("second_coordinate", r"k", "second coefficient", "Which coefficient is on the vertical axis of the cloud."),
    Name("shown_step", r"t", "step shown", "Which iterate of every run the cloud shows. Drag it: the iterates leave their start and settle.",
         low="the start", high="the end of the run"),
    Name("coefficient_value", r"\theta_j", "value of the coefficient", "What a run says a coefficient is."),
    Name("second_coefficient_value", r"\theta_k", "value of the second coefficient", "What a run says another coefficient is."),
    Name("coefficient_offset", r"\theta_j-\hat\theta_j", "value minus least squares", "How far a coefficient is from its least-squares value."),
    Name("gradient_count", r"", "gradients so far", "Private gradients taken by all runs of one experiment, one after the other."),
    Name("total_gradients", r"mT", "gradients in all", "Private gradients of one experiment: all of its runs together.", "", True, letters={"dp_gd": r"mT"}),
    Name("replicate", r"r", "replicate", "One repetition of the whole experiment on the same records, with its own noise."),
    Name("coverage", r"", "coverage", "Share of the intervals that contain what they are meant to contain."),
    Name("interval_width", r"", "width of the interval", "From its lower to its upper end.", "", True),
    Name("theta_hat", r"\hat\theta", "least-squares fit", "What minimises the loss on the records at hand: what an interval from the iterates is for.",
         letters={"dp_gd": r"\hat\theta"}),
    Name("theta_star", r"\theta_\star", "truth", "The parameters behind the records; known where they were drawn.",
         letters={"correlated_noise": r"\theta_\star", "adaptive_clipping": r"w^\star", "accelerated": r"x^\star", "dp_gd": r"\theta^*"}),
    Name("estimation_error", r"\lVert\theta-\cdot\rVert_2", "distance", "Euclidean distance between two sets of coefficients.", "", True),
    Name("squared_error", r"\lVert\cdot\rVert_2^2", "squared distance", "Squared Euclidean distance between two sets of coefficients.", "", True),
)
