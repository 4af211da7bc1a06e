"""run --live: who is let in, what viewers get, and that the run does not care. What a browser makes of it is tested in tests/view."""

import json
import os
import signal
import socket
import struct
import time
import unittest

from live_page import LiveRun
from support import MODELS, CliTest, pendulum

PENDULUM = MODELS / "pendulum.toml"
ENDLESS = ["--steps", 10**12, "--every", 1000]
SECONDS = ["--steps", 2_000_000, "--every", 1000]  # some two seconds


class LiveTest(CliTest):
    def live(self, *arguments, **environment):
        run = LiveRun(self.folder, *arguments, **environment)
        self.addCleanup(run.__exit__)
        return run


class Door(LiveTest):
    def setUp(self):
        super().setUp()
        self.run_ = self.live(PENDULUM, *ENDLESS)
        self.paths = [f"/{self.run_.token}/", f"/{self.run_.token}/rows"]

    def assert_nothing(self, status, path, **request):
        response = self.run_.ask(path, **request)
        self.assertEqual((response.status, response.read()), (status, b""), (path, request))

    def test_the_page_comes_with_headers_that_keep_it_to_itself(self):
        response = self.run_.ask()
        self.assertEqual(response.status, 200)
        body, headers = response.read().decode(), {k.lower(): v for k, v in response.getheaders()}
        self.assertIn("<title>pendulum</title>", body)
        self.assertEqual(headers["content-type"], "text/html; charset=utf-8")
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        self.assertEqual((policy["default-src"], policy["connect-src"], policy["frame-ancestors"]), ("'none'", "'self'", "'none'"))
        self.assertRegex(policy["script-src"], r"^'sha256-[^' ]+'$")
        for name, value in {"x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
                            "cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin",
                            "cache-control": "no-store"}.items():
            self.assertEqual(headers[name], value)
        self.assertEqual([name for name in headers if name.startswith("access-control")], [])

    def test_without_the_token_there_is_nothing(self):
        token = self.run_.token
        other = ("0" if token[0] != "0" else "1") + token[1:]
        for path in ("/", "", "/rows", "/index.html", f"/{other}/", f"/{other}/rows", f"/{token[:-1]}/", f"/{token[:-1]}", f"//{token}/",
                     f"/x{token}/", f"/{token.upper() if token.upper() != token else other}/", f"/?token={token}"):
            self.assert_nothing(403, path or "*")
        for path in (f"/{token}", f"/{token}x/", f"/{token}/rows/", f"/{token}/../", f"/{token}/etc/passwd"):
            self.assert_nothing(404, path)

    def test_names_of_others_get_nothing(self):
        port = self.run_.port
        for path in self.paths:
            for host in (f"evil.example:{port}", "evil.example", f"127.0.0.1.evil.example:{port}", f"localhost.evil.example:{port}",
                         f"0.0.0.0:{port}", "", None, f"127.0.0.1:{port}@evil.example", f"[::1]:{port}"):
                self.assert_nothing(403, path, Host=host)
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", "localhost:8080", "localhost"):
            self.assertEqual(self.run_.ask(Host=host).status, 200, host)

    def test_pages_of_others_get_nothing(self):
        port = self.run_.port
        for path in self.paths:
            for origin in ("http://evil.example", "null", f"http://localhost:{port}", f"http://127.0.0.1:{port + 1}",
                           f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port}/", ""):
                self.assert_nothing(403, path, Origin=origin)
            for site in ("cross-site", "same-site", "", "None"):
                self.assert_nothing(403, path, Sec_Fetch_Site=site)
        for headers in ({"Origin": f"http://127.0.0.1:{port}"}, {"Sec_Fetch_Site": "same-origin"}, {"Sec_Fetch_Site": "none"}):
            self.assertEqual(self.run_.ask(**headers).status, 200, headers)

    def test_it_can_only_be_read(self):
        for path in self.paths:
            for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "HEAD", "TRACE"):
                response = self.run_.ask(path, method=method)
                self.assertEqual((response.status, response.read(), response.getheader("Allow")), (405, b"", "GET"), method)

    def test_what_is_no_request_is_dropped(self):
        for nonsense in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nHost: " + b"x" * 100000 + b"\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.run_.port), timeout=30) as connection:
                connection.sendall(nonsense)
                try:
                    self.assertEqual(connection.recv(100), b"")
                except ConnectionResetError:
                    pass
        self.assertEqual(self.run_.ask().status, 200)

    def test_it_listens_on_the_loopback_device_alone(self):
        with open("/proc/net/tcp") as table:
            listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
        mine = [address for address in listening if int(address.split(":")[1], 16) == self.run_.port]
        self.assertEqual([address.split(":")[0] for address in mine], ["0100007F"])
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", self.run_.port), timeout=30)

    def test_tokens_are_new_each_time(self):
        self.assertNotEqual(self.run_.token, self.live(PENDULUM, *ENDLESS).token)


