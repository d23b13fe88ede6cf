"""Formulas behind the KAN page and the figures of 2605.12648."""

from core.formulas.formula import Formula

FORMULAS = {
    "kan": Formula(
        r"""\begin{aligned}
        f(x) &= \tfrac1{\sqrt m}\sum_{j,k} c_{jk}\, b_k\Big(\tanh\big(\tfrac1{\sqrt d}\sum_i b_{ji}(x_i)\big)\Big),
        \qquad b_{ji}(x_i) = \sum_k \theta_{j,ik}\, b_k(x_i)\\
        \theta_{t+1} &= \theta_t - \frac{\eta}{B}\Big(\sum_{i\in\mathrm{batch}}\mathrm{clip}_C(\nabla_i) + C\kappa\,(z_t-\lambda z_{t-1})\Big)
        \end{aligned}""",
        "$b_k$ are cubic B-splines, $m$ hidden units, the second layer $c$ stays as drawn. The loss is logistic. Each step takes "
        "back the share $\\lambda$ of the last step's noise; $\\kappa$ is set for each $\\lambda$ so that all are equally private.",
        "arXiv 2605.12648, Section 3.1 and Algorithm 1.",
    ),
    "paired": Formula(
        r"""\bar\Delta_\lambda \pm t_{.975,R-1}\,\frac{s}{\sqrt R},\qquad
        \Delta_{\lambda,r} = \mathrm{accuracy}_{\lambda,r} - \mathrm{accuracy}_{0,r}""",
        "Replicate $r$ gives every $\\lambda$ the same batches and the same seed noise, so their differences vary much less than "
        "they do. $s$ is the standard deviation of the $R$ differences. For the mark at the best $\\lambda$ the intervals are "
        "widened (Bonferroni), because it is the best of several.",
        "Student's t on paired differences; the experiment is that of arXiv 2605.12648, Figure 1 (left).",
    ),
    "noise_path": Formula(
        r"\mathbb E\Big\lVert\sum_{\tau\le t}\kappa\,(z_\tau-\lambda z_{\tau-1})\Big\rVert^2 = \kappa^2 D\,\big(1+(1-\lambda)^2(t-1)\big)",
        "$D$ is the number of parameters. The sum telescopes: what is left is the last seed noise whole, and the share "
        "$1-\\lambda$ of each one before.",
        "arXiv 2605.12648, Figure 1 (right); the expectation is exact.",
    ),
    "subsampled": Formula(
        r"""P:\; C y+\kappa Z \quad\text{against}\quad Q:\; \kappa Z,\qquad y_t\sim\mathrm{Bernoulli}(B/n),\quad C_{t,u}=\lambda^{t-u}
        \qquad\Longrightarrow\qquad \kappa(\lambda) \le \lVert C\rVert_2\,\kappa(0)""",
        "A run with Poisson batches tells at most as much as telling $P$ from $Q$. Multiplying $y + (\\kappa/\\lVert C\\rVert_2) Z$ by "
        "$C$ and adding noise gives $P$: that is the spectral bound. The tight accountant computes the likelihood ratio of $P$ "
        "and $Q$ itself.",
        "arXiv 2605.12648, Theorem F.8 (for Poisson batches) and F.12, D.9 for its closed form; the bounds go past the paper.",
    ),
    "felt": Formula(
        r"(1-\lambda)\,\frac{\kappa(\lambda)}{\kappa(0)}\quad\text{slow},\qquad (1+\lambda)\,\frac{\kappa(\lambda)}{\kappa(0)}\quad\text{fast}",
        "The gain of $z_t-\\lambda z_{t-1}$ at frequency 0, where noise adds up over steps, and at frequency $\\pi$, where it "
        "alternates, at the noise multiplier that equal privacy asks for.",
        "arXiv 2605.12648, Algorithm 1; the ratio is ours.",
    ),
    "fixed_size": Formula(
        r"""(1-r)N(0,\kappa^2)+rN(2,\kappa^2)\;\text{ against }\;(1-r)N(0,\kappa^2)+rN(1,\kappa^2),
        \quad\text{not}\quad (1-r)N(0,\kappa^2)+rN(1,\kappa^2)\;\text{ against }\;N(0,\kappa^2)""",
        "The sum of one batch, along the direction $e$ of a record whose gradient is $+e$ while all others have $-e$: with the "
        "record, and with its gradient set to zero. Both are exact; $r = B/n$.",
        "arXiv 2605.12648, Theorem F.8 and its proof; the counterexample is ours.",
    ),
    "revealed": Formula(
        r"""\delta \;\ge\; \max_c\; P\big(\max_t x_t > c\big) - e^{\varepsilon}\, Q\big(\max_t x_t > c\big),\qquad
        Q:\ x_t\sim N(0,\kappa^2),\quad P:\ x_t\sim(1-r)N(0,\kappa^2)+rN(1,\kappa^2)""",
        "Whoever says that the record was there when the largest output exceeds $c$ wins this much. Corollary 5.5 takes "
        "$r = \\gamma/\\sqrt n$ and $T = \\sqrt n/\\gamma$, so that $rT = 1$, with $\\kappa^2 = 16 r^2T/\\varepsilon + "
        "32 r^2T\\ln(1/\\delta)/\\varepsilon^2$, which tends to 0 with growing $n$.",
        "arXiv 2605.12648, Corollary 5.5 and Theorem 5.4; the lower bound is ours.",
    ),
    "width_range": Formula(
        r"""\gamma^{-4} \;\lesssim\; m \;\lesssim\; \frac{B^2}{\eta^2\kappa^2\gamma^2 d}\,
        \min\Big(1, \frac{1}{T\,((1-\lambda)^2+\lambda^2\eta)}\Big),\qquad
        \gamma = \max_{\lVert u\rVert=1}\min_i\; y_i\langle\nabla f_{W_0}(x_i), u\rangle""",
        "$\\gamma$ is the margin of Assumption 3.3: that of a support vector machine on the gradients of the network at its "
        "start. It is found in the dual, where it is the shortest vector of a convex hull, and certified to one part in a million.",
        "arXiv 2605.12648, Theorem 4.1 and Assumption 3.3.",
    ),
}
