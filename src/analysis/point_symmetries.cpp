#include "holonom/analysis/point_symmetries.hpp"

#include <algorithm>
#include <cmath>

#include "lapack.hpp"
#include "scatter.hpp"

namespace holonom {

namespace {

// All affine motions of so many coordinates are up to 420 unknowns: a fraction of a second.
constexpr int most_in_full = 20;
// What is left of a dependent column; rounding errors of forces that cancel are far below, symmetries that are broken
// by the hundred-millionth part of a force above.
constexpr double negligible = 1e-9;

// Rows of linear conditions, kept as the triangular factor of all that were added: there may be 10⁵ constraints.
class Conditions {
 public:
  explicit Conditions(int unknowns)
      : unknowns_(unknowns),
        rows_(unknowns + std::max(unknowns, batch), unknowns),
        row_(static_cast<std::size_t>(unknowns)),
        terms_(row_.size()),
        size_(row_.size()) {}

  // fill(add) calls add(unknown, term) for each term of a condition. Coefficients are relative to the sizes of their
  // terms: what is left of terms that cancel is a rounding error, not a condition.
  template <class Fill>
  void add(Fill&& fill) {
    std::fill(row_.begin(), row_.end(), 0.0);
    std::fill(terms_.begin(), terms_.end(), 0.0);
    fill([&](int unknown, double term) {
      row_[static_cast<std::size_t>(unknown)] += term;
      terms_[static_cast<std::size_t>(unknown)] += std::abs(term);
    });
    const double size = *std::max_element(terms_.begin(), terms_.end());
    if (!(size > 0) || !std::isfinite(size)) return;
    for (int j = 0; j < unknowns_; ++j) {
      const auto k = static_cast<std::size_t>(j);
      rows_(used_, j) = row_[k] / size;
      size_[k] = std::max(size_[k], terms_[k] / size);
    }
    if (++used_ == rows_.rows()) compress();
  }

  // A basis of the solutions
  std::vector<PointSymmetry> null_space() {
    compress();
    // Coefficients of A and b have different units.
    std::vector<double> scale(size_.size());
    Columns R(used_, unknowns_);
    for (int j = 0; j < unknowns_; ++j) {
      const auto k = static_cast<std::size_t>(j);
      scale[k] = size_[k] > 0 ? 1 / size_[k] : 1;
      for (int i = 0; i < used_; ++i) R(i, j) = rows_(i, j) * scale[k];
    }
    const std::vector<int> order = triangularise_with_pivots(R);
    int rank = 0;
    const int most = std::min(used_, unknowns_);
    while (rank < most && std::abs(R(rank, rank)) > negligible) ++rank;
    std::vector<PointSymmetry> basis;
    for (int k = rank; k < unknowns_; ++k) {
      // R x = 0 with x_k = 1, by back substitution
      std::vector<double> x(size_.size());
      for (int i = rank - 1; i >= 0; --i) {
        double sum = R(i, k);
        for (int j = i + 1; j < rank; ++j) sum += R(i, j) * x[static_cast<std::size_t>(j)];
        x[static_cast<std::size_t>(i)] = -sum / R(i, i);
      }
      x[static_cast<std::size_t>(k)] = 1;
      PointSymmetry symmetry(size_.size());
      double largest = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        const auto unknown = static_cast<std::size_t>(order[j]);
        symmetry[unknown] = x[j] * scale[unknown];
        largest = std::max(largest, std::abs(symmetry[unknown]));
      }
      for (double& a : symmetry) a /= largest;
      basis.push_back(std::move(symmetry));
    }
    return basis;
  }

 private:
  static constexpr int batch = 512;

  void compress() {
    if (used_ <= unknowns_) return;
    triangularise(rows_, used_);
    for (int j = 0; j < unknowns_; ++j)
      for (int i = j + 1; i < unknowns_; ++i) rows_(i, j) = 0;
    used_ = unknowns_;
  }