class Viewers(LiveTest):
    def test_frames_are_the_rows_of_the_file(self):
        run = self.live(MODELS / "kepler-sphere.toml", "--steps", 200_000, "--every", 100, "--out", "run.csv")
        seen = run.frames().read_to_end()
        self.assertEqual(run.wait()[0], 0)
        self.assertEqual(seen.end, {"status": "done", "message": ""})
        header, rows = self.read_csv("run.csv")
        self.assertEqual(seen.row_numbers(), list(range(len(rows))))
        names = {"position_residual": "|g|", "hidden_residual": "|G H_p|"}
        for k, name in enumerate(header):
            self.assertEqual(seen.column(names.get(name, name)), [float(row[k]) for row in rows], name)
        x = seen.column("x")
        self.assertEqual([v[-1][0] for v in seen.values[:50]], [round_to_float(a) for a in x[:50]])

    def test_two_viewers_and_one_who_is_late(self):
        run = self.live(PENDULUM, *SECONDS)
        first, second = run.frames(), run.frames()
        while not first.values:
            first.read_message()
        time.sleep(0.5)
        late = run.frames()
        for viewer in (first, second, late):
            viewer.read_to_end()
        code, out, _ = run.wait()
        self.assertEqual((code, len(first.values)), (0, 2001))
        self.assertEqual(first.values, second.values)
        self.assertEqual(first.values, late.values)
        self.assertIn("pendulum: rattle", out)

    def test_many_rows_are_thinned_for_all_alike(self):
        run = self.live(PENDULUM, "--steps", 700_001, "--every", 2)
        first = run.frames()
        while not first.values:
            first.read_message()
        time.sleep(0.3)
        late = run.frames().read_to_end()
        first.read_to_end()
        self.assertEqual(run.wait()[0], 0)
        self.assertEqual(first.values, late.values)
        rows = late.row_numbers()
        self.assertEqual(late.stride, 32)
        self.assertEqual(rows[:-1], list(range(0, 350_001, 32)))
        self.assertEqual(rows[-1], 350_001)  # the last state, which is none of the even steps

    def test_a_viewer_who_goes_away_does_not_matter(self):
        run = self.live(PENDULUM, *SECONDS)
        gone = run.frames()
        gone.read_message()
        gone.response.close()
        stays = run.frames().read_to_end()
        self.assertEqual(run.wait()[0], 0)
        self.assertEqual(len(stays.values), 2001)

    def test_a_viewer_who_never_reads_does_not_slow_the_run(self):
        chain = [MODELS / "hanging-chain.toml", "--set", "N=2000", "--steps", 1500, "--every", 1, "--watch", "recorded", "--json"]
        alone = self.run_program("run", *chain)
        run = self.live(*chain)
        head = run.head()
        self.assertGreater(12 * head["stage"]["points"] * 1500, 30e6)  # more than any socket holds
        stuck = socket.create_connection(("127.0.0.1", run.port))
        stuck.sendall(f"GET /{run.token}/rows HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        begin = time.monotonic()
        code, out, _ = run.wait()
        after = time.monotonic() - begin
        stuck.close()
        self.assertEqual(code, 0)
        alone, live = json.loads(alone.stdout), json.loads(out)
        self.assertLess(live["wall_seconds"], 3 * alone["wall_seconds"] + 2)
        self.assertLess(after, 3 * alone["wall_seconds"] + 12)
        self.assertEqual(without_times(live), without_times(alone))

    def test_nobody_looks(self):
        begin = time.monotonic()
        run = self.live(PENDULUM, "--steps", 100)
        self.assertEqual(run.wait()[0], 0)
        self.assertLess(time.monotonic() - begin, 5)  # it waits for nobody

    def test_a_page_that_is_on_its_way_is_waited_for(self):
        run = self.live(PENDULUM, "--steps", 2_000_000, "--every", 125)
        head = run.head()
        time.sleep(0.1)
        self.assertIn("pendulum", run.process.stdout.readline())  # the run has ended, and printed what it found
        seen = run.frames_of(head).read_to_end()
        self.assertEqual(seen.row_numbers(), list(range(16001)))  # more than one message
        self.assertEqual(run.wait()[0], 0)


class Opening(LiveTest):
    """xdg-open by another program of this name"""

    def opener(self, text):
        path = self.folder / "bin" / "xdg-open"
        path.parent.mkdir()
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return f"{path.parent}:{os.environ['PATH']}"

    def test_a_run_that_is_over_at_once_waits_for_the_browser(self):
        run = self.live(PENDULUM, "--steps", 10, "--open", PATH=self.opener('sleep 1; echo "$1" > opened'))
        while not (self.folder / "opened").exists():
            self.assertIsNone(run.process.poll())
            time.sleep(0.05)
        self.assertEqual(len(run.frames().read_to_end().values), 11)
        self.assertEqual(run.wait()[0], 0)
        self.assertEqual((self.folder / "opened").read_text().strip(), run.address)

    def test_what_opens_it_may_stay(self):
        begin = time.monotonic()
        run = self.live(PENDULUM, "--steps", 10, "--open", PATH=self.opener("exec sleep 60"))
        self.assertEqual(len(run.frames().read_to_end().values), 11)
        self.assertEqual(run.process.wait(timeout=60), 0)
        self.assertLess(time.monotonic() - begin, 30)
        # And it does not hold the port.
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", run.port), timeout=10)

    def test_there_may_be_no_browser(self):
        run = self.live(PENDULUM, *SECONDS, "--open", PATH=self.opener("exit 3"))
        run.frames().read_to_end()
        code, _, said = run.wait()
        self.assertEqual(code, 0)
        self.assertIn(f"open {run.address} in a browser", said)


class TheRun(LiveTest):
    def test_its_bits_are_the_same(self):
        double = MODELS / "double-pendulum.toml"
        for options in ([double, "--steps", 3000, "--method", "kahan-li-8", "--every", 7], [double, "--steps", 3000, "--watch", "recorded", "--every", 50],
                        [double, "--steps", 20000, "--every", 100, "--precision", "quad"], [double, "--steps", 3000, "--sample", "0.037"],
                        [PENDULUM, "--steps", 3000, "--event", "y", "--events-out", "e.csv"]):
            with self.subTest(options=options):
                plain = self.run_program("run", *options, "--json", "--force", "--out", "plain.csv")
                run = self.live(*options, "--json", "--force", "--out", "live.csv")
                seen = run.frames().read_to_end() if "quad" in options else None
                code, out, _ = run.wait()
                self.assertEqual((plain.returncode, code), (0, 0))
                self.assertEqual(without_times(json.loads(plain.stdout)), without_times(json.loads(out)))
                self.assertEqual((self.folder / "plain.csv").read_bytes(), (self.folder / "live.csv").read_bytes())
                if seen:
                    header, rows = self.read_csv("plain.csv")
                    self.assertEqual(seen.column("energy"), [float(row[header.index("energy")]) for row in rows])

    def test_it_needs_no_file(self):
        plain = self.run_json(PENDULUM, *SECONDS)
        run = self.live(PENDULUM, *SECONDS, "--json")
        seen = run.frames().read_to_end()
        out = json.loads(run.wait()[1])
        self.assertEqual(without_times(plain), without_times(out))
        self.assertEqual((seen.column("x")[-1], seen.column("t")[-1]), (out["q"]["x"], out["t"]))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_samples_need_no_file_either(self):
        run = self.live(PENDULUM, "--steps", 500_000, "--sample", "T*10")
        seen = run.frames().read_to_end()
        times = seen.column("t")
        self.assertGreater(len(times), 100)
        self.assertAlmostEqual(times[2] - times[1], times[1], places=9)
        refused = self.run_program("run", PENDULUM, "--sample", "0.1")
        self.assertIn("--sample: there is no --out", refused.stderr)

    def test_a_checkpoint_does_not_know_of_it(self):
        run = self.live(PENDULUM, "--steps", 400_000, "--every", 1000, "--out", "a.csv")
        run.wait()
        more = self.live(PENDULUM, "--steps", 800_000, "--every", 1000, "--out", "a.csv", "--extend")
        seen = more.frames().read_to_end()
        self.assertEqual(more.wait()[0], 0)
        self.run_json(PENDULUM, "--steps", 800_000, "--every", 1000, "--out", "b.csv")
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())
        header, rows = self.read_csv("b.csv")
        self.assertEqual(seen.column("t"), [float(row[0]) for row in rows[401:]])  # from there on

    def test_ctrl_c(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            run = self.live(PENDULUM, *ENDLESS)
            seen = run.frames()
            seen.read_message()
            begin = time.monotonic()
            run.process.send_signal(number)
            seen.read_to_end()
            code, _, said = run.wait()
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual((code, seen.end["status"]), (130, "interrupted"))
            self.assertIn("interrupted after", seen.end["message"])
            self.assertIn("the state is kept", said)

    def test_ctrl_c_with_a_viewer_who_never_reads(self):
        run = self.live(MODELS / "hanging-chain.toml", "--set", "N=2000", "--steps", 10**9, "--every", 1, "--watch", "recorded")
        stuck = socket.create_connection(("127.0.0.1", run.port))
        stuck.sendall(f"GET /{run.token}/rows HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        time.sleep(2)
        begin = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.wait()[0], 130)
        self.assertLess(time.monotonic() - begin, 5)
        stuck.close()

    def test_a_run_that_fails_says_so_to_viewers(self):
        self.write(FAILS, "fails.toml")
        run = self.live("fails.toml", "--every", 100)
        seen = run.frames().read_to_end()
        code, _, said = run.wait()
        self.assertEqual((code, seen.end["status"]), (1, "failed"))
        self.assertIn(seen.end["message"], said)
        self.assertTrue(seen.end["message"])

    def test_what_is_wrong_is_told_as_without_it(self):
        self.write(pendulum(constraints='rod = "x^2 + z^2 - L^2"'))
        plain, live = (self.run_program("run", "m.toml", *live) for live in ([], ["--live"]))
        self.assertEqual((plain.returncode, plain.stderr), (live.returncode, live.stderr))
        self.assertEqual(plain.returncode, 2)

    def test_open_needs_live(self):
        result = self.run_program("run", PENDULUM, "--open")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--live", result.stderr)


# After some seconds the particle comes to where its energy has a pole.
FAILS = """format = 1
name = "fails"
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "0"
[constraints]
line = "y - sqrt(1 - x)"
[initial]
q = { x = 0, y = 1 }
v = { x = 1, y = -0.5 }
[integrate]
method = "rattle"
step = 1e-6
until = 10
"""


def without_times(result):
    return {key: value for key, value in result.items() if key != "wall_seconds"}


def round_to_float(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


if __name__ == "__main__":
    unittest.main()
