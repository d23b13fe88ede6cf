"""One private step of the KAN against its peers, and lambdas x replicates batched against a loop. Prints, never gates.

Peers: `vmap(grad)` of torch.func, and where `opacus` can be imported (requirements-peers.txt) its hooks, which hold
every per-example gradient, and its ghost clipping, which runs backward twice. They train the same network on the same
cached spline features; autograd differentiates the outer splines, once as KANs are commonly written (Cox and de Boor's
recursion) and once with our piecewise cubics lent to them, which leaves the clipping alone to compare. Before any clock
starts all must give the same clipped sum. A step: forward and backward, clipped sum, noise, update; who joins the batch
is drawn outside of it. Ours adds lambda-correlated noise, the peers independent noise.
"""

import importlib.util
import statistics
import time
import warnings
from collections.abc import Callable, Hashable

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import grad, vmap
from torch.nn.functional import softplus

from core import devices, mechanisms
from core.learners import Arm
from core.learners.batches import Poisson
from core.learners.clipping import clipped_sum
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.problems import Batch
from core.problems.kan import Kan

WIDTHS = (64, 512)
BATCH_SIZE, DIM, N_BASIS, RECORDS = 256, 20, 8, 4096
CLIP_NORM = 0.55  # three of five gradients are longer
NOISE_MULTIPLIER, LEARNING_RATE, CORRELATION = 1.0, 0.1, 0.75
ROUNDS = 15
GOALS = {"Opacus hooks": 20, "Opacus ghost clipping": 5, "vmap(grad)": 15}  # at the largest width
LAMBDAS, REPLICATES = (0.0, 0.25, 0.5, 0.65, 0.75, 0.9, 0.99), 5
BATCHED_SIZES = ((16, 32), (64, 120), (64, 256), (512, 256))  # width, batch_size
STEPS, BATCHED_ROUNDS, BATCHED_GOAL = 10, 5, 3
WITH_OPACUS = importlib.util.find_spec("opacus") is not None

ClippedSum = Callable[[], Tensor]  # (width, features)
Step = Callable[[], object]
Outer = Callable[[Tensor], Tensor]


def kan(width: int) -> Kan:
    """The network on records drawn from the unit ball, labelled by a ring around its middle."""
    rng = np.random.default_rng(0)
    directions = rng.standard_normal((RECORDS, DIM))
    lengths = rng.uniform(size=(RECORDS, 1))
    features = directions / np.linalg.norm(directions, axis=1, keepdims=True) * lengths
    labels = np.where(lengths[:, 0] > 0.5, 1.0, -1.0)
    problem = Kan(features, labels, width, N_BASIS, second_layer=second_layer(width), watched=1, watched_training=1)
    return problem.to(devices.resolve("auto"))


