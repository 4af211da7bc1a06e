// May a pair (A, b, c), (Â, b̂, ĉ) be used for constrained systems, and with which order? The hypotheses H of Jay
// (1996), section 4, one by one, and in plain words what is wrong where one of them fails.
#pragma once

#include <cstdio>
#include <vector>

#include "holonom/coefficients/simplifying_assumptions.hpp"

namespace holonom {

struct PairReport {
  int stages = 0;
  Assumptions assumptions;
  double symplecticity_defect = 0;  // (2.3)

  // The hypotheses H
  bool first_row_is_zero = false;    // a_1j = 0
  bool last_row_is_b = false;        // a_sj = b_j
  bool last_column_is_zero = false;  // â_js = 0
  bool same_weights = false;         // b = b̂
  bool same_nodes = false;           // c = ĉ
  bool invertible = false;           // A₀Â₀
  bool last_weight = false;          // b_s ≠ 0
  // Those of Theorem 2.2
  bool nonzero_weights = false;
  bool distinct_nodes = false;
  bool symplectic = false;

  Orders orders;                     // (4.2)
  Orders symplectic_orders;          // (4.2'); 0 unless the hypotheses of Theorem 2.2 hold
  std::vector<std::string> reasons;  // why the pair cannot be used: one sentence each

  bool usable() const { return reasons.empty(); }
  // The order of the method, Theorem 4.2; 0 if the pair cannot be used.
  int order() const { return usable() ? orders.l : 0; }
  // All reasons, separated by line ends.
  std::string text() const {
    std::string all;
    for (const std::string& reason : reasons) all += (all.empty() ? "" : "\n") + reason;
    return all;
  }
};

// The smallest pivot of A₀Â₀ (3.14), as a fraction of the largest: 0 if it is singular.
template <class R>
R smallest_pivot(const Tableau<R>& t, const Tableau<R>& hat) {
  const int s = t.stages(), n = s - 1;
  PivotedLu<R> lu(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < s; ++k) lu.matrix()(i, j) += t.A(i + 1, k) * hat.A(k, j);
  if (!lu.factor()) return R(0);
  R smallest = magnitude(lu.matrix()(0, 0)), largest = smallest;
  for (int i = 1; i < n; ++i) {
    smallest = std::min(smallest, magnitude(lu.matrix()(i, i)));
    largest = std::max(largest, magnitude(lu.matrix()(i, i)));
  }
  return smallest / largest;
}

inline std::string no_dual(int i) {
  return "b_" + std::to_string(i + 1) +
         " = 0: there is no symplectic dual, since â_ij = b_j (1 − a_ji/b_i) divides by it";
}

template <class R>
class PairCheck {
 public:
  PairCheck(const Tableau<R>& t, const Tableau<R>& hat)
      : t_(t), hat_(hat), s_(t.stages()), tolerance_(coefficient_tolerance<R>(s_)) {}

  PairReport report() {
    report_.stages = s_;
    if (s_ < 2) {
      fail("a pair needs at least 2 stages, not " + std::to_string(s_) +
           ": both ends of a step lie on the constraints");
      return report_;
    }
    if (hat_.stages() != s_) {
      fail("the two methods have " + std::to_string(s_) + " and " + std::to_string(hat_.stages()) +
           " stages: they must agree");
      return report_;
    }
    if (!check_finite()) return report_;
    check_same();
    check_weights_and_nodes();
    check_rows();
    check_symplectic();
    report_.assumptions = simplifying_assumptions(t_, hat_);
    if (report_.assumptions.p < 1) {
      R excess(-1);
      for (const R& b : t_.b) excess += b;
      fail("the sum of the weights b differs from 1 by " + number(excess) + ": the method does not converge");
    }
    report_.orders = order_of_pair(report_.assumptions);
    if (report_.nonzero_weights && report_.distinct_nodes && report_.same_nodes && report_.symplectic)
      report_.symplectic_orders = order_of_symplectic_pair(report_.assumptions);
    return report_;
  }

 private:
  bool check_finite() {
    find_not_finite(t_, "a", "b", "c");
    if (report_.usable()) find_not_finite(hat_, "â", "b̂", "ĉ");
    return report_.usable();
  }
  void find_not_finite(const Tableau<R>& m, const char* a, const char* b, const char* c) {
    const std::string what = " is not a finite number";
    for (int i = 0; i < s_; ++i) {
      if (!is_finite(m.b[i])) fail(entry(b, i) + what);
      if (!is_finite(m.c[i])) fail(entry(c, i) + what);
      for (int j = 0; j < s_; ++j)
        if (!is_finite(m.A(i, j))) fail(entry(a, i, j) + what);
    }
  }

  void check_same() {
    int i = differs(t_.b, hat_.b);
    report_.same_weights = i < 0;
    if (i >= 0)
      fail(entry("b", i) + " = " + number(t_.b[i]) + ", but " + entry("b̂", i) + " = " + number(hat_.b[i]) +
           ": the pair needs b = b̂ (2.3a)");
    i = differs(t_.c, hat_.c);
    report_.same_nodes = i < 0;
    if (i >= 0)
      fail(entry("c", i) + " = " + number(t_.c[i]) + ", but " + entry("ĉ", i) + " = " + number(hat_.c[i]) +
           ": the pair needs c = ĉ");
  }

