"""Noise multipliers by the tight accountant: those of the presets at once from a table, any other in seconds.

`python -m core.experiments.kan.known` computes the table again.
"""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from core import amplification
from core.experiments.kan.presets import presets
from core.experiments.kan.setting import KanSetting, correlations, data_of
from core.problems.datasets import DATASETS

TABLE = Path(__file__).parent / "known.json"
SHOWN = (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)
"""Lambdas that are in the table for the default setting."""
MOVES = {
    "epsilon": (0.5, 2.0, 4.0, 8.0),
    "batch_size": (60, 250),
    "steps": (200, 400),
    "dataset": tuple(DATASETS),
}
"""What a viewer is likely to change first, one at a time: the values that are in the table."""

Arguments = tuple[float, float, int, float, float]


@lru_cache(maxsize=512)
def tight(correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float) -> float:
    """Noise multiplier by `core.amplification.calibrate(..., method="tight")`, from the table where that has it.

    Guarantees: only the very same arguments are looked up, to the last bit.
    """
    arguments = (float(correlation), float(sampling_rate), int(steps), float(epsilon), float(delta))
    known = _table().get(_key(arguments))
    return amplification.calibrate(*arguments, method="tight") if known is None else known


def in_table(correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float) -> bool:
    """Whether `tight` looks this noise multiplier up."""
    return _key((float(correlation), float(sampling_rate), int(steps), float(epsilon), float(delta))) in _table()


def arguments_known() -> tuple[Arguments, ...]:
    """What the presets need, the default setting one move away (`MOVES`), and the default setting at other lambdas."""
    default = KanSetting()
    settings = [preset.setting for preset in presets().values() if preset.setting.private]
    settings += [replace(default, **{field: value}) for field, values in MOVES.items() for value in values]
    needed = [(setting, value) for setting in settings for value in correlations(setting)]
    needed += [(default, value) for value in SHOWN]
    found = (
        (value, setting.batch_size / len(data_of(setting).labels), setting.steps, setting.epsilon, setting.delta)
        for setting, value in needed
    )
    return tuple(dict.fromkeys(found))


def _key(arguments: Arguments) -> str:
    return " ".join(map(repr, arguments))


@lru_cache(maxsize=1)
def _table() -> dict[str, float]:
    return json.loads(TABLE.read_text())


if __name__ == "__main__":
    numbers = {_key(each): amplification.calibrate(*each, method="tight") for each in arguments_known()}
    TABLE.write_text(json.dumps(numbers, indent=0) + "\n")
