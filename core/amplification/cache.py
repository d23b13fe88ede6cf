"""Results kept on disk by their arguments: one small JSON file each, in the folder `.cache` beside `core`."""

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".cache" / "amplification"


def remembered(key: tuple[str | float | int, ...], compute: Callable[[], float]) -> float:
    """`compute()`, or what it gave when last asked with this key.

    Guarantees: a file that is damaged, unreadable or about another key is computed anew; a file appears whole or not at
    all; a folder that cannot be written to costs nothing but the time.
    """
    file = FOLDER / (hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32] + ".json")
    value = _read(file, key)
    if value is None:
        value = compute()
        _write(file, {"key": key, "value": value})
    return value


def _read(file: Path, key: tuple) -> float | None:
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    known = isinstance(found, dict) and found.get("key") == list(key)
    value = found.get("value") if known else None
    return value if isinstance(value, float) and math.isfinite(value) else None


def _write(file: Path, content: dict) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=file.parent, suffix=".draft")
        with os.fdopen(handle, "w") as draft_file:
            json.dump(content, draft_file)
        os.replace(draft, file)
    except OSError:
        return  # only time is lost