  int unknowns_;
  Columns rows_;
  std::vector<double> row_, terms_, size_;
  int used_ = 0;
};

// Which block, item and component a coordinate is.
struct Place {
  int first = -1, block = 0, item = 0, component = 0;  // first: the first unknown of the block
};
std::vector<Place> places(const SymmetryFamily& family, int n) {
  std::vector<Place> of(static_cast<std::size_t>(n));
  int first = 0;
  for (std::size_t k = 0; k < family.blocks.size(); ++k) {
    const CoordinateBlock& block = family.blocks[k];
    for (int i = 0; i < block.count; ++i)
      for (int c = 0; c < block.dim; ++c)
        of[static_cast<std::size_t>(block.coordinate(i, c))] = {first, static_cast<int>(k), i, c};
    first += block.unknowns();
  }
  return of;
}

class Search {
 public:
  Search(const AnySystem<double>& sys, const SymmetryFamily& family)
      : sys_(sys), family_(family), place_(places(family, sys.n())), G_(sys.pattern()), v_(sys.n()), force_(sys.n()) {}

  // {J, H} = p·A H_p − H_q·(A q + b)
  void add_energy(Conditions& rows, const State<double>& x) {
    sys_.H_p(x.q, x.p, v_);
    sys_.H_q(x.q, x.p, force_);
    rows.add([&](auto&& term) {
      for (int i = 0; i < sys_.n(); ++i) {
        derivatives(term, i, x.q, -force_[i], true);
        derivatives(term, i, v_, x.p[i], false);
      }
    });
  }
  // G (A q + b)
  void add_constraints(Conditions& rows, const State<double>& x) {
    sys_.G(x.q, G_);
    for (int k = 0; k < sys_.m(); ++k)
      rows.add([&](auto&& term) { G_.row(k, [&](int i, double a) { derivatives(term, i, x.q, a, true); }); });
  }

 private:
  // factor times the derivative of (A y + b)_i with respect to the unknowns
  template <class Term>
  void derivatives(Term&& term, int i, const Vec<double>& y, double factor, bool constant) const {
    const Place& at = place_[static_cast<std::size_t>(i)];
    if (at.first < 0) return;
    const CoordinateBlock& block = family_.blocks[static_cast<std::size_t>(at.block)];
    for (int c = 0; c < block.dim; ++c)
      term(at.first + block.linear(at.component, c), factor * y[block.coordinate(at.item, c)]);
    if (constant) term(at.first + block.constant(at.component), factor);
  }

  const AnySystem<double>& sys_;
  const SymmetryFamily& family_;
  std::vector<Place> place_;
  Jacobian<double> G_;
  Vec<double> v_, force_;
};

// The unknowns in the order in which leading coefficients are chosen
std::vector<int> reading_order(const SymmetryFamily& family) {
  std::vector<int> order;
  const auto pick = [&](auto&& chosen) {
    int first = 0;
    for (const CoordinateBlock& block : family.blocks) {
      for (int r = 0; r < block.dim; ++r)
        for (int c = 0; c < block.dim; ++c)
          if (chosen(r, c)) order.push_back(first + block.linear(r, c));
      first += block.unknowns();
    }
  };
  pick([](int r, int c) { return r > c; });
  int first = 0;
  for (const CoordinateBlock& block : family.blocks) {
    for (int r = 0; r < block.dim; ++r) order.push_back(first + block.constant(r));
    first += block.unknowns();
  }
  pick([](int r, int c) { return r <= c; });
  return order;
}

// Gauss-Jordan elimination. The first `fixed` rows are in that form already: others get zeros at their leading
// coefficients, and do not change them.
std::vector<PointSymmetry> reduced(const SymmetryFamily& family, std::vector<PointSymmetry> rows, std::size_t fixed) {
  constexpr double zero = 1e-6;  // coefficients are of the order of 1
  const std::vector<int> order = reading_order(family);
  const auto eliminate = [&](std::size_t from, std::size_t j, std::size_t k) {
    const double factor = rows[k][j];
    for (std::size_t c = 0; c < rows[k].size(); ++c) rows[k][c] -= factor * rows[from][c];
    rows[k][j] = 0;
  };
  for (std::size_t done = 0; done < fixed; ++done) {
    const auto leading = std::find_if(order.begin(), order.end(),
                                      [&](int j) { return std::abs(rows[done][static_cast<std::size_t>(j)]) > zero; });
    for (std::size_t k = fixed; k < rows.size(); ++k) eliminate(done, static_cast<std::size_t>(*leading), k);
  }
  std::size_t done = fixed;
  for (const int column : order) {
    const auto j = static_cast<std::size_t>(column);
    std::size_t best = rows.size();
    for (std::size_t k = done; k < rows.size(); ++k)
      if (std::abs(rows[k][j]) > (best == rows.size() ? zero : std::abs(rows[best][j]))) best = k;
    if (best == rows.size()) continue;
    std::swap(rows[done], rows[best]);
    const double pivot = rows[done][j];
    for (double& a : rows[done]) a /= pivot;
    for (std::size_t k = fixed; k < rows.size(); ++k)
      if (k != done) eliminate(done, j, k);
    ++done;
  }
  rows.resize(done);
  for (PointSymmetry& row : rows)
    for (double& a : row)
      if (std::abs(a) < negligible) a = 0;
  return rows;
}

}  // namespace

