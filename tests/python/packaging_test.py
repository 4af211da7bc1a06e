"""The package as it is installed: by CMake, by pip, and what importing it costs."""
import ast
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import holonom
import holonom._core

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("HOLONOM_BUILD")
PACKAGE = pathlib.Path(holonom.__file__).parent
TRY = "import holonom; m = holonom.Model('m'); x = m.coordinate('x'); m.mass, m.potential = 1, x**2; print(m.energy([3.0], [0.0]))"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def without_build_tree():
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def check_installed(package):
    """One library for native code, under the name it is loaded by; and nothing else than what is needed."""
    names = sorted(file.name for file in package.iterdir() if file.name != "__pycache__")
    libraries = [name for name in names if ".so." in name]
    assert len(libraries) <= 1, names
    assert {"__init__.py", "_core.pyi", "model.py", "py.typed"} <= set(names)
    module, = (name for name in names if re.fullmatch(r"_core\.cpython-.*\.so", name))
    if shutil.which("readelf") and libraries:
        shown = run("readelf", "-d", package / module)
        assert "$ORIGIN" in shown and f"[{libraries[0]}]" in shown
    assert not (package / module).is_symlink() and not any((package / name).is_symlink() for name in libraries)


@pytest.mark.skipif(not BUILD, reason="HOLONOM_BUILD does not name a build folder")
def test_cmake_installs_the_package(tmp_path):
    run("cmake", "--install", BUILD, "--component", "python", "--prefix", tmp_path)
    package, = tmp_path.glob("lib/python3.*/site-packages/holonom")
    check_installed(package)
    assert run(sys.executable, "-c", TRY, env={**os.environ, "PYTHONPATH": str(package.parent)}, cwd=tmp_path) == "9.0\n"


@pytest.mark.skipif(not BUILD, reason="HOLONOM_BUILD does not name a build folder")
def test_pip_installs_the_package(tmp_path):
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    before = run("git", "status", "--porcelain", cwd=SOURCE) if (SOURCE / ".git").exists() else ""
    environment = {**without_build_tree(), "HOLONOM_BUILD": BUILD}
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", SOURCE, env=environment)
    where = run(python, "-c", "import holonom; print(holonom.__file__)", env=without_build_tree(), cwd=tmp_path)
    package = pathlib.Path(where.strip()).parent
    assert tmp_path in package.parents
    check_installed(package)
    assert run(python, "-c", TRY, env=without_build_tree(), cwd=tmp_path) == "9.0\n"
    assert f"Version: {holonom.__version__}" in run(python, "-m", "pip", "show", "holonom", env=without_build_tree())
    if (SOURCE / ".git").exists():
        assert run("git", "status", "--porcelain", cwd=SOURCE) == before


def test_a_build_of_something_else_is_refused(tmp_path):
    (tmp_path / "CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
    done = subprocess.run([sys.executable, SOURCE / "setup.py", "-q", "build_ext"], cwd=SOURCE, capture_output=True, text=True,
                          env={**os.environ, "HOLONOM_BUILD": str(tmp_path)})
    assert done.returncode != 0 and "name another folder in HOLONOM_BUILD" in done.stderr


def test_import_is_light():
    """Nothing from outside the standard library but numpy, which is why it takes 0.04 s: a clock would measure how busy the machine is."""
    code = ("import sys, numpy; before = {name.split('.')[0] for name in sys.modules}; import holonom; "
            "print(*sorted({name.split('.')[0] for name in sys.modules} - before - set(sys.stdlib_module_names)))")
    assert run(sys.executable, "-c", code) == "holonom\n"


def stubbed(file):
    """Names of a stub: of the module, and of its classes."""
    names = {}
    for node in ast.parse((PACKAGE / file).read_text()).body:
        if isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.ClassDef):
            members = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            names[node.name] = members | {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
    return names


@pytest.mark.parametrize("module, file", [(holonom._core, "_core.pyi"), (holonom.model, "model.pyi"),
                                          (holonom.formulas, "formulas.pyi"), (holonom.vectors, "vectors.pyi")])
def test_stubs_name_what_is_there(module, file):
    stub = stubbed(file)
    for name, members in stub.items():
        real = getattr(module, name)
        public = {n for n in vars(real) if not n.startswith("_")} if members is not None else set()
        if members is not None and issubclass(real, Exception):
            continue
        missing = {n for n in (members or set()) if not hasattr(real, n)} - {"name", "count", "dim"}
        assert not missing, f"{file}: {name} has no {missing}"
        assert public <= (members or set()), f"{file}: {name} lacks {public - members}"


def test_what_is_public_is_explained():
    for name in holonom.__all__:
        thing = getattr(holonom, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    assert inspect.getdoc(value), f"{name}.{member}"
