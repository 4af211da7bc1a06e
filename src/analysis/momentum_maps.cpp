#include "holonom/analysis/momentum_maps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

#include "../model/tables.hpp"
#include "bracket_proof.hpp"
#include "exact_coefficients.hpp"
#include "holonom/analysis/point_symmetries.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "lapack.hpp"

namespace holonom {

namespace {

// A coefficient of p_i q_j, or of p_i alone
struct Entry {
  int i = 0, j = -1;
  std::size_t unknown = 0;
};

// Those of one item of a block, in the order in which they are written: x p_y − y p_x.
std::vector<Entry> entries_of(const CoordinateBlock& block, std::size_t first, const PointSymmetry& a, int item) {
  std::vector<Entry> entries;
  const auto add = [&](int i, int j, int unknown) {
    const std::size_t k = first + static_cast<std::size_t>(unknown);
    if (a[k] != 0) entries.push_back({i, j, k});
  };
  for (int r = 0; r < block.dim; ++r) {
    for (int c = 0; c < block.dim; ++c) add(block.coordinate(item, r), block.coordinate(item, c), block.linear(r, c));
    add(block.coordinate(item, r), -1, block.constant(r));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    const auto key = [](const Entry& e) { return std::tuple(e.j<0, std::max(e.i, e.j), std::min(e.i, e.j), e.j> e.i); };
    return key(x) < key(y);
  });
  return entries;
}

class Finder {
 public:
  Finder(const ModelSystem<double>& sys, const State<double>& start, const SymmetryFamily& family)
      : sys_(sys), model_(sys.compiled().model()), start_(start), family_(family) {}

  // A map with this basis vector: its coefficients are made exact if that is possible, and it is proved then.
  MomentumMap make(const PointSymmetry& a, bool strong) const {
    const auto exact = exact_coefficients(model_, a);
    MomentumMap map;
    map.formula = written(exact ? exact->values : a, exact);
    map.conservation = strong ? Conservation::strong : Conservation::weak;
    if (exact) {
      add_to_model(map, exact->values, *exact);
      map.proved = strong ? is_strong(map) : is_weak(map, exact->values);
    }
    if (map.proved) {
      map.evidence = sys_.m() == 0 ? "proved: {J, H} = 0"
                     : strong      ? "proved: {J, H} = 0 and {J, g} = 0"
                                   : "proved: {J, H} = 0 and {J, g} = C g";
      if (!model_.vectors.empty()) map.evidence += ", kernel by kernel";
    } else {
      constexpr int points = 20;
      const SymmetryDefect defect = point_symmetry_defect(sys_, start_, family_, a, points);
      char text[128];
      std::snprintf(text, sizeof text,
                    "not proved, tested at %d random points in double: largest rate %.1e of its terms", defect.states,
                    defect.largest);
      map.evidence = text;
      if (!(defect.largest < 1e-9)) map.conservation = Conservation::none;
    }
    return map;
  }

 private:
  bool is_strong(const MomentumMap& map) const {
    if (map.term) return kernel_brackets_vanish(model_, *map.term);
    if (!map.node || has_tables(model_)) return false;
    Model asked = model_;
    asked.invariants = {{"J", *map.node}};
    return BracketProof(asked).vanish(0);
  }
  bool is_weak(const MomentumMap& map, const PointSymmetry& a) const {
    if (!map.node || map.term || has_tables(model_)) return false;
    std::vector<double> C = constraint_mixing(sys_, start_, family_, a);
    for (double& c : C) c = -c;  // {J, g} = −G J_p
    const auto exact = C.empty() ? std::nullopt : exact_coefficients(model_, C, false);
    if (!exact) return false;
    Model asked = model_;
    asked.invariants = {{"J", *map.node}};
    return BracketProof(asked).vanish_on_manifold(0, exact->nodes);
  }

