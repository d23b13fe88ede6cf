"""Formulas of the page that compares mechanisms."""

from core.formulas.formula import Formula

FORMULAS = {
    "mechanism": Formula(
        r"""\text{release } C g + \sigma z \;\Leftrightarrow\; \text{noise } \xi = B z,\quad B = C^{-1},\qquad
        \mathrm{sens} = \max_\tau \lVert C e_\tau\rVert,\qquad \sigma = \mathrm{sens}/\mu""",
        "A mechanism is a lower-triangular matrix $C$. Privacy charges its longest column; training feels the noise $Bz$. "
        "Error of a step: $\\mathrm{sens}\\cdot\\mathrm{rms}_t\\lVert e_t^\\top B\\rVert$; of the running sum: "
        "$\\mathrm{sens}\\cdot\\lVert e_t^\\top S B\\rVert$ with $S$ the matrix of ones on and below the diagonal. With several uses of a "
        "record the longest sum of the columns it joins is charged.",
        "arXiv 2310.06771, equations (3), (11), (13), Theorem 1.1 and Table 3.",
    ),
    "minimum_phase": Formula(
        r"""\log|B(\omega)|^2 = L(\omega),\quad B(z) = \exp\Big(\tfrac{l_0}2 + \sum_{n\ge1} l_n z^n\Big),\qquad
        l_n = -\frac1{\pi n}\sum_k s_k\big(\mathrm{Si}(n\omega_{k+1}) - \mathrm{Si}(n\omega_k)\big)""",
        "The handles are joined by straight lines of slope $s_k$ in $\\log\\omega$. Among all causal noises of one spectrum this one "
        "(the outer, or minimum-phase, function) has the least sensitivity, $\\mathrm{sens}^2\\to\\frac1{2\\pi}\\int|B|^{-2}d\\omega$. "
        "The cosine coefficients of $L$ are sine integrals, so nothing is sampled.",
        "Szego's theorem; arXiv 2310.06771, equation (5). The drawing is ours.",
    ),
    "dense_optimum": Formula(
        r"""\min_{C}\; \operatorname{tr}\big(W\, B B^\top\big)\quad\text{over lower-triangular } C = B^{-1},\;\; \lVert Ce_\tau\rVert\le1;
        \qquad \mathbb E F(\theta_T) = \sigma^2\operatorname{tr}(W B B^\top)""",
        "$W$ is the Gram matrix of what is asked of the noise: the last iterate, the mean over all iterates, or running sums. "
        "The problem is convex in $C^\\top C$; a dual point proves how far from the optimum the answer can be (the gap).",
        "arXiv 2310.06771, Section 4 (\"ME\"); Denisov et al., 2202.08312. Gram matrices of iterates are ours.",
    ),
    "condition": Formula(
        r"""F_\infty \;\le\; \frac{L}{2\eta^2}\,\frac1{2\pi}\int\psi(\omega)\,|B(\omega)|^2\,d\omega\;\gamma_\infty^2(B)\,\frac{G^2 d}{2\rho}""",
        "A bound for every loss with curvature between $\\mu$ and $L$, not only quadratic ones; $\\psi$ comes from a multiplier of Zames and "
        "Falb, optimised. The sign of the multiplier is corrected: as printed the bound is not one for losses that are not even.",
        "arXiv 2310.06771, Theorem 3.1 and Figure 3.",
    ),
}
