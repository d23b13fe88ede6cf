"""A `KanSetting` as a run: `Plan.stream()` trains every lambda at once on the same batches and the same seed noise."""

from dataclasses import dataclass, field

from core import mechanisms
from core.check import require
from core.experiments.kan.noise import noise_multiplier
from core.experiments.kan.setting import SAMPLINGS, KanSetting, correlations, data_of
from core.learners import Arm
from core.learners.batches import participation
from core.learners.dp_ftrl import DpFtrlConfig
from core.names import ARMS
from core.problems.datasets import TwoClasses
from core.problems.kan import Kan
from core.simulation import Plan as SimulationPlan

SHOWN_SNAPSHOTS = 25
WATCHED, WATCHED_TRAINING = 1000, 250
"""Records held out, and trained on, that are measured at each snapshot: measuring costs as much as training."""
MOST_NUMBERS = 2**26
"""Most parameters of all networks of a run together: a quarter of a gigabyte, of which training holds several copies."""
WITHOUT_NOISE = ARMS["none"]


@dataclass(frozen=True, eq=False)
class Plan(SimulationPlan):
    """Everything that one run needs; `data` are the records behind the problem."""

    setting: KanSetting
    problem: Kan
    data: TwoClasses = field(kw_only=True)

    def arm(self, correlation: float) -> int:
        """Place of a lambda among the arms. Raises: ValueError for one that is not compared."""
        return [arm.label for arm in self.arms].index(label(correlation))


def label(correlation: float) -> str:
    """How an arm is called: "lambda 0.75", and DP-SGD at 0."""
    return f"lambda {correlation:g}" if correlation else "lambda 0: DP-SGD"


def arms_of(setting: KanSetting, n_samples: int) -> tuple[Arm, ...]:
    """Each lambda at the noise that makes it (epsilon, delta)-private, and training without noise; the latter alone
    where the setting is not private.

    Guarantees: lambda = 0 is DP-SGD; all arms spend at most the setting's epsilon at its delta.
    """
    without = Arm(WITHOUT_NOISE, mechanisms.independent(), 0.0, setting.learning_rate)
    if not setting.private:
        return (without,)
    return *(
        Arm(
            label(correlation),
            mechanisms.lambda_cgd(correlation) if correlation else mechanisms.independent(),
            noise_multiplier(setting, correlation, n_samples),
            setting.learning_rate,
        )
        for correlation in correlations(setting)
    ), without


def check_size(setting: KanSetting, data: TwoClasses | None = None) -> None:
    """Raise ValueError where the networks of a run take more than `MOST_NUMBERS` parameters together."""
    networks = setting.replicates * (len(correlations(setting)) + 1 if setting.private else 1)
    numbers = networks * setting.width * setting.n_basis * (data or data_of(setting)).features.shape[1]
    fewer = f"at most {MOST_NUMBERS:,}: take a narrower network or fewer replicates"
    require(numbers <= MOST_NUMBERS, f"parameters of {networks} networks", numbers, fewer)


def plan(setting: KanSetting, data: TwoClasses | None = None) -> Plan:
    """The run of a setting on its own data set, or on `data`. Calibrating the arms may take seconds, once.

    Raises: ValueError for a batch larger than the data set, and for networks that take more than `MOST_NUMBERS`.
    """
    data = data or data_of(setting)
    check_size(setting, data)
    watched = {"test": data.test, "watched": WATCHED, "watched_training": WATCHED_TRAINING}
    problem = Kan(data.features, data.labels, setting.width, setting.n_basis, seed=setting.seed, **watched)
    config = DpFtrlConfig(
        steps=setting.steps,
        batch_size=setting.batch_size,
        clip_norm=setting.clip_norm,
        clipping=setting.private,
        replicates=setting.replicates,
        seed=setting.seed,
        device=setting.device,
        record_every=max(1, setting.steps // SHOWN_SNAPSHOTS),
        sampling=SAMPLINGS[setting.sampling],
    )
    participation(problem, config)  # a batch that is too large is told as such, before it is charged
    return Plan(setting, problem, arms_of(setting, problem.n_samples), config, data=data)
