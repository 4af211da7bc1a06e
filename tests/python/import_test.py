"""The package as it is imported, and as type checkers see it."""
import ast
import builtins
import inspect
import pathlib
import sys

import pytest

import holonom

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
PACKAGE = ROOT / "python" / "holonom"
STUBS = sorted(file.stem for file in PACKAGE.glob("*.pyi") if file.stem != "_core")


def test_a_model_is_read():
    model = holonom.load_model(str(MODELS / "pendulum.toml"))
    assert (model.n, model.m) == (2, 1)


# ---- stubs

def parameters(function):
    """Names, kinds, and whether there is a default."""
    a = function.args
    plain = [*a.posonlyargs, *a.args]
    optional = [False]*(len(plain) - len(a.defaults)) + [True]*len(a.defaults)
    return ([(x.arg, default) for x, default in zip(plain, optional)], a.vararg and a.vararg.arg,
            [(x.arg, default is not None) for x, default in zip(a.kwonlyargs, a.kw_defaults)], a.kwarg and a.kwarg.arg)


def members(body):
    """Functions by name (an overloaded one with any of its forms, a property with its setter), and names of what else is there."""
    functions, others = {}, set()
    for node in body:
        if isinstance(node, ast.FunctionDef):
            decorators = {d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in node.decorator_list}
            kind = next((word for word in ("setter", "property", "classmethod") if word in decorators), "")
            functions.setdefault(node.name, set()).add((kind, repr(parameters(node))))
        elif isinstance(node, ast.ClassDef):
            others.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            others |= {t.id for t in targets if isinstance(t, ast.Name)}
    return functions, others


def is_said(name):
    """Private names are not; of those of Python, what changes how a class is called and used is."""
    return not name.startswith("_") or name in ("__init__", "__len__", "__getitem__", "__iter__", "__contains__", "__enter__", "__exit__")


def lacking(module, stub, where):
    """What a module or a class has and its stub has not, or has with other parameters."""
    functions, others = members(module.body)
    stubbed, stubbed_others = members(stub.body)
    for name, forms in functions.items():
        if not is_said(name) or (name == "__init__" and where.endswith("Ensemble")):  # made by ensemble() alone
            continue
        if name in stubbed_others and {kind for kind, _ in forms} <= {"property", "setter"}:
            continue
        if stubbed.get(name) != forms:
            yield f"{where}.{name}: {sorted(forms)}, not {sorted(stubbed.get(name, []))}"
    yield from (f"{where}.{name} is not in the module" for name in stubbed if name not in functions and name not in others)
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for node in module.body:
        if isinstance(node, ast.ClassDef) and (is_said(node.name) or node.name in classes):
            if node.name not in classes:
                yield f"{where}.{node.name}: there is no such class"
            else:
                yield from lacking(node, classes[node.name], f"{where}.{node.name}")


def parsed(file):
    return ast.parse((PACKAGE / file).read_text())


@pytest.mark.parametrize("name", STUBS)
def test_stubs_have_all_names_and_parameters(name):
    assert not list(lacking(parsed(f"{name}.py"), parsed(f"{name}.pyi"), name))


def test_what_is_public_has_a_stub():
    for name in holonom.__all__:
        home = getattr(holonom, name).__module__.removeprefix("holonom").lstrip(".") or "_core"
        names = members(parsed(f"{home}.pyi").body)
        assert name in names[0] or name in names[1], name
    assert set(STUBS) >= {"analysis", "ensemble", "formulas", "model", "options", "pages", "simulation", "tables", "trajectory", "vectors"}


@pytest.mark.parametrize("name", [*STUBS, "_core"])
def test_stubs_use_names_that_they_know(name):
    stub = parsed(f"{name}.pyi")
    known = set(vars(builtins)) | set().union(*members(stub.body))
    for node in stub.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            known |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            home = f"{node.module}.pyi" if isinstance(node, ast.ImportFrom) and node.level and node.module else None
            if home:
                assert {alias.name for alias in node.names} <= set().union(*members(parsed(home).body)), home
    used = {node.id for node in ast.walk(stub) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assert used - known <= {node.name for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)}, used - known  # of setters


def test_stubs_have_all_options():
    options = {node.name: members(node.body)[1] for node in parsed("options.pyi").body if isinstance(node, ast.ClassDef)}
    there = set(inspect.signature(sys.modules["holonom.options"].run_options).parameters) - {"method", "step"}
    assert options["RunOptions"] == there
    assert options["EnsembleOptions"] == there - {"every", "threads"}  # which ensemble() has itself


@pytest.mark.parametrize("change", [
    lambda text: text.replace("def step(self, n: int = 1)", "def step(self, k: int = 1)"),
    lambda text: text.replace("def close(self)", "def closed(self)"),
    lambda text: text.replace("class StepFailed(", "class StepFails("), lambda text: text.replace("n: int = 1", "n: int"),
    lambda text: text.replace("    @q.setter\n    def q(self, values: ArrayLike) -> None: ...\n", "")])
def test_what_a_stub_lacks_is_seen(change):
    text = (PACKAGE / "simulation.pyi").read_text()
    assert change(text) != text
    assert list(lacking(parsed("simulation.py"), ast.parse(change(text)), "simulation"))