  // Coordinates as the labels say, those of item i of a vector coordinate as r[i].x
  std::string name_of(int coordinate, bool any_item) const {
    std::string name = sys_.labels().coordinates[static_cast<std::size_t>(coordinate)];
    if (any_item)
      if (const auto open = name.find('['), close = name.find(']'); close != std::string::npos)
        name.replace(open + 1, close - open - 1, "i");
    return name;
  }

  std::string written(const PointSymmetry& a, const std::optional<ExactCoefficients>& exact) const {
    constexpr std::size_t longest = 160;
    std::string text, sums;
    std::size_t first = 0, terms = 0;
    const auto append = [&](std::string& to, const std::vector<Entry>& entries, bool any_item) {
      for (const Entry& e : entries) {
        ++terms;
        std::string factor;
        bool negative = a[e.unknown] < 0;
        if (exact) {
          factor = exact->texts[e.unknown];
          negative = factor.starts_with('-');
          if (negative) factor.erase(0, 1);
        } else {
          char number[32];
          std::snprintf(number, sizeof number, "%.10g", std::abs(a[e.unknown]));
          factor = number;
        }
        if (to.size() > longest) continue;
        to += to.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
        if (factor != "1") to += factor + "*";
        if (e.j >= 0) to += name_of(e.j, any_item) + "*";
        to += "p_" + name_of(e.i, any_item);
      }
    };
    for (const CoordinateBlock& block : family_.blocks) {
      const bool table = block.count > 1 && !model_.vectors.empty();
      if (table) {
        std::string summand;
        append(summand, entries_of(block, first, a, 0), true);
        if (!summand.empty()) sums += (sums.empty() ? "" : " + ") + ("sum over i of (" + summand + ")");
      } else {
        for (int i = 0; i < block.count; ++i) append(text, entries_of(block, first, a, i), false);
      }
      first += static_cast<std::size_t>(block.unknowns());
    }
    if (text.size() > longest) text += " + ... (" + std::to_string(terms) + " terms)";
    return text.empty() ? sums : sums.empty() ? text : text + " + " + sums;
  }

  void add_to_model(MomentumMap& map, const PointSymmetry& a, const ExactCoefficients& exact) const {
    if (model_.vectors.empty()) {
      map.node = sum(a, exact, [&](int i) { return std::pair(model_.q[index(i)], model_.p[index(i)]); });
      return;
    }
    // One row that reads everything, or a row for each item of vectors of the same length.
    constexpr int most_in_a_row = 64;
    if (sys_.n() <= most_in_a_row)
      map.term = one_row(a, exact);
    else
      map.term = row_by_row(a, exact);
  }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // Σ c p_i q_j with (q, p) of each coordinate, of all items or of the first
  template <class Inputs>
  NodeId sum(const PointSymmetry& a, const ExactCoefficients& exact, Inputs&& inputs, bool first_item = false) const {
    Graph& g = *model_.graph;
    NodeId J = Graph::zero;
    std::size_t first = 0;
    for (const CoordinateBlock& block : family_.blocks) {
      for (int i = 0; i < (first_item ? 1 : block.count); ++i)
        for (const Entry& e : entries_of(block, first, a, i)) {
          NodeId product = inputs(e.i).second;
          if (e.j >= 0) product = g.mul(inputs(e.j).first, product);
          J = g.add(J, g.mul(exact.nodes[e.unknown], product));
        }
      first += index(block.unknowns());
    }
    return J;
  }

  using From = MappedTerm::Gather::From;
  // Inputs for `dim` coordinates from each of `firsts` on, in the rows of a term
  void gather(MappedTerm& term, int dim, const std::vector<std::int32_t>& firsts) const {
    for (const From from : {From::position, From::momentum}) {
      MappedTerm::Gather& read = term.gathers.emplace_back();
      read.from = from;
      for (int c = 0; c < dim; ++c) read.x.push_back(model_.graph->input());
      read.first = firsts;
    }
  }

