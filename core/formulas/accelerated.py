"""Formulas behind the acceleration page and the figures of 2406.02716."""

from core.formulas.formula import Formula

FORMULAS = {
    "srgd": Formula(
        r"""\begin{aligned}
        \Delta_t(d) &= \eta_t\nabla f(x_t,d)-\eta_{t-1}\nabla f(x_{t-1},d),\qquad \eta_t=t+1\\
        \nabla_t &= \frac1{\eta_t}\sum_{s\le t}\frac1B\Big(\sum_{d\in\mathcal B_s}\mathrm{clip}_C(\Delta_s(d)) + C\sigma\,\xi_s\Big)\\
        z_{t+1} &= \Pi\big(z_t-\tfrac{\eta_t}{\beta}\nabla_t\big),\quad y_{t+1}=\Pi\big(x_t-\tfrac1\beta\nabla_t\big),\quad
        x_{t+1}=(1-\tau_{t+1})\,y_{t+1}+\tau_{t+1}\,z_{t+1}
        \end{aligned}""",
        "$\\xi$ is correlated noise, so that its running sum stays small; $\\tau_t = \\eta_t/(\\eta_0+\\dots+\\eta_t)$. Without acceleration "
        "$x_{t+1} = y_{t+1}$; without recursion $\\nabla_t$ is the batch's own gradient. An example joins one step, and what it adds "
        "there is at most $C$ long: that is the whole privacy argument, for any loss.",
        "arXiv 2406.02716, Algorithm 1, Sections 4.3 and 5.5; clipping from the proof of Corollary 5.7.",
    ),
    "flat_sensitivity": Formula(
        r"\lVert\Delta_t(d)\rVert \le \eta_t M\lVert x_t-x_{t-1}\rVert + (\eta_t-\eta_{t-1})\lVert\nabla f(x_{t-1},d)\rVert,\qquad \eta_t-\eta_{t-1}=1",
        "$M$ is the smoothness. The model moves by about $1/t$ in step $t$, so the first part does not grow, and neither does the second. "
        "The weighted gradient $\\eta_t\\lVert\\nabla f(x_t,d)\\rVert$ alone grows like $t$.",
        "arXiv 2406.02716, Equation (23), Lemmas 5.5 and 5.9.",
    ),
    "prefix_price": Formula(
        r"\mathrm{sens}(C)^2\,\max_t\sum_{s\le t}\Big(\sum_{u=s}^{t} B_{us}\Big)^2,\qquad B=C^{-1};\qquad \text{tree: } \mathrm{sens}^2=\lfloor\log_2 T\rfloor+1",
        "Variance of the running sum of the noise in one coordinate, when the whole run is $\\mu$-GDP with $\\mu = 1$ and the clip norm is 1. "
        "Independent noise has $T$, the tree $\\log_2 T\\,(\\log_2 T+1)$ at powers of two, square-root Toeplitz noise about $(\\ln(T)/\\pi + 1)^2$.",
        "arXiv 2406.02716, Lemma 5.6; Fichtenberger, Henzinger and Upadhyay, 2202.11205.",
    ),
    "c_dp": Formula(
        r"""c_{DP}=4\sqrt2\,\log^{3/2}(n)\sqrt{\ln(2n/\delta)}\,\ln(2.5/\delta),\qquad T=c_{DP}\,n^{1/4},\quad
        \beta=\frac{c_{DP}^2L}{R}\max\Big\{1,\frac{\sqrt p}{\varepsilon\sqrt n}\Big\}""",
        "The constant that every step of the proof is paid from. $T$ has to fit into $n$ records; $c_{DP}\\le n^{1/4}$ keeps the noise "
        "shorter than the ball. Corollary 5.7 prints $\\sigma = c_{DP}L\\sqrt{\\log T\\ln(2.5/\\delta)}/(\\varepsilon B\\beta)$; Lemma 5.6 asks for "
        "$\\sqrt{2(1+\\lceil\\log T\\rceil)/\\log T}$ times that.",
        "arXiv 2406.02716, Equation (19), Lemma 5.4, Lemma 5.6 and Corollary 5.7.",
    ),
}
