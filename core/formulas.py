"""The formulas behind the pictures: LaTeX, what it says in words, and the paper and equation it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Formula:
    """One formula: `latex` without dollar signs, `words` in markdown, `source` with paper and equation."""

    latex: str
    words: str
    source: str


FORMULAS = {
    "excess_risk": Formula(
        r"""\begin{aligned}
        \theta_{t+1} &= \theta_t - \eta\Big(\tfrac1B\sum_{i\in\mathrm{batch}} \nabla f_i(\theta_t) + \sum_{\tau\le t}\beta_{t-\tau} w_\tau\Big),
        \qquad w_\tau\sim N(0, s^2 I)\\
        m_{t+1,j} &= \Big(a_j^2 + \tfrac{(\eta h_j)^2}{B}\Big) m_{t,j} + \tfrac{\eta^2}{B} h_j \langle h, m_t\rangle
        + \tfrac{\eta^2\sigma_y^2 h_j}{B} + \eta^2 s^2 v_{t,j}, \qquad a_j = 1-\eta h_j\\
        \mathbb E[F(\theta_t)] - F(\theta_\star) &= \tfrac12 \langle h, m_t\rangle
        \end{aligned}""",
        "$h_j$ are the eigenvalues of the Hessian, $m_{t,j}$ the mean squared error along eigenvector $j$, and $v_{t,j}$ the "
        "variance that the noise has contributed so far: $v_t = v_{t-1} + \\beta_t^2 + 2\\beta_t c_t$, "
        "$c_{t+1} = a_j (c_t + \\beta_t)$. Exact for Gaussian features, no sampling. Every noise has the scale "
        "$s = C\\,\\mathrm{sens}/(\\mu B)$ that the same $(\\varepsilon, \\delta)$ asks of it.",
        "arXiv 2310.06771, Algorithm 1 and Appendix C (without clipping); the recursion is derived from it.",
    ),
    "memory": Formula(
        r"""\beta_t = (-1)^t\binom{1/2}{t}(1-\nu)^t \quad\text{(nu-FTRL)},\qquad
        \beta = (1, -\lambda, 0, \dots) \quad\text{(DP-}\lambda\text{-CGD)}""",
        "$\\nu = 1$ and $\\lambda = 0$ are independent noise. A rule of thumb for linear regression: the best $\\nu$ is about "
        "$\\eta\\,\\mathrm{tr}(H)/d$.",
        "arXiv 2310.06771, equation (7); arXiv 2605.12648, Algorithm 1.",
    ),
    "spectrum": Formula(
        r"""F_\infty \;\propto\; \Big(\frac1{2\pi}\int |B(\omega)|^2\, h(\omega)\,d\omega\Big)
        \Big(\frac1{2\pi}\int \frac{d\omega}{|B(\omega)|^2}\Big),\qquad
        h(\omega) = \sum_j \frac{h_j\, g_j}{|1-e^{i\omega}-\eta h_j|^2}""",
        "The first factor is how much of the noise gradient descent hears, the second is the sensitivity that privacy "
        "charges. $g_j = (2-\\eta h_j)/(2-\\eta h_j(1+1/B))$. By Cauchy-Schwarz the product is smallest for "
        "$|B|^2 = h^{-1/2}$: the optimal noise, in closed form.",
        "arXiv 2310.06771, equations (4), (5) and Appendix C; the optimum goes past the paper.",
    ),
    "learning_rate": Formula(
        r"\min_{\eta}\; \mathbb E[F(\theta_T)] - F(\theta_\star)\quad\text{for each noise by itself}",
        "The same recursion as for the main chart, evaluated at fifteen learning rates up to 0.9 of the largest stable one.",
        "arXiv 2310.06771, Algorithm 1; the sweep is ours.",
    ),
    "causes": Formula(
        r"m_T = \underbrace{m_T^{\text{start}}}_{\theta_0\ne\theta_\star} + \underbrace{m_T^{\text{labels}}}_{\sigma_y}"
        r" + \underbrace{m_T^{\text{privacy}}}_{s}",
        "The recursion is linear in its three sources, so they add up exactly.",
        "arXiv 2310.06771, Appendix C; the split is ours.",
    ),
    "sensitivity": Formula(
        r"\mathrm{sens}_T^2 = \sum_{t<T} c_t^2,\qquad C = B^{-1},\qquad \mu = \mathrm{sens}_T/\sigma,\qquad \rho=\mu^2/2",
        "One record enters one step (zero-out adjacency); its gradient then stays visible along one column of $C$.",
        "arXiv 2310.06771, Theorem 1.1 and equation (5).",
    ),
    "coefficients": Formula(
        r"\xi_t = \sum_{\tau=0}^{t}\beta_{t-\tau} z_\tau,\qquad \Big(\sum_t\beta_t x^t\Big)\Big(\sum_t c_t x^t\Big) = 1",
        "$\\beta$ mixes the seed noise $z$; $c$ is its inverse: what is released is $C$ times the gradients plus $z$.",
        "arXiv 2310.06771, equations (11) and (13).",
    ),
    "clipping": Formula(
        r"\bar g = \sum_{i\in\mathrm{batch}} \min\Big(1, \frac{C}{|a_i||h_i|}\Big)\, a_i h_i^{\top}",
        "A linear model's gradient for one example is the residual $a_i$ times the features $h_i$, so its norm is "
        "$|a_i||h_i|$ and the clipped sum is one matrix product. What is cut biases the gradient; what is not cut asks for "
        "noise of the size of $C$.",
        "arXiv 2310.06771, Algorithm 1, line 3.",
    ),
    "prefix": Formula(
        r"\operatorname{Var}\Big(\sum_{\tau\le t}\xi_\tau\Big) = s^2\sum_{\tau\le t}\Big(\sum_{k\le\tau}\beta_k\Big)^2",
        "The running sum of the noise is where parameters drift when no curvature pulls them back.",
        "arXiv 2310.06771, equation (3).",
    ),
    "transfer": Formula(
        r"G_j(\omega) = \frac{-\eta\, }{e^{i\omega} - 1 + \eta h_j}",
        "How strongly eigen-direction $j$ of gradient descent responds to noise of frequency $\\omega$: "
        "a low-pass filter, the lower the flatter the direction.",
        "arXiv 2310.06771, Section 2.1 and Appendix B.",
    ),
    "mean": Formula(
        r"""F_\infty^{\text{SGD}} = \frac{\eta\,(C^2/(2\rho)+s^2)}{2(2-\eta)},\qquad
        F_\infty^\star = \frac12\Big[\frac{\eta^2C^2}{2\rho}\Big(\frac{2K(m)}{\pi(2-\eta)}\Big)^2 + \frac{\eta s^2}{2-\eta}\Big],
        \quad m = \frac{4(1-\eta)}{(2-\eta)^2}""",
        "$K$ is the complete elliptic integral of the first kind. The optimal noise for mean estimation is nu-FTRL with "
        "$\\nu=\\eta$. The ratio tends to 1 as $\\eta\\to1$; the caption of the paper's Figure 1 says otherwise.",
        "arXiv 2310.06771, Theorem 2.1 (in closed form).",
    ),
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
}
