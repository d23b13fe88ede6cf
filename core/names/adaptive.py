"""Glossary: adaptive clipping."""

from core.names.entry import Name

NAMES = (
    Name("norm", r"\lVert g\rVert", "length of a gradient", "Norm of the gradient of one example, before clipping.", "", True),
    Name("share", "", "share of the gradients", "Fraction of the gradients whose length falls into a bin of the histogram."),
    Name("samples_per_dim", r"n/d", "examples for each parameter", "Number of examples over the number of parameters.", "", True),
    Name("as_printed", "", "as printed", "Search and noise exactly as the paper prints them, with the privacy that this really "
         "gives. Off: the repaired search, in which every record spends what it was promised, no more and no less."),
    Name("rungs", r"K", "rungs of DP-STAT", "How often the printed search may double its threshold. The paper's own constants ask for thousands.",
         low="few counts, starts near the top", high="many counts, each of them noisier", letters={"adaptive_clipping": r"\lceil\log_2(B/\Delta)\rceil"}),
)
