"""Reads a page that holonom made: its description, and its numbers."""

import base64
import json
import re
import zlib

import numpy

TYPES = {"f64": numpy.float64, "f32": numpy.float32, "u32": numpy.uint32, "u16": numpy.uint16}


class Page:
    def __init__(self, path):
        self.html = path.read_text(encoding="utf-8")
        self.head = json.loads(self.element("head"))
        packed = base64.b64decode(self.element("data"))
        self.arrays = {}
        for array in self.head["arrays"]:
            self.arrays[array["name"]] = self.unpack(zlib.decompress(packed[: array["bytes"]]), array)
            packed = packed[array["bytes"] :]
        assert not packed

    def element(self, name):
        found = re.findall(rf'<script type="application/[^"]*" id="{name}">([^<]*)</script>', self.html)
        assert len(found) == 1, f"{len(found)} elements of the name {name}"
        return found[0]

    @staticmethod
    def unpack(planes, array):
        dtype = numpy.dtype(TYPES[array["type"]])
        count, stride = array["count"], array["stride"]
        words = numpy.frombuffer(planes, numpy.uint8).reshape(dtype.itemsize, count).T.copy()
        words = words.view(f"<u{dtype.itemsize}").ravel()
        for _ in range(array["differences"]):
            for i in range(stride, count if stride else 0, stride or 1):
                end = min(i + stride, count)
                words[i:end] += words[i - stride : end - stride]
        if array["type"] != "u16":
            return words.view(dtype)
        numbers = array["least"] + words / 65534 * (array["largest"] - array["least"])
        numbers[words == 65535] = numpy.nan
        return numbers

    # ---- of a run
    def series(self, name):
        names = [s["name"] for s in self.head["series"]]
        rows = self.head["rows"]
        k = names.index(name)
        return self.arrays["series"][k * rows : (k + 1) * rows]

    def points(self):
        return self.arrays["points"].reshape(self.head["rows"], self.head["stage"]["points"], 3)

    def bodies(self):
        return self.arrays["bodies"].reshape(self.head["rows"], len(self.head["stage"]["bodies"]), 7)

    def links(self):
        return sorted(tuple(sorted(map(int, link))) for link in self.arrays["links"].reshape(-1, 2))

    def surface(self, k=0):
        return self.arrays[f"surface {k}"].reshape(-1, 3), self.arrays[f"triangles {k}"].reshape(-1, 3)