std::vector<PointSymmetry> reduced(const SymmetryFamily& family, std::vector<PointSymmetry> rows) {
  return reduced(family, std::move(rows), 0);
}

std::vector<SymmetryFamily> symmetry_families(const AnySystem<double>& sys) {
  const std::vector<VectorBlock>& vectors = sys.labels().vectors;
  const int n = sys.n();
  if (sys.is_field() || n == 0) return {};
  if (n <= most_in_full) return {{{{.dim = n}}}};
  if (!vectors.empty()) {
    SymmetryFamily family;
    int named = n;
    for (const VectorBlock& v : vectors) {
      named = std::min(named, v.offset);
      family.blocks.push_back(
          {.offset = v.offset, .count = v.count, .dim = v.dim, .item_stride = v.dim, .component_stride = 1});
    }
    if (named > 0 && named <= most_in_full) family.blocks.push_back({.dim = named});
    return {family};
  }
  std::vector<SymmetryFamily> families;
  for (const int dim : {3, 2, 1}) {
    if (n % dim != 0) continue;
    const int count = n / dim;
    families.push_back({{{.count = count, .dim = dim, .item_stride = dim, .component_stride = 1}}});
    if (dim > 1) families.push_back({{{.count = count, .dim = dim, .item_stride = 1, .component_stride = count}}});
  }
  return families;
}

PointSymmetries point_symmetries(const AnySystem<double>& sys, const State<double>& x, const SymmetryFamily& family) {
  const int unknowns = family.unknowns();
  Scatter scatter(sys, x);
  Search search(sys, family);
  Conditions rows(unknowns);
  constexpr int more = 8;
  for (int k = 0; k < 2 * (unknowns + more); ++k) {
    const auto y = scatter.off_manifold();
    if (!y) return {};
    search.add_energy(rows, *y);
  }
  PointSymmetries result;
  if (sys.m() == 0) {
    result.strong = reduced(family, rows.null_space());
    return result;
  }
  Conditions on = rows;
  const int states = std::max(3, 2 * unknowns / sys.m() + 2);
  for (int k = 0; k < states; ++k) {
    const auto y = scatter.off_manifold();
    if (!y) return {};
    search.add_constraints(rows, *y);
  }
  result.strong = reduced(family, rows.null_space());
  if (family.blocks.size() > 1 || family.blocks.front().count > 1) return result;
  int found = 0;
  for (int k = 0; k < states; ++k)
    if (const auto y = scatter.on_manifold()) {
      search.add_constraints(on, *y);
      ++found;
    }
  if (found < states) return result;
  std::vector<PointSymmetry> all = result.strong;
  const std::vector<PointSymmetry> also = on.null_space();
  all.insert(all.end(), also.begin(), also.end());
  all = reduced(family, std::move(all), result.strong.size());
  result.weak.assign(all.begin() + static_cast<std::ptrdiff_t>(result.strong.size()), all.end());
  return result;
}

