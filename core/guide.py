"""The words of the guide: the story, what is assumed, and where a paper is not right as printed."""

from core.names import GLOSSARY, PAPERS

STORY = """
### The story in one screen
Learning from private records needs noise: each step clips every record's gradient to a **clip norm** and adds Gaussian noise,
so that no single record can be told from the result. The usual recipe, DP-SGD, draws that noise afresh in every step.

**The noise need not be independent.** A step can take back part of the noise of the steps before it. What the model feels is
the *sum* of all noise, and a sum of noises that cancel stays small. The price: when its cover is taken away, a record shows
for longer, so the noise must be larger to begin with. Two families are on the sliders:

- **nu-DP-FTRL** takes back many small pieces over about 1/nu steps. nu = 1 is DP-SGD.
- **DP-lambda-CGD** takes back the share lambda of the last step's noise. lambda = 0 is DP-SGD.

Every comparison here is at the **same privacy** (epsilon, delta), the same examples and the same number of steps.

1. **Playground**: the exact answer, at once. Drag nu and lambda; try the presets, one of which LOSES.
2. **Why it works**: the same noise in time and in frequency, and what it costs.
3. **Compare noise**: every mechanism of the literature on one problem, beside the best there is, and one that you draw yourself.
4. **Train live**: a real run with confidence bands, on made-up data, on real data, on yours.
5. **KAN**: a small network of learned curves, trained in private with several lambda at once: is there a best one?
6. **Adaptive clipping**: a clip norm found in private before each step, and the ledger of what that costs.
7. **Acceleration**: one pass in few large batches; whether acceleration or the noise decides, and from where on the theorem speaks.
8. **Confidence intervals**: how far off a private answer may be, read from its own noise at no cost; and when that fails.
9. **Papers**: the figures of the papers, computed here, each with a verdict: matches, or does not.
"""

ASSUMPTIONS = """
- **Adjacency is zero-out**: neighbouring data sets differ by one record whose gradient is set to zero. It is not the replacement
  adjacency of other papers: their epsilons are not comparable (a factor 2 in sensitivity).
- **On Confidence intervals adjacency is replacement**, as in its paper: one record is exchanged for another, a factor 2. Its rho and epsilon
  are not those of the other pages. Every record takes part in every step.
- **Each record is used once** on the Playground: steps x batch size records in all. Tables are walked through in cyclic epochs, and
  a record that joins several steps is charged for all of them together, exactly.
- **On Compare noise** a record is used as often as you say, evenly spaced; its uses are charged together, exactly, or the noise is left
  out with a sentence that says why. "The optimum" is the best Toeplitz noise for one use of each record.
- **On KAN** each record joins each step by its own coin (Poisson batches), and all its steps are charged together; batches of a
  fixed size are charged without amplification, because no theorem amplifies them.
- **On Adaptive clipping adjacency is replacement**, too. One pass: each record is looked at in one step; records of different steps
  compose in parallel.
- **On Acceleration** each record is used once, too, under zero-out; what is clipped there is the difference of its two gradients. A bound
  on the length of the best parameters counts as known, and every method's rate is chosen by its outcome.
- **The exact curves leave clipping out** (the papers call this Noisy-FTRL). Noise is scaled to the clip norm as if it were on; Train
  live shows how many gradients it would cut, and what cutting does.
- **Gaussian features**, squared loss with its factor 1/2, the best parameters at 1/sqrt(d) in every direction, start at zero.
- **The choice of settings is not charged.** Looking at private data to pick nu, lambda, the clip norm or the learning rate costs
  privacy that no number on these pages includes. Scaling of a table's columns counts as public.
- The **optimal noise** is optimal for the long run (stationary), without label noise; at a finite step others may be ahead.
"""