  MappedTerm one_row(const PointSymmetry& a, const ExactCoefficients& exact) const {
    MappedTerm term;
    term.role = MappedTerm::Role::invariant;
    term.rows = 1;
    term.single = true;
    gather(term, sys_.n(), {0});
    term.kernel =
        sum(a, exact, [&](int i) { return std::pair(term.gathers[0].x[index(i)], term.gathers[1].x[index(i)]); });
    return term;
  }
  std::optional<MappedTerm> row_by_row(const PointSymmetry& a, const ExactCoefficients& exact) const {
    MappedTerm term;
    term.role = MappedTerm::Role::invariant;
    std::map<int, std::pair<NodeId, NodeId>> inputs;  // of the coordinates of the first item
    std::size_t first = 0;
    for (const CoordinateBlock& block : family_.blocks) {
      const bool acts = !entries_of(block, first, a, 0).empty();
      first += index(block.unknowns());
      if (!acts) continue;
      if (block.count == 1 || (term.rows > 0 && term.rows != block.count)) return std::nullopt;
      term.rows = block.count;
      std::vector<std::int32_t> firsts;
      for (int i = 0; i < block.count; ++i) firsts.push_back(block.coordinate(i, 0));
      gather(term, block.dim, firsts);
      for (int c = 0; c < block.dim; ++c)
        inputs[block.coordinate(0, c)] = {(term.gathers.end() - 2)->x[index(c)], term.gathers.back().x[index(c)]};
    }
    term.kernel = sum(
        a, exact, [&](int i) { return inputs.at(i); }, true);
    return term;
  }