  void check_weights_and_nodes() {
    report_.nonzero_weights = report_.distinct_nodes = true;
    for (int i = 0; i < s_; ++i) {
      if (zero(t_.b[i])) {
        report_.nonzero_weights = false;
        fail(no_dual(i));
      }
      for (int j = 0; j < i; ++j)
        if (zero(t_.c[i] - t_.c[j])) {
          report_.distinct_nodes = false;
          fail(entry("c", j) + " = " + entry("c", i) + " = " + number(t_.c[i]) +
               ": the nodes must be distinct (Theorem 2.2)");
        }
    }
    report_.last_weight = !zero(t_.b[s_ - 1]);
    if (!report_.last_weight)
      fail(entry("b", s_ - 1) + " = 0: the last multiplier does not reach p_1, so G H_p = 0 cannot be met (3.3d)");
  }

  void check_rows() {
    const int last = s_ - 1;
    for (int i = 0; i < s_; ++i) {
      R excess = -t_.c[i];
      for (int k = 0; k < s_; ++k) excess += t_.A(i, k);
      if (!zero(excess))
        fail(entry("c", i) + " = " + number(t_.c[i]) + " is not the sum of row " + std::to_string(i + 1) +
             " of A, from which it differs by " + number(excess));
    }
    int j = first_of([&](int k) { return !zero(t_.A(0, k)); });
    report_.first_row_is_zero = j < 0;
    if (j >= 0)
      fail(entry("a", 0, j) + " = " + number(t_.A(0, j)) +
           ", but a_1j = 0 is needed (3.12): Q_1 is not q_0, so (3.11) has " + std::to_string(s_) +
           " conditions g(Q_i) = 0 for the " + std::to_string(last) +
           (last == 1 ? " multiplier that enters it" : " multipliers that enter it") +
           ", more equations than unknowns");
    j = first_of([&](int k) { return !zero(t_.A(last, k) - t_.b[k]); });
    report_.last_row_is_b = j < 0;
    if (j >= 0)
      fail(entry("a", last, j) + " = " + number(t_.A(last, j)) + ", but " + entry("b", j) + " = " + number(t_.b[j]) +
           "; a_sj = b_j is needed (3.9): q_1 is not Q_s, so g(q_1) = 0 does not hold");
    j = first_of([&](int k) { return !zero(hat_.A(k, last)); });
    report_.last_column_is_zero = j < 0;
    if (j >= 0)
      fail(entry("â", j, last) + " = " + number(hat_.A(j, last)) +
           ", but â_js = 0 is needed (3.10): the last multiplier must be free to meet G H_p = 0");
    const R pivot = smallest_pivot(t_, hat_);
    report_.invertible = !zero(pivot);
    if (zero(pivot))
      fail("A₀Â₀ is singular (3.14; its smallest pivot is " + number(pivot) +
           " of the largest): the multipliers are not determined");
  }

  void check_symplectic() {
    const R defect = symplecticity_defect(t_, hat_);
    report_.symplecticity_defect = to_double(defect);
    report_.symplectic = zero(defect);
    if (!zero(defect)) fail("the pair is not symplectic: (2.3) is missed by " + number(defect));
  }

  bool zero(const R& x) const { return magnitude(x) <= tolerance_; }  // what is not a number is not zero
  int first_of(auto&& wrong) const {
    for (int i = 0; i < s_; ++i)
      if (wrong(i)) return i;
    return -1;
  }
  int differs(const Vec<R>& x, const Vec<R>& y) const {
    return first_of([&](int i) { return !zero(R(x[i] - y[i])); });
  }
  static std::string number(const R& x) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", to_double(x));
    return buffer;
  }
  static std::string entry(const char* name, int i) { return std::string(name) + "_" + std::to_string(i + 1); }
  static std::string entry(const char* name, int i, int j) {
    const bool apart = i >= 9 || j >= 9;
    return entry(name, i) + (apart ? "," : "") + std::to_string(j + 1);
  }
  void fail(std::string reason) { report_.reasons.push_back(std::move(reason)); }

  const Tableau<R>&t_, &hat_;
  int s_;
  R tolerance_;
  PairReport report_;
};

template <class R>
PairReport check_pair(const Tableau<R>& t, const Tableau<R>& hat) {
  return PairCheck<R>(t, hat).report();
}

// With its symplectic dual. Without one there is nothing else to check.
template <class R>
PairReport check_with_dual(const Tableau<R>& t) {
  PairReport report;
  report.stages = t.stages();
  for (int i = 0; i < t.stages(); ++i)
    if (magnitude(t.b[i]) <= coefficient_tolerance<R>(t.stages())) report.reasons.push_back(no_dual(i));
  return report.usable() ? check_pair(t, symplectic_dual(t)) : report;
}

}  // namespace holonom
