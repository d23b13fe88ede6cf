"""The architecture as a test: who imports whom, how long a file may be, what is documented, what starts without torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A room of core imports only rooms to its left; the command line of core.papers stands on all of them.
ROOMS = (
    "check names results toeplitz mechanisms privacy amplification devices problems learners theory intervals comparison "
    "simulation experiments jobs papers figures formulas guide notebook views __main__"
).split()
CORE = sorted((ROOT / "core").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]


def imports(path: Path) -> list[tuple[str, bool]]:
    """Modules that a file imports, and whether importing the file is enough to import them."""
    tree = ast.parse(path.read_text())
    at_import = {id(node) for node in _outside_functions(tree)}
    found = []
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found += [(name, id(node) in at_import) for name in names]
    return found


def _outside_functions(node: ast.AST):
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)) and "TYPE_CHECKING" not in ast.unparse(child)[:20]:
            yield child
            yield from _outside_functions(child)


def room(path: Path) -> str:
    return "__main__" if path.stem == "__main__" else path.relative_to(ROOT / "core").parts[0].removesuffix(".py")


def named(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: str(path.relative_to(ROOT)))


@named([path for path in CORE if room(path) != "__init__"])
def test_a_room_imports_only_rooms_above_it(path):
    above = ROOMS[: ROOMS.index(room(path)) + 1]
    for module, _ in imports(path):
        package, _, rest = module.partition(".")
        if package == "core":
            assert rest.split(".")[0] in above, f"{path.name} imports {module}"
        assert package != "streamlit", "core knows no user interface"
        assert package not in ("plotly", "altair") or room(path) == "figures", "only figures draws"


@named([path for path in CORE if room(path) == "figures"])
def test_figures_know_only_results_and_names(path):
    rooms = {module.split(".")[1] for module, _ in imports(path) if module.startswith("core.")}
    assert rooms <= {"check", "names", "results", "figures"}


@named(PAGES)
def test_a_page_computes_nothing(path):
    assert not {module.split(".")[0] for module, _ in imports(path)} & {"torch", "scipy", "sklearn", "altair"}
    assert len(path.read_text().splitlines()) <= (140 if path.name.startswith("_") else 80)


@named(CORE)
def test_a_file_is_one_room_with_its_public_things_documented(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 330
    tree = ast.parse(text)
    things = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_"]
    assert ast.get_docstring(tree)
    assert not [thing.name for thing in things if not ast.get_docstring(thing)]


@named(CORE + PAGES)
def test_no_bare_except_and_no_mutable_default(path):
    for node in ast.walk(ast.parse(path.read_text())):
        caught = ast.unparse(node.type) if isinstance(node, ast.ExceptHandler) and node.type else ""
        assert not isinstance(node, ast.ExceptHandler) or caught not in ("", "BaseException")
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            assert not any(isinstance(default, (ast.List, ast.Dict, ast.Set)) for default in defaults)


def test_theory_and_accounting_start_without_torch():
    code = (
        "import sys, core.comparison, core.experiments.intervals, core.intervals, core.privacy, core.theory.optimal_noise, core.papers;"
        "print([name for name in ('torch', 'streamlit', 'plotly') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
