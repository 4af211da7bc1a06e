"""A live page as a viewer sees it: the address that `run --live` prints, its head, and its stream of frames."""

import http.client
import json
import os
import re
import struct
import subprocess
import urllib.parse

from support import PROGRAM


class LiveRun:
    """A program that runs a model with --live, and is stopped in the end."""

    def __init__(self, folder, *arguments, **environment):
        self.process = subprocess.Popen([PROGRAM, "run", *map(str, arguments), "--live"], cwd=folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, encoding="utf-8", env={**os.environ, **environment})
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"live at (http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/)$", line.strip()):
                self.address, self.port, self.token = found[1], int(found[2]), found[3]
                return
        raise AssertionError(f"no address was printed: {self.said}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def ask(self, path=None, method="GET", timeout=60, **headers):
        """A request; where a header is None, it is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.putrequest(method, urllib.parse.urlsplit(self.address).path if path is None else path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{self.port}", **headers}.items():
            if value is not None:
                connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        return connection.getresponse()

    def head(self):
        """What the page says of the run"""
        response = self.ask()
        assert response.status == 200
        return json.loads(re.search(r'id="head">([^<]*)</script>', response.read().decode())[1])

    def frames(self):
        return self.frames_of(self.head())

    def frames_of(self, head):
        return Frames(self.ask(f"/{self.token}/rows"), head)

    def wait(self, timeout=120):
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, self.said + err


class Frames:
    """The frames of a stream, as the page has them."""

    def __init__(self, response, head):
        self.response, self.head = response, head
        self.rows, self.times, self.stride, self.end = [], [], 1, None
        self.columns = len(head["series"])
        self.places = 3 * head["stage"]["points"] + 7 * len(head["stage"]["bodies"])
        self.values = []

    def read_message(self):
        kind, size = struct.unpack("<II", self.response.read(8))
        payload = self.response.read(size)
        if kind == 2:
            self.end = json.loads(payload)
            return
        stride, count = struct.unpack_from("<dd", payload)
        if stride > self.stride:
            self.values = [v for v in self.values if v[0] % stride == 0]
            self.stride = stride
        offset = 16
        for _ in range(int(count)):
            self.values.append((*struct.unpack_from(f"<{1 + self.columns}d", payload, offset),
                                struct.unpack_from(f"<{self.places}f", payload, offset + 8 * (1 + self.columns))))
            offset += 8 * (1 + self.columns) + 4 * (self.places + self.places % 2)
        assert offset == size

    def read_to_end(self):
        while self.end is None:
            self.read_message()
        assert self.response.read() == b""
        return self

    def column(self, name):
        index = [s["name"] for s in self.head["series"]].index(name)
        return [v[1 + index] for v in self.values]

    def row_numbers(self):
        return [int(v[0]) for v in self.values]
