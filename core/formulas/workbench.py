"""Formulas behind the Playground, Why it works, Train live, and the figures of 2310.06771."""

from core.formulas.formula import Formula

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
}