def second_layer(width: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((width, N_BASIS))


def medians(contestants: dict[Hashable, Step], rounds: int) -> dict[Hashable, float]:
    """Median seconds of one call of each, measured in turns so that a busy moment hits all of them."""
    finish = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    times = {name: [] for name in contestants}
    for attempt in range(rounds + 1):
        for name, step in contestants.items():
            finish()
            start = time.perf_counter()
            step()
            finish()
            if attempt > 0:  # the first round warms up
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def cox_de_boor(problem: Kan) -> Outer:
    """The outer splines sum_k c_jk b_k(z_j) of hidden units (..., width), by the recursion for all b_k."""
    splines, options = problem.splines, {"dtype": problem.dtype, "device": problem.start.device}
    coefficients = torch.tensor(second_layer(problem.outputs), **options)
    gap = 2 / splines.pieces
    knots = torch.arange(-splines.degree, splines.pieces + splines.degree + 1, **options) * gap - 1

    def outer(hidden: Tensor) -> Tensor:
        z = hidden[..., None]
        basis = ((z >= knots[:-1]) & (z < knots[1:])).to(z.dtype)
        for n in range(1, splines.degree + 1):
            rising, falling = (z - knots[: -n - 1]) / (n * gap), (knots[n + 1 :] - z) / (n * gap)
            basis = rising * basis[..., :-1] + falling * basis[..., 1:]
        return (basis * coefficients).sum(-1)

    return outer


def piecewise(problem: Kan) -> Outer:
    """The same splines as cubics between knots, in operations that `vmap` knows."""
    pieces, units = problem.splines.pieces, torch.arange(problem.outputs, device=problem.start.device)
    polynomials = problem.splines.polynomials(torch.tensor(second_layer(problem.outputs))).to(problem.start).flip(0)

    def outer(hidden: Tensor) -> Tensor:
        scaled = (hidden + 1) * (pieces / 2)
        piece = scaled.detach().long().clamp(0, pieces - 1)
        value, *lower_powers = polynomials[:, units, piece]
        for lower in lower_powers:
            value = torch.addcmul(lower, value, scaled - piece)
        return value

    return outer


OUTERS = {"Cox-de Boor": cox_de_boor, "our piecewise cubics": piecewise}


def score(problem: Kan, outer: Outer, pre_activations: Tensor) -> Tensor:
    """f (...) from theta h (..., width): what the peers leave to autograd."""
    return outer(torch.tanh(pre_activations * problem.dim**-0.5)).sum(-1) * problem.outputs**-0.5


def ours(problem: Kan, batch: Batch) -> tuple[ClippedSum, Step]:
    """The step of `core.learners.dp_ftrl` for one arm and one replicate, without what it only watches."""
    device = problem.start.device
    theta = problem.start.expand(1, 1, -1, -1).clone()
    batch = Batch(batch.features[None], batch.labels[None])
    source = torch.Generator(device).manual_seed(1)
    noise = mechanisms.lambda_cgd(CORRELATION).stream(theta.shape, source, dtype=problem.dtype, device=device)

    def total() -> Tensor:
        return clipped_sum(*problem.factors(theta, batch), CLIP_NORM)[0]

    def step() -> None:
        nonlocal theta
        theta = theta - LEARNING_RATE / BATCH_SIZE * (total() + CLIP_NORM * NOISE_MULTIPLIER * next(noise))

    return lambda: total()[0, 0], torch.no_grad()(step)


def by_vmap(problem: Kan, outer: Outer, batch: Batch) -> tuple[ClippedSum, Step]:
    """Per-example gradients by `vmap(grad)`, all held at once."""
    theta = problem.start.clone()
    source = torch.Generator(theta.device).manual_seed(1)

    def loss(theta: Tensor, features: Tensor, label: Tensor) -> Tensor:
        return softplus(-label * score(problem, outer, theta @ features))

    gradients = vmap(grad(loss), in_dims=(None, 0, 0))

    def total() -> Tensor:
        each = gradients(theta, batch.features, batch.labels)
        scale = (CLIP_NORM / torch.linalg.vector_norm(each, dim=(1, 2))).clamp(max=1.0)
        return torch.einsum("b,bof->of", scale, each)

    def step() -> None:
        nonlocal theta
        noise = torch.randn(theta.shape, generator=source, dtype=theta.dtype, device=theta.device)
        theta = theta - LEARNING_RATE / BATCH_SIZE * (total() + CLIP_NORM * NOISE_MULTIPLIER * noise)

    return total, step


class Network(nn.Module):
    """The KAN as Opacus takes it: spline features, one linear layer to train, and the fixed outer splines."""

    def __init__(self, problem: Kan, outer: Outer) -> None:
        super().__init__()
        self.inner = nn.Linear(problem.features, problem.outputs, bias=False, device=problem.start.device)
        self.inner.weight.data.copy_(problem.start)
        self.problem, self.outer = problem, outer

    def forward(self, features: Tensor) -> Tensor:
        return score(self.problem, self.outer, self.inner(features))


def by_opacus(problem: Kan, outer: Outer, batch: Batch, ghost: bool) -> tuple[ClippedSum, Step]:
    """The step of Opacus 1.6, put together from the parts that its PrivacyEngine puts together."""
    from opacus.grad_sample import GradSampleModule, GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    options = {
        "noise_multiplier": NOISE_MULTIPLIER,
        "max_grad_norm": CLIP_NORM,
        "expected_batch_size": BATCH_SIZE,
        "generator": torch.Generator(problem.start.device).manual_seed(1),
    }
    network = Network(problem, outer)
    weight = network.inner.weight
    sgd = torch.optim.SGD(network.parameters(), lr=LEARNING_RATE)
    if ghost:
        module = GradSampleModuleFastGradientClipping(network, max_grad_norm=CLIP_NORM, use_ghost_clipping=True)
        optimizer = DPOptimizerFastGradientClipping(sgd, **options)
        criterion = DPLossFastGradientClipping(module, optimizer, nn.SoftMarginLoss())
    else:
        module, criterion = GradSampleModule(network), nn.SoftMarginLoss()
        optimizer = DPOptimizer(sgd, **options)

    def backward() -> None:
        optimizer.zero_grad()
        criterion(module(batch.features), batch.labels).backward()

    def total() -> Tensor:
        backward()
        if ghost:
            return weight.grad
        optimizer.clip_and_accumulate()
        return weight.summed_grad

    def step() -> None:
        backward()
        optimizer.step()

    return total, step


def check_alike(sums: dict[Hashable, ClippedSum]) -> None:
    """All clipped sums within float tolerance of ours; Opacus adds 1e-6 to every norm, hence not closer."""
    expected, *others = ((name, total().detach()) for name, total in sums.items())
    for name, total in others:
        error = float((total - expected[1]).norm() / expected[1].norm())
        assert error < 1e-4, f"{name}: its clipped sum differs from ours by {error:.1e} of its length"


def against_peers(width: int) -> None:
    problem = kan(width)
    batch = problem.batch(torch.arange(BATCH_SIZE, device=problem.start.device))
    contestants = {("ours", ""): ours(problem, batch)}
    for splines, build in OUTERS.items():
        outer = build(problem)
        contestants["vmap(grad)", splines] = by_vmap(problem, outer, batch)
        if WITH_OPACUS:
            contestants["Opacus hooks", splines] = by_opacus(problem, outer, batch, ghost=False)
            contestants["Opacus ghost clipping", splines] = by_opacus(problem, outer, batch, ghost=True)
    check_alike({name: total for name, (total, _) in contestants.items()})
    seconds = medians({name: step for name, (_, step) in contestants.items()}, ROUNDS)
    own = seconds.pop(("ours", ""))
    print(f"width {width}: {1e3 * own:.2f} ms a step; all give the same clipped sum")
    for (name, splines), theirs in seconds.items():
        goal = f"  (goal at least {GOALS[name]}x)" if width == max(WIDTHS) else ""
        print(f"  {name:<22} {'outer splines by ' + splines:<38} {1e3 * theirs:8.2f} ms {theirs / own:7.1f}x{goal}")


def training(problem: Kan, lambdas: tuple[float, ...], batch_size: int, replicates: int) -> Step:
    """STEPS steps of `dp_ftrl` on one call; what happens once a run, before its first step, is left out."""
    arms = [Arm(f"{value:g}", mechanisms.lambda_cgd(value), NOISE_MULTIPLIER, LEARNING_RATE) for value in lambdas]
    steps = STEPS * (BATCHED_ROUNDS + 1)
    options = {"clip_norm": CLIP_NORM, "record_every": STEPS, "sampling": Poisson()}
    config = DpFtrlConfig(steps, batch_size, replicates=replicates, **options)
    run = dp_ftrl(problem, arms, config)
    next(run)
    return lambda: next(run)


def matmuls(problem: Kan, batch_size: int) -> Step:
    """The two matrix products of a step, for all lambdas and replicates, and nothing else; STEPS of them on a call."""
    theta = problem.start.expand(len(LAMBDAS), REPLICATES, -1, -1).contiguous()
    h = torch.randn(REPLICATES, batch_size, problem.features, device=theta.device)
    a = torch.randn(len(LAMBDAS), REPLICATES, batch_size, problem.outputs, device=theta.device)

    def products() -> None:
        for _ in range(STEPS):
            torch.matmul(h, theta.mT)
            torch.einsum("arbo,rbf->arof", a, h)

    return products


def batched(width: int, batch_size: int) -> None:
    problem = kan(width)
    single = [training(problem, (value,), batch_size, replicates=1) for value in LAMBDAS]
    runs = {
        "together": training(problem, LAMBDAS, batch_size, REPLICATES),
        "one by one": lambda: [step() for step in single],
        "matmuls": matmuls(problem, batch_size),
    }
    seconds = {name: total / STEPS for name, total in medians(runs, BATCHED_ROUNDS).items()}
    together = seconds["together"]
    ratio, products = REPLICATES * seconds["one by one"] / together, together / seconds["matmuls"]
    print(f"{width:>6} {batch_size:>6} {1e3 * together:>10.2f} {ratio:>20.1f}x {products:>24.1f}x")


def main() -> None:
    devices.use_one_thread()
    warnings.filterwarnings("ignore", message="Full backward hook is firing")
    print(f"one private step, B={BATCH_SIZE}, d={DIM}, p={N_BASIS}, on {devices.describe('auto')}, one thread")
    for width in WIDTHS:
        against_peers(width)
    if not WITH_OPACUS:
        print("Opacus is not installed: pip install -r requirements-peers.txt adds it")
    runs = f"{len(LAMBDAS)} lambdas x {REPLICATES} replicates"
    print(f"\n{runs} trained together, Poisson batches included; medians of {BATCHED_ROUNDS} x {STEPS} steps")
    print(f"{'width':>6} {'batch':>6} {'ms a step':>10} {'gain over a loop':>21} {'against its two matmuls':>25}")
    for width, batch_size in BATCHED_SIZES:
        batched(width, batch_size)
    print(f"(goal: at least {BATCHED_GOAL}x a loop over runs)")


if __name__ == "__main__":
    main()
