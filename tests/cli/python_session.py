"""Blocks of Python on a page of documentation, run one after the other in one process, as a reader would."""

import json
import os
import subprocess

WORKER = """
import contextlib, io, json, sys, traceback
answers, sys.stdout = sys.stdout, sys.stderr
names = {"__name__": "__main__"}
for line in sys.stdin:
    text, place = json.loads(line)
    out, error = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(text, place, "exec"), names)
    except BaseException:
        error = traceback.format_exc()
    print(json.dumps([out.getvalue(), error]), file=answers, flush=True)
"""


class PythonSession:
    """A Python that has not been started until it is needed. Pictures are made without a screen."""

    def __init__(self, interpreter, folder, package):
        self.interpreter, self.folder = interpreter, folder
        self.environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "Agg"}
        self.process = None

    def run(self, text, place):
        """What the block prints. Raises AssertionError, with the traceback, if it fails."""
        if self.process is None:
            self.process = subprocess.Popen([self.interpreter, "-B", "-c", WORKER], cwd=self.folder, env=self.environment, text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        print(json.dumps([text, place]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise AssertionError(f"{place}: Python ended with exit code {self.process.wait()}")
        printed, error = json.loads(answer)
        if error:
            raise AssertionError(f"{place}:\n{printed}{error}")
        return printed

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            self.process = None