std::vector<PointSymmetry> carried_by_translations(const SymmetryFamily& family,
                                                   const std::vector<PointSymmetry>& strong) {
  if (family.blocks.size() != 1 || family.blocks.front().count != 1) return {};
  const int n = family.blocks.front().dim, linear = n * n;
  std::vector<const PointSymmetry*> others, translations;
  for (const PointSymmetry& a : strong)
    (std::any_of(a.begin(), a.begin() + linear, [](double x) { return x != 0; }) ? others : translations).push_back(&a);
  const auto count = static_cast<int>(others.size()), span = static_cast<int>(translations.size());
  if (count == 0 || span == 0) return {};
  const auto at = [](const PointSymmetry* a, int place) { return (*a)[static_cast<std::size_t>(place)]; };
  // Combinations whose A maps into the span of the translations: what is left of the columns of each A outside of it
  Columns T(n, span), all(n, n * count);
  for (int k = 0; k < span; ++k)
    for (int i = 0; i < n; ++i) T(i, k) = at(translations[static_cast<std::size_t>(k)], linear + i);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) all(i, n * k + j) = at(others[static_cast<std::size_t>(k)], n * i + j);
  const Columns within = least_squares(T, all);
  Columns rest = all;
  for (int c = 0; c < rest.cols(); ++c)
    for (int k = 0; k < span; ++k)
      for (int i = 0; i < n; ++i) rest(i, c) -= T(i, k) * within(k, c);
  Conditions rows(count);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double largest = 0;
      for (int k = 0; k < count; ++k) largest = std::max(largest, std::abs(rest(i, n * k + j)));
      if (!(largest > negligible)) continue;
      rows.add([&](auto&& term) {
        for (int k = 0; k < count; ++k) term(k, rest(i, n * k + j));
      });
    }
  const std::vector<PointSymmetry> combinations = rows.null_space();
  if (combinations.size() == others.size()) return {};
  std::vector<PointSymmetry> carried;
  for (const PointSymmetry& c : combinations) {
    PointSymmetry& sum = carried.emplace_back(strong.front().size());
    for (std::size_t k = 0; k < others.size(); ++k)
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += c[k] * (*others[k])[j];
  }
  return carried;
}

void apply(const SymmetryFamily& family, const PointSymmetry& symmetry, const Vec<double>& q, Vec<double>& out) {
  fill(out, 0.0);
  std::size_t first = 0;
  const auto at = [&](int k) { return symmetry[first + static_cast<std::size_t>(k)]; };
  for (const CoordinateBlock& block : family.blocks) {
    for (int i = 0; i < block.count; ++i)
      for (int r = 0; r < block.dim; ++r) {
        double sum = at(block.constant(r));
        for (int c = 0; c < block.dim; ++c) sum += at(block.linear(r, c)) * q[block.coordinate(i, c)];
        out[block.coordinate(i, r)] = sum;
      }
    first += static_cast<std::size_t>(block.unknowns());
  }
}

std::vector<double> constraint_mixing(const AnySystem<double>& sys, const State<double>& x,
                                      const SymmetryFamily& family, const PointSymmetry& symmetry) {
  const int m = sys.m(), states = 2 * m + 4;
  Scatter scatter(sys, x);
  Columns g(states, m), change(states, m);
  Vec<double> value(m), motion(sys.n()), rate(m);
  Jacobian<double> G(sys.pattern());
  for (int s = 0; s < states; ++s) {
    const auto y = scatter.off_manifold();
    if (!y) return {};
    sys.g_and_G(y->q, value, G);
    apply(family, symmetry, y->q, motion);
    multiply(G, motion, rate);
    for (int k = 0; k < m; ++k) {
      g(s, k) = value[k];
      change(s, k) = rate[k];
    }
  }
  const Columns C = least_squares(g, change);  // column k: of constraint k
  return {C.column(0), C.column(m)};
}

SymmetryDefect point_symmetry_defect(const AnySystem<double>& sys, const State<double>& x, const SymmetryFamily& family,
                                     const PointSymmetry& symmetry, int count) {
  Scatter scatter(sys, x);
  SymmetryDefect result;
  Vec<double> v(sys.n()), force(sys.n()), motion(sys.n()), change(sys.n()), none(sys.n());
  Vec<double> rate(sys.m());
  Jacobian<double> G(sys.pattern());
  for (int s = 0; s < count; ++s) {
    const auto y = sys.m() > 0 ? scatter.on_manifold() : scatter.off_manifold();
    if (!y) return result;
    ++result.states;
    sys.H_p(y->q, y->p, v);
    sys.H_q(y->q, y->p, force);
    apply(family, symmetry, y->q, motion);
    apply(family, symmetry, v, change);
    apply(family, symmetry, none, none);
    double sum = 0, size = 1e-300;
    for (int i = 0; i < sys.n(); ++i) {
      change[i] -= none[i];
      sum += y->p[i] * change[i] - force[i] * motion[i];
      size += std::abs(y->p[i] * change[i]) + std::abs(force[i] * motion[i]);
    }
    fill(none, 0.0);
    keep_largest(result.largest, std::abs(sum) / size);
    sys.G(y->q, G);
    for (int k = 0; k < sys.m(); ++k) {
      double along = 0, terms = 1e-300;
      G.row(k, [&](int j, double a) {
        along += a * motion[j];
        terms += std::abs(a * motion[j]);
      });
      keep_largest(result.largest, std::abs(along) / terms);
    }
  }
  return result;
}

}  // namespace holonom
