#!/usr/bin/env python3
"""Runs the Python on the pages of docs/python, and keeps the pictures that it makes beside them.

    scripts/figures.py PYTHON BUILD      PYTHON: one that the package in BUILD is built for
"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from python_session import PythonSession


def main():
    interpreter, build = sys.argv[1:]
    for page in sorted((ROOT / "docs" / "python").glob("*.md")):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "models").symlink_to(ROOT / "models")
            session = PythonSession(interpreter, folder, pathlib.Path(build).resolve() / "python")
            for k, text in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)):
                print(session.run(text, f"{page.name}, block {k + 1}"), end="")
            session.end()
            for picture in folder.glob("*.png"):
                shutil.copy(picture, page.parent)
                print(picture.name)


if __name__ == "__main__":
    main()
