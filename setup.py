"""Builds the Python package with CMake, without a network: the module comes from a build folder.

HOLONOM_BUILD       the build folder; by default build/ if it is one of this source, for this Python, or else build/pip
HOLONOM_CMAKE_ARGS  what is added to CMake's command line if the folder is a new one
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent


def cached(build, variable):
    """A variable of a build folder, or nothing."""
    cache = build / "CMakeCache.txt"
    found = cache.is_file() and re.search(rf"^{variable}:\w+=(.*)$", cache.read_text(), re.M)
    return found.group(1) if found else None


def is_usable(build):
    """Whether a build folder is one of this source and makes modules that this Python can load."""
    of_this_source = cached(build, "CMAKE_HOME_DIRECTORY")
    return (of_this_source is not None and Path(of_this_source) == SOURCE
            and sysconfig.get_config_var("SOABI") in (cached(build, "_Python_INTERPRETER_PROPERTIES") or "").split(";"))


def build_folder():
    if "HOLONOM_BUILD" in os.environ:
        return Path(os.environ["HOLONOM_BUILD"]).resolve()
    return SOURCE / "build" if is_usable(SOURCE / "build") else SOURCE / "build" / "pip"


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = build_folder()
        if cached(build, "CMAKE_HOME_DIRECTORY") is None:
            build.mkdir(parents=True, exist_ok=True)
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.check_call(["cmake", "-S", SOURCE, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release",
                                   "-DHOLONOM_TESTS=OFF", "-DHOLONOM_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
                                   *shlex.split(os.environ.get("HOLONOM_CMAKE_ARGS", ""))])
        elif not is_usable(build):
            raise SystemExit(f"{build} is no build of {SOURCE} for {sys.executable}: name another folder in HOLONOM_BUILD")
        subprocess.check_call(["cmake", "--build", build, "--target", "holonom_python", "--parallel"])
        target = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.check_call(["cmake", "--install", build, "--component", "python", "--prefix", prefix, "--strip"])
            for file in Path(prefix).rglob("*.so*"):
                shutil.copy2(file, target)


version = re.search(r"project\(holonom VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
# What setuptools writes on the way is kept out of the source, and out of CMake's folder, which is called build as well.
scratch = tempfile.TemporaryDirectory()
setup(version=version, ext_modules=[Extension("holonom._core", [])], cmdclass={"build_ext": CMakeBuild},
      options={"build": {"build_base": scratch.name}, "egg_info": {"egg_base": scratch.name}})
