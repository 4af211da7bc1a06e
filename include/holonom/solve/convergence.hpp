// When a Newton iteration ends: at round-off, because an unconverged solve is not symplectic, and with a residual that
// was evaluated where the iteration ended, because "surely converged" is not.
#pragma once

#include <cstdint>

#include "holonom/scalar.hpp"

namespace holonom {

// The matrix that corrects the stages of implicit Runge-Kutta methods (solve/stage_solver.hpp).
enum class StageMatrix : std::uint8_t { automatic, start, stages, full };

struct NewtonOptions {
  double tolerance = 0;  // relative residual to stop at; 0: round-off
  int max_iterations = 50;
  StageMatrix matrix = StageMatrix::automatic;
  int stage_iterations = 0;  // exactly so many for the stages of a step, to see what is lost; 0: to round-off
};

// Residuals up to this many ε of the terms of a constraint are rounding errors of its evaluation. An iteration that
// could still gain something does not stop there; one that stands still has ended if it is below, and has failed above.
inline constexpr double rounding_errors = 128;

// In dual numbers residuals include tangents, whose terms may be much larger than those of g.
template <class S>
Real<S> tangent_rounding_errors() {
  return Real<S>(1e5) * epsilon<S>();
}

// Decides after each residual whether an iteration goes on.
template <class R>
class Convergence {
 public:
  enum class Verdict { go_on, done, failed };

  // quadratic: each correction squares the error; else it shrinks by a constant factor.
  // correct_once: a first guess that is good enough for the scale of the terms is still corrected. Far from the
  // origin that scale is much larger than the error that can be reached; and a residual at round-off is random,
  // where the error of a guess is not.
  // remainder: a residual r leaves at most this times r², as far as anyone knows.
  Convergence(const R& eps, const NewtonOptions& options, bool quadratic = true, bool correct_once = false,
              const R& remainder = R(100))
      : remainder_(remainder),
        quadratic_(quadratic),
        correct_once_(correct_once && !(options.tolerance > 0)),
        eps_(eps),
        floor_(options.tolerance > 0 ? R(options.tolerance) : eps),
        max_(options.max_iterations) {}
  // Residuals below this may be rounding errors as well.
  void accept(const R& rounding_error) {
    if (rounding_ < rounding_error) rounding_ = rounding_error;
  }

  Verdict operator()(const R& r) {
    if (++iterations_ == 1) return first(r);
    if (r <= floor_ || (foreseen_ && r <= R(8) * eps_)) return Verdict::done;
    stalled_ = !(r < previous_ / 2);
    if (stalled_ && (r <= R(rounding_errors) * eps_ || r <= rounding_))
      return Verdict::done;  // rounding errors of g itself
    if (!(r < R(1e30)) || iterations_ >= max_ || (stalled_ && ++stalls_ > 8)) return Verdict::failed;
    // Newton squares the error, with the observed constant, r / previous².
    const R rate = r / previous_;
    slow_ = rate > R(0.05);
    R next = quadratic_ ? R(10 * r * rate * rate) : R(2 * r * rate);
    // The last iterate may have been so far away that the rate says nothing: believe in no better one than these.
    const R least = quadratic_ ? R(remainder_ * R(0.01) * r * r) : R(r / 1000000);
    if (next < least) next = least;
    previous_ = r;
    foreseen_ = next <= floor_;
    return Verdict::go_on;
  }

  int iterations() const { return iterations_; }
  bool stalled() const { return stalled_; }
  bool slow() const { return slow_; }  // a new matrix would pay
  // The next residual is expected to be at round-off.
  bool foreseen() const { return foreseen_; }

 private:
  // The constant is a guess there.
  Verdict first(const R& r) {
    if (r <= floor_ && !correct_once_) return Verdict::done;
    if (!(r < R(1e30)) || max_ <= 1) return Verdict::failed;
    previous_ = r;
    foreseen_ = r <= floor_ || (quadratic_ ? R(remainder_ * r * r) : R(2 * r)) <= floor_;
    return Verdict::go_on;
  }

  R remainder_;
  bool quadratic_, correct_once_;
  R eps_, floor_, rounding_{0}, previous_{0};
  int iterations_ = 0, stalls_ = 0, max_;
  bool stalled_ = false, slow_ = false, foreseen_ = false;
};

}  // namespace holonom