  const ModelSystem<double>& sys_;
  const Model& model_;
  const State<double>& start_;
  const SymmetryFamily& family_;
};

// Invariants that are combinations of the maps in `basis`, as rows of coefficients with respect to it.
struct NamedMaps {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};
NamedMaps named_maps(const ModelSystem<double>& sys, const State<double>& start, const SymmetryFamily& family,
                     const std::vector<PointSymmetry>& basis) {
  NamedMaps named;
  const auto count = static_cast<int>(sys.labels().invariants.size());
  const auto size = static_cast<int>(basis.size());
  if (count == 0 || size == 0) return named;
  const std::vector<State<double>> states = states_off_manifold(sys, start, size + 8);
  const auto rows = static_cast<int>(states.size());
  if (rows < size) return named;
  Columns J(rows, size), I(rows, count);
  Vec<double> motion(sys.n()), value(count);
  for (int s = 0; s < rows; ++s) {
    State<double> y = states[static_cast<std::size_t>(s)];
    for (int i = 0; i < sys.n(); ++i) y.p[i] += std::cos(7.0 * i + s);  // a start at rest has no momenta
    sys.invariants(y.q, y.p, value);
    for (int k = 0; k < count; ++k) I(s, k) = value[k];
    for (int k = 0; k < size; ++k) {
      apply(family, basis[static_cast<std::size_t>(k)], y.q, motion);
      J(s, k) = dot(y.p, motion);
    }
  }
  const Columns C = least_squares(J, I);
  for (int k = 0; k < count; ++k) {
    double all = 0, left = 0;  // |I|², |J C − I|²
    for (int s = 0; s < rows; ++s) {
      double difference = -I(s, k);
      for (int j = 0; j < size; ++j) difference += J(s, j) * C(j, k);
      all += I(s, k) * I(s, k);
      left += difference * difference;
    }
    if (!(left <= 1e-16 * all) || !(all > 0)) continue;
    named.names.push_back(sys.labels().invariants[static_cast<std::size_t>(k)]);
    named.rows.emplace_back(C.column(k), C.column(k) + size);
  }
  return named;
}

// Adds a row to others, unless it depends on them.
bool add_independent(std::vector<std::vector<double>>& rows, std::vector<double> row) {
  double largest = 0;
  for (const double a : row) largest = std::max(largest, std::abs(a));
  for (const std::vector<double>& other : rows) {
    const auto pivot =
        std::max_element(other.begin(), other.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
    const auto j = static_cast<std::size_t>(pivot - other.begin());
    const double factor = row[j] / *pivot;
    for (std::size_t c = 0; c < row.size(); ++c) row[c] -= factor * other[c];
    row[j] = 0;
  }
  double left = 0;
  for (const double a : row) left = std::max(left, std::abs(a));
  if (!(left > 1e-6 * largest)) return false;
  rows.push_back(std::move(row));
  return true;
}

template <class Key>
std::vector<std::size_t> sorted_by(std::size_t count, Key&& key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

MomentumMaps find_momentum_maps(const ModelSystem<double>& sys, const State<double>& start) {
  struct Found {
    SymmetryFamily family;
    PointSymmetries symmetries;
    std::vector<PointSymmetry> basis;
  };
  std::vector<Found> all;
  for (const SymmetryFamily& family : symmetry_families(sys)) {
    PointSymmetries symmetries = point_symmetries(sys, start, family);
    std::vector<PointSymmetry> basis = symmetries.strong;
    basis.insert(basis.end(), symmetries.weak.begin(), symmetries.weak.end());
    all.push_back({family, std::move(symmetries), std::move(basis)});
  }
  // Families of many coordinates overlap: the one that explains most comes first.
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& a, const Found& b) { return a.basis.size() > b.basis.size(); });

  MomentumMaps maps;
  std::set<std::string> used(sys.labels().invariants.begin(), sys.labels().invariants.end());
  const std::vector<State<double>> states = nearby_states(sys, start, 3);
  std::vector<std::vector<double>> known;  // what is moved where, at these states
  for (const Found& in : all) {
    const auto motion = [&](const PointSymmetry& a) {
      std::vector<double> values;
      Vec<double> at(sys.n());
      for (const State<double>& y : states) {
        apply(in.family, a, y.q, at);
        values.insert(values.end(), at.begin(), at.end());
      }
      return values;
    };
    const NamedMaps named = named_maps(sys, start, in.family, in.basis);
    for (std::size_t k = 0; k < named.names.size(); ++k) {
      if (std::find(maps.named.begin(), maps.named.end(), named.names[k]) != maps.named.end()) continue;
      maps.named.push_back(named.names[k]);
      PointSymmetry sum(static_cast<std::size_t>(in.family.unknowns()));
      for (std::size_t j = 0; j < in.basis.size(); ++j)
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += named.rows[k][j] * in.basis[j][c];
      add_independent(known, motion(sum));
    }
    for (const PointSymmetry& carried : carried_by_translations(in.family, in.symmetries.strong))
      add_independent(known, motion(carried));
    const Finder finder(sys, start, in.family);
    // The simplest ones first, strong before weak
    const auto is_strong = [&](std::size_t k) { return k < in.symmetries.strong.size(); };
    const auto terms = [&](std::size_t k) {
      return std::count_if(in.basis[k].begin(), in.basis[k].end(), [](double c) { return c != 0; });
    };
    std::vector<std::size_t> chosen;
    for (const std::size_t k :
         sorted_by(in.basis.size(), [&](std::size_t k) { return std::pair(!is_strong(k), terms(k)); }))
      if (add_independent(known, motion(in.basis[k]))) chosen.push_back(k);
    std::sort(chosen.begin(), chosen.end());
    for (const std::size_t k : chosen) {
      MomentumMap map = finder.make(in.basis[k], is_strong(k));
      if (map.conservation == Conservation::none) continue;
      int number = static_cast<int>(maps.found.size()) + 1;
      do map.name = "J" + std::to_string(number++);
      while (used.contains(map.name));
      used.insert(map.name);
      maps.found.push_back(std::move(map));
    }
  }
  return maps;
}

Model with_invariants(Model model, const MomentumMaps& maps, bool weak_ones) {
  for (const MomentumMap& map : maps.found) {
    if (!map.proved || (map.conservation == Conservation::weak && !weak_ones)) continue;
    if (map.term) {
      MappedTerm term = *map.term;
      term.name = map.name;
      model.terms.push_back(std::move(term));
    } else {
      model.invariants.push_back({map.name, *map.node});
    }
  }
  return model;
}

}  // namespace holonom
