"""A program that was built without npm: it has no pages, says so, and does all else."""

import unittest

from support import MODELS, CliTest

MESSAGE = "this holonom was built without its page: npm was not found"


class WithoutPages(CliTest):
    def test_view_says_what_is_missing(self):
        self.run_json(MODELS / "pendulum.toml", "--steps", 5)
        for arguments in (["view", "run.h5"], ["run", MODELS / "pendulum.toml", "--steps", 5, "--live"],
                          ["certify", MODELS / "pendulum.toml", "--no-advice", "--out", "page.html"]):
            result = self.run_program(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(MESSAGE, result.stderr)
            self.assertIn("Install nodejs and npm, and build again", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_view_table_is_checked(self):
        self.write((MODELS / "pendulum.toml").read_text() + '\n[view]\npoint = { a = ["x", "y"] }\n')
        self.assertIn("Did you mean 'points'?", self.run_program("check", "m.toml").stderr)

    def test_compare_leaves_its_tables(self):
        result = self.run_program("compare", MODELS / "pendulum.toml", "--methods", "rattle", "--step", "T/20", "--until", "T/2", "--out", "all")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(p.name for p in (self.folder / "all").iterdir()), ["compare.csv", "compare.json"])


if __name__ == "__main__":
    unittest.main()
