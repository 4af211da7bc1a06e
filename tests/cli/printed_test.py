"""The comparison of printed with real output: what must pass, and what must not."""

import unittest

from printed import altered, difference

RUN = """pendulum: rattle, h = 0.07, 100 steps to t = 7 (double)

  energy             -2.598076211 at the start, largest error 6.92e-03
  constraints g      largest residual 4.4e-16 (2.2e-16 of its terms)
  Newton             2.68 iterations a step, at most 3
  cost               0.736 microseconds a step (with all checks), 0.0368 s in all
  last state
    x1                   -0.178236114796682   p      -0.72061922312215
"""
COSTS = """method  step  steps  energy
rattle  0.06    100  1.09e-03

method  step  steps  forces  Newton  CPU s
rattle  0.06    100    1243   11.43 (13)   1.50e-04
"""


class Comparison(unittest.TestCase):
    def same(self, printed, *changes, expected=True):
        real = printed
        for old, new in changes:
            self.assertIn(old, real)
            real = real.replace(old, new)
        self.assertEqual(difference(printed, real) == "", expected, (changes, difference(printed, real)))

    def differs(self, printed, *changes):
        self.same(printed, *changes, expected=False)

    def test_the_same(self):
        self.same(RUN)
        self.same(COSTS)
        self.same(RUN, ("  energy   ", "energy "))  # columns may move

    def test_times_do_not_matter(self):
        self.same(RUN, ("0.736", "7.36"), ("0.0368 s", "12 s"))
        self.same(COSTS, ("1.50e-04", "3.3e-02"))

    def test_rounding_errors_have_a_factor_of_ten(self):
        self.same(RUN, ("4.4e-16", "8.9e-16"), ("2.2e-16", "1.1e-16"))
        self.same(RUN, ("4.4e-16", "0.0e+00"))
        self.differs(RUN, ("4.4e-16", "4.5e-15"))
        self.differs(RUN, ("4.4e-16", "4.4e-8"))
        self.differs(RUN, ("4.4e-16", "nan"))

    def test_iterations_have_some_room(self):
        self.same(RUN, ("2.68", "2.90"), ("most 3", "most 4"))
        self.differs(RUN, ("2.68", "3.72"))
        self.differs(RUN, ("most 3", "most 5"))
        self.same(COSTS, ("1243", "1300"), ("11.43", "11.9"), ("(13)", "(14)"))
        self.differs(COSTS, ("1243", "1843"))
        self.differs(COSTS, ("11.43", "14.43"))

    def test_all_else_is_strict(self):
        self.same(RUN, ("6.92e-03", "6.91e-03"))  # the last digit
        for old, new in (("6.92e-03", "6.96e-03"), ("-2.598076211", "-2.598076311"), ("100 steps", "101 steps"), ("0.07", "0.08"),
                         ("rattle", "shake"), ("at the start", "at the end"), ("(double)", "(quad)")):
            self.differs(RUN, (old, new))
        self.differs(COSTS, ("1.09e-03", "1.15e-03"))

    def test_a_state_has_six_digits(self):
        self.same(RUN, ("-0.178236114796682", "-0.178236115043651"))
        self.differs(RUN, ("-0.178236114796682", "-0.178239114796682"))
        self.differs(RUN, ("-0.178236114796682", "0.178236114796682"))

    def test_lines_count(self):
        self.differs(RUN, ("  Newton             2.68 iterations a step, at most 3\n", ""))
        self.assertIn("goes on", difference(RUN, RUN + "one more\n"))
        self.assertNotEqual(difference(RUN + "one more\n", RUN), "")

    def test_what_is_left_out(self):
        real = "a 1\nb 2\nc 3\nd 4\n"
        for printed in ("a 1\n...\n", "...\nd 4\n", "a 1\n...\nd 4\n", "...\nb 2\n...\n", "a 1\nb 2\n...\nd …\n"):
            self.assertEqual(difference(printed, real), "", printed)
        for printed in ("a 1\n...\nc 3\n", "b 2\n...\n", "...\ne 5\n", "a 2\n...\n", "...\nd 5\n"):
            self.assertNotEqual(difference(printed, real), "", printed)
        self.assertEqual(difference("failed: … kept at 3.", "failed: it is so, kept at 3."), "")
        self.assertNotEqual(difference("failed: … kept at 3.", "failed: it is so, kept at 4."), "")

    def test_every_wrong_number_is_found(self):
        for text in (RUN, COSTS):
            wrong = list(altered(text))
            self.assertGreater(len(wrong), 5)
            for broken in wrong:
                self.assertNotEqual(difference(broken, text), "", broken)


if __name__ == "__main__":
    unittest.main()
