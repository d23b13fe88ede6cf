"""What a noise multiplier under Poisson subsampling costs to find, with nothing remembered. Prints, never gates."""

import tempfile
import time
from pathlib import Path

from core.amplification import cache, calibrate, independent, spectral

SETTINGS = {  # correlation, sampling_rate, steps, epsilon, delta
    "few participations": (0.75, 1 / 150, 300, 1.0, 1e-5),
    "many participations": (0.7, 0.05, 400, 2.0, 1e-5),
}


def seconds(arguments: tuple, method: str) -> float:
    for remembered in (independent.loss_distribution, independent.independent_calibrate, spectral.spectral_norm):
        remembered.cache_clear()
    start = time.perf_counter()
    calibrate(*arguments, method=method)
    return time.perf_counter() - start


def main() -> None:
    import dp_accounting  # noqa: F401  (the import, once a process, is not what is measured)

    with tempfile.TemporaryDirectory() as folder:
        cache.FOLDER = Path(folder)
        for words, arguments in SETTINGS.items():
            proved, certified = (seconds(arguments, method) for method in ("spectral", "tight"))
            print(f"{words:<20} spectral {1e3 * proved:5.0f} ms  (goal 100 ms)   tight {certified:5.1f} s  (goal 10 s on 2 cores)")


if __name__ == "__main__":
    main()
