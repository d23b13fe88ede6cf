"""Glossary: acceleration and recursive gradients."""

from core.names.entry import Name

NAMES = (
    Name("problem", "", "problem", "What is learned. linear: least squares on drawn records. logistic: two classes, drawn. breast_cancer: two classes, 427 real records."),
    Name("batch_steps", r"T", "adaptive batch steps", "Times that the model is updated while the records are walked through once, in batches of n/T.", "", True,
         letters={"accelerated": r"T"}),
    Name("scaling", r"\beta", "scaling", "One over the learning rate, over the smoothness of the loss.", "smoothness", True, letters={"accelerated": r"\beta"}),
    Name("weighted_gradient_norm", r"q_{.9}\,\eta_t\lVert\nabla f\rVert", "90% quantile of weighted gradient norms",
         "Length of eta_t times an example's gradient, eta_t = t + 1: what would have to be clipped without the recursion.", "gradient norm", True),
    Name("released_norm", r"q_{.9}\lVert\Delta_t(d)\rVert", "length one example adds",
         "Length of what is clipped for one example (90% quantile of a batch): its weighted gradient, or the difference of two. In units of the gradient norm.", "", True,
         letters={"accelerated": r"\lVert\Delta_t(d)\rVert_2"}),
    Name("gradients", "", "gradients evaluated", "Gradients of single examples that a method has asked for so far.", "", True),
    Name("prefix_variance", r"\max_t\operatorname{Var}\sum_{s\le t}\xi_s", "variance of the noise sum",
         "Largest variance of a running sum of the noise at equal privacy: times the squared sensitivity, for a clip norm of 1 and mu = 1.", "", True,
         letters={"accelerated": r"\lVert\mathbf{b}_t\rVert_2^2"}),
)