ERRATA = """
| paper | place | as printed | what holds, and what is built here |
| --- | --- | --- | --- |
| 2310.06771 | Figure 1, caption | orders of magnitude better as the learning rate tends to 1 | the ratio tends to 1 there |
| 2310.06771 | (22), (46), Appendix B | the factor 1/2 of (6) and (8) is dropped | every risk here keeps the 1/2 |
| 2310.06771 | Appendix B, minimum | counts the squared sensitivity twice | once |
| 2310.06771 | (78), D.5, D.10 | miss a square; (82) counts a term twice | the exact recursion is used instead |
| 2310.06771 | Theorem 2.2, Tables 1 and 2 | log^2(1/nu) | one log(1/nu), which is the sensitivity. The other logarithm is how slow a direction is, weighted by its eigenvalue: with constants, eta^2 / (4 pi^2 rho) log(8/nu) sum_j l_j log(8/(eta l_j)) is within 8% of the exact value |
| 2310.06771 | Table 4, row 1/k^2, ratio | log^3 | log^2, as its own columns say |
| 2310.06771 | Theorem E.1, (10) | multipliers with entries >= 0; (10) without the 1/eta^2 of E.1; a factor 2 and 1/rho | entries <= 0 off the centre, or the bound holds only for losses that are symmetric about their minimum; 1/eta^2; no factor 2; 1/(2 rho). At learning rate .1 and condition number 10 DP-SGD has .256, under the printed sign .182 |
| 2310.06771 | D.4; D.8; D.14 and D.15; proof of D.15 | learning rate <= c R^2 log(T/p); a bound on the wrong part; no F(theta_0) - F*; mu^2 T^2 | the inverse; the privacy part; that factor in the first term; mu T |
| 2310.06771 | Corollaries D.14, D.15 | for T large enough | with all constants 1, eight directions 1/k, rho = 1 they begin near 10^11 and 10^16 steps |
| 2310.06771 | Figure 2 | slopes .18, .94, 1.27, 2.03 as evidence for the theorem | they are right, but batch size 1 couples the directions and adds about .18 to the slopes on effective dimension and .25 to those on learning rate; with large batches they are .001, .77, 1.00, 1.76 |
| 2207.04686 | Algorithm 3, Lemma 3.10 | DP-STAT is 1/(2 alpha^2)-zCDP | it makes K+1 counts with noise for K: (K+1)/(2 K alpha^2). The ledger charges what is made |
| 2207.04686 | Algorithm 2, Theorem 3.6 | 1/alpha^2-zCDP for every record | the search sees s+1 records and shares one with the gradient, which pays (2K+1)/(2 K alpha^2), more; all others pay half the claim at most. The exact version shares none |
| 2207.04686 | Algorithm 2, line 7 | thresholds from B/N^200 on | 0 in double precision, and 2658 rungs at N = 10^4 whose counts drown in their noise: nothing is learned. 32 thresholds, bisected by 5 counts, instead |
| 2207.04686 | Corollary 3.8 | learning rate 1/(4d) with O(log N) steps | that rate halves the error in 2.8 d steps. The rate of Theorem 3.7 instead |
| 2207.04686 | Theorem 3.1, Corollary 3.3 | alpha = log(N/delta)/(epsilon sqrt N) | constants are dropped: .23 at N = 10^4, epsilon 1, delta 1e-6, where 1.91 is needed |
| 2207.04686 | Theorem 3.7 | N of order d | true with a constant of 200 to 400 for the repaired method; with the constants of Lemmas 3.10 and 3.11 from N = 5 x 10^7 on at best, 8 x 10^9 for the 1/N^100 of the theorem |
| 2207.04686 | Definition 2.1, (3); Corollary 3.3; Lemma A.1 | an exponential moment of at most 1; R_x^2 = d; clip with a max | at most 2, for it exceeds 1 unless x = 0; d + 2 for a Gaussian; a min |
| 2402.13531 | Figures 1, 2, 8 | the step size is left open | 1/4, as in the theorems, gives Figure 1; ten such steps end 5.6% short of least squares, which hides the law 1/n, so Figures 2 and 8 need 1/2 |
| 2402.13531 | Figure 1, text | the distance to least squares | the figure shows least squares too, so it is the distance to the truth |
| 2402.13531 | Section 3.1, Appendix B | each independent run gives its last iterate; how rho is split is left open | one rho for all gradients of all runs; a run gives the mean of its iterates after the burn-in, which is what the widths need |
| 2402.13531 | Lemma 2.6 | no clipping at a clip norm of 4 c^2 sqrt(p) times the label noise, c = 12 log^1.5(5 n T/beta) | true and empty: at n = 10,000, T = 500 that is 4.6 million times sqrt(p). 5 sqrt(p) clips a gradient in a thousand |
| 2402.13531 | Lemma 2.3, Fact A.7, (26) | D must be invertible; T^n under the sum; theta_0 times the power t | I - D must be; T^j; the power t + 1 |
| 2402.13531 | Figure 6 | private intervals beside classical ones | they are for the least-squares fit, those for the truth. Of the truth batched means of 500 gradients cover .91 at n = 10,000 and .83 at 40,000, on average over data: exact |
| 2402.13531 | Section 3.1 | batches must be long beside the autocorrelation | 12 to 18 steps over learning rate times eigenvalue, for .9445 with ten of them: exact |
| 2402.13531 | Algorithm 1 | the same noise in every step | a budget that grows over the steps has less error in the last iterate at the same rho. Correlated noise cannot help: a record takes part in every step |
| 2605.12648 | Theorem F.8 | amplification for batches of a fixed size, without replacement | false there, for a record that joins pushes another one out: one step at rate .05 and noise 1 has delta 2.8e-3 at epsilon 1, claimed 1.2e-5. True for Poisson batches, which are the default here |
| 2605.12648 | Theorem D.9 | no condition on the sampling rate | its Lemma D.7 needs rare sampling: at rate .01, 100 steps, epsilon 8 its noise gives delta 6.5e-2, not 1e-5. Refused here unless the lemma holds |
| 2605.12648 | Corollary 5.5 | private with batches of gamma sqrt(n) and sqrt(n)/gamma steps | not as printed: its noise falls like n^(-1/4) while every record joins once on average. At n = 18,000, gamma = .018, epsilon = 1 it asks for delta = 1e-6 and gives away at least .22 |
| 2605.12648 | Theorem 4.1 | widths from gamma^-4 up to a bound set by the noise | empty on every data set here: margins of .01 to .15 ask for widths of thousands to millions, the noise for less than a hundred. With the proof's constants from 10^15 |
| 2605.12648 | Appendices D and F | noise multipliers side by side | D is about replacing a record, F about zeroing its gradient: not comparable. Zero-out throughout here |
| 2406.02716 | Corollary 5.7 | sigma = c_DP L sqrt(log T ln(2.5/delta))/(epsilon B beta) | Lemma 5.6 asks for sqrt(2 (1 + ceil log T)/log T) times that: at T = 16 it spends epsilon 1.29 where it promises 1. Here the tree's sensitivity is exactly sqrt(floor(log2 T) + 1), by the exact Gaussian trade-off |
| 2406.02716 | (19), Theorem 5.8 | for all sufficiently large n | T = c_DP n^(1/4) is at most n from 589,716 records on (delta 1e-6), then with batches of one; c_DP <= n^(1/4), which bounds the noise by the ball, from 2.9e21 on; one condition of Lemma 5.5 from 3e28 on. Practical constants and clipping here |
| 2406.02716 | Theorem 5.1, Lemma 5.2 | 2 Q in the first term; no term in L times the noise; beta R^2/eta_{0:T} | (12) has 3 Q and L times noise over eta_t, which Theorem 4.1 keeps; the potential starts at 2 beta R^2 and ends with eta_{0:T-1} |
| 2406.02716 | Theorem 5.13, (31) | 3 beta times noise times R inside eta_{0:t} (...) | over eta_{0:t}, as in Theorem 5.1 |
| 2406.02716 | Algorithm 1, line 7, against (7) | step eta_t/beta; the proof steps eta_t/(2 beta) | built as printed: at beta = M, the smoothness, that is the edge of stability |
| 2406.02716 | Lemma 5.6 | a block sums from (j-1) 2^(k+1) | from (j-1) 2^k + 1; the last display of Theorem 5.8's proof has sqrt(n) for 1/sqrt(n) |
| 2406.02716 | Section 4.3 | without acceleration batches must be of order 1 | a sketch: at sqrt(n) = 128 steps of 128 records the method without acceleration is ahead, and the noise of the sum decides |
"""


def words() -> list[list[str]]:
    """The glossary as rows: word, symbol, meaning, unit."""
    return [[entry.words, f"${entry.symbol}$" if entry.symbol else "", entry.meaning, entry.unit] for entry in GLOSSARY.values()]


def letters() -> list[list[str]]:
    """For every concept that a paper has a letter for: our word, and each paper's letter in the order of `PAPERS`."""
    return [
        [f"{entry.words} ${entry.symbol}$", *(_typeset(entry.letters[key]) if key in entry.letters else "-" for key in PAPERS)]
        for entry in GLOSSARY.values()
        if entry.letters
    ]


def table(header: list[str], rows: list[list[str]]) -> str:
    """Rows of text as a markdown table."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])


def _typeset(letter: str) -> str:
    is_words = "\\" not in letter and sum(character.isalpha() for character in letter) > 3
    return letter if is_words else f"${letter}$"
