// {I, H} and {I, g} where I, H and g are sums and stacks of kernels over tables: I = Σ_σ κ(row σ), V = Σ_ρ K(row ρ).
//   {I, ½ pᵀM⁻¹p} = Σ_σ Σ_j κ_qj p_j/m_j,   {I, K(row ρ)} = −Σ_j K_qj I_pj,
// where j are the coordinates that a row reads. Each row is asked to vanish by itself. Rows that read coordinates in
// the same way give the same expression, which is proved once: so many rows are one proof, or a few.
#include <algorithm>
#include <map>
#include <set>

#include "bracket_proof.hpp"
#include "holonom/expr/zero_prover.hpp"

namespace holonom {

namespace {

using From = MappedTerm::Gather::From;
using Nodes = std::vector<NodeId>;
using Shape = std::vector<int>;  // how a row reads coordinates

// Beyond these a proof row by row is not worth the time.
constexpr std::size_t most_shapes = 64, longest_shape = 200;

// An input of a kernel that reads a position or a momentum, the derivative with respect to it, and what that depends
// on.
struct Reading {
  From from;
  NodeId x;
  const std::vector<std::int32_t>* first;
  int component;
  NodeId slope;
  std::vector<std::size_t> used;  // other readings that the slope depends on

  int coordinate(std::size_t row) const { return (*first)[row] + component; }
};

std::vector<Reading> readings_of(Graph& graph, const MappedTerm& term) {
  std::vector<Reading> readings;
  const std::vector<NodeId> in_kernel = graph.reachable(std::span(&term.kernel, 1));
  Nodes x;
  for (const MappedTerm::Gather& gather : term.gathers)
    for (std::size_t c = 0; c < gather.x.size(); ++c)
      if (std::binary_search(in_kernel.begin(), in_kernel.end(), gather.x[c])) {
        readings.push_back({gather.from, gather.x[c], &gather.first, static_cast<int>(c), Graph::zero, {}});
        x.push_back(gather.x[c]);
      }
  const Nodes slopes = gradient(graph, term.kernel, x);
  for (std::size_t a = 0; a < readings.size(); ++a) {
    readings[a].slope = slopes[a];
    const std::vector<NodeId> in_slope = graph.reachable(std::span(&slopes[a], 1));
    for (std::size_t b = 0; b < readings.size(); ++b)
      if (std::binary_search(in_slope.begin(), in_slope.end(), x[b])) readings[a].used.push_back(b);
  }
  return readings;
}

// Inputs that stand for the coordinates, momenta, masses and numbers of one row and of those that meet it, in the order
// in which they are met.
class Symbols {
 public:
  explicit Symbols(Graph& graph) : graph_(graph) {}

  void clear() { met_.clear(); }
  // The number of what is met, and its input: kind and number of it say what it is.
  int number(int kind, long id) {
    const auto it = std::find(met_.begin(), met_.end(), std::pair(kind, id));
    if (it != met_.end()) return static_cast<int>(it - met_.begin());
    met_.emplace_back(kind, id);
    return static_cast<int>(met_.size()) - 1;
  }
  NodeId input(int number) {
    while (inputs_.size() <= static_cast<std::size_t>(number)) inputs_.push_back(graph_.input());
    return inputs_[static_cast<std::size_t>(number)];
  }

 private:
  Graph& graph_;
  std::vector<std::pair<int, long>> met_;
  Nodes inputs_;
};
enum Kind : int { position, momentum, item_mass, row_value };

class KernelProof {
 public:
  KernelProof(const Model& model, const MappedTerm& invariant)
      : model_(model),
        graph_(*model.graph),
        I_(invariant),
        readings_(readings_of(graph_, invariant)),
        symbols_(graph_),
        prover_(graph_) {
    for (const VectorCoordinate& v : model.vectors)
      mass_of_item_.push_back(depends_on(graph_, std::span(&v.mass, 1), std::span(&v.item, 1)));
    readers_.resize(static_cast<std::size_t>(model.n()));
    for (std::size_t a = 0; a < readings_.size(); ++a)
      if (readings_[a].from == From::momentum && readings_[a].slope != Graph::zero)
        for (std::size_t row = 0; row < static_cast<std::size_t>(I_.rows); ++row)
          readers_[static_cast<std::size_t>(readings_[a].coordinate(row))].push_back(
              {static_cast<int>(row), static_cast<int>(a)});
  }

  bool with_kinetic_energy() {
    const bool moves = std::any_of(readings_.begin(), readings_.end(),
                                   [](const Reading& r) { return r.from == From::position && r.slope != Graph::zero; });
    if (!moves) return true;
    if (model_.mass_table || model_.mass.size() != model_.q.size()) return false;
    std::set<Shape> proved;
    Shape shape, last;
    for (std::size_t row = 0; row < static_cast<std::size_t>(I_.rows); ++row) {
      symbols_.clear();
      shape.clear();
      for (const Reading& r : readings_) {
        shape.push_back(symbol(r, row));
        if (r.from != From::position || r.slope == Graph::zero) continue;
        const int j = r.coordinate(row);
        shape.push_back(symbols_.number(momentum, j));
        shape.push_back(mass_symbol(j));
      }
      if (shape == last || !proved.insert(last = shape).second) continue;
      if (proved.size() > most_shapes) return false;
      NodeId sum = Graph::zero;
      std::unordered_map<NodeId, NodeId> by;
      auto next = shape.begin();
      for (const Reading& r : readings_) {
        by[r.x] = symbols_.input(*next++);
        if (r.from != From::position || r.slope == Graph::zero) continue;
        const NodeId p = symbols_.input(*next++);
        const int m = *next++;
        sum = graph_.add(sum, graph_.mul(r.slope, graph_.div(p, mass(r.coordinate(row), m))));
      }
      if (!prover_.is_zero(graph_.substitute(std::span(&sum, 1), by)[0])) return false;
    }
    return true;
  }

  // A term of the potential, or constraints: a function of positions
  bool with(const MappedTerm& term) {
    const std::vector<Reading> K = readings_of(graph_, term);
    std::set<Shape> proved;
    Shape shape, last;
    for (std::size_t row = 0; row < static_cast<std::size_t>(term.rows); ++row) {
      symbols_.clear();
      shape.clear();
      for (const Reading& k : K) shape.push_back(symbol(k, row));
      for (const Reading& k : K) {
        for (const Reader& reader : readers(k, row)) {
          shape.push_back(reader.reading);
          for (const std::size_t b : at(reader).used)
            shape.push_back(symbol(readings_[b], static_cast<std::size_t>(reader.row)));
          for (std::size_t v = 0; v < I_.values.size(); ++v) shape.push_back(row_symbol(reader.row, v));
          if (shape.size() > longest_shape) return false;
        }
        shape.push_back(end_of_readers);
      }
      if (shape == last || !proved.insert(last = shape).second) continue;
      if (proved.size() > most_shapes || !vanishes(K, row)) return false;
    }
    return true;
  }

 private:
  struct Reader {
    int row, reading;
  };
  static constexpr int end_of_readers = -1;
  const std::vector<Reader>& readers(const Reading& k, std::size_t row) const {
    return readers_[static_cast<std::size_t>(k.coordinate(row))];
  }
  const Reading& at(const Reader& reader) const { return readings_[static_cast<std::size_t>(reader.reading)]; }

  int symbol(const Reading& r, std::size_t row) {
    return symbols_.number(r.from == From::position ? position : momentum, r.coordinate(row));
  }
  int row_symbol(int row, std::size_t value) {
    return symbols_.number(row_value,
                           static_cast<long>(row) * static_cast<long>(I_.values.size()) + static_cast<long>(value));
  }

  // Σ_j K_qj I_pj of one row, whose symbols are known
  bool vanishes(const std::vector<Reading>& K, std::size_t row) {
    NodeId sum = Graph::zero;
    std::unordered_map<NodeId, NodeId> of_row;
    for (const Reading& k : K) of_row[k.x] = symbols_.input(symbol(k, row));
    for (const Reading& k : K) {
      const NodeId K_q = graph_.substitute(std::span(&k.slope, 1), of_row)[0];
      for (const Reader& reader : readers(k, row)) {
        std::unordered_map<NodeId, NodeId> by;
        for (const std::size_t b : at(reader).used)
          by[readings_[b].x] = symbols_.input(symbol(readings_[b], static_cast<std::size_t>(reader.row)));
        for (std::size_t v = 0; v < I_.values.size(); ++v)
          by[I_.values[v].input] = symbols_.input(row_symbol(reader.row, v));
        sum = graph_.add(sum, graph_.mul(K_q, graph_.substitute(std::span(&at(reader).slope, 1), by)[0]));
      }
    }
    return prover_.is_zero(sum);
  }

  // A mass that depends on the item is a number of which nothing is known; −1 − k: the k-th formula of a mass.
  int mass_symbol(int j) {
    const auto named = static_cast<int>(model_.q.size());
    if (j < named) return -1 - j;
    for (std::size_t k = 0; k < model_.vectors.size(); ++k) {
      const VectorCoordinate& v = model_.vectors[k];
      if (j >= v.offset + v.size()) continue;
      if (!mass_of_item_[k]) return -1 - named - static_cast<int>(k);
      return symbols_.number(item_mass, v.offset + (j - v.offset) / v.dim);
    }
    throw std::out_of_range("there is no such coordinate");
  }
  NodeId mass(int j, int symbol_of_mass) {
    if (symbol_of_mass >= 0) return symbols_.input(symbol_of_mass);
    if (j < static_cast<int>(model_.q.size())) return model_.mass[static_cast<std::size_t>(j)];
    return model_.vectors[static_cast<std::size_t>(-1 - symbol_of_mass) - model_.q.size()].mass;
  }

  const Model& model_;
  Graph& graph_;
  const MappedTerm& I_;
  std::vector<Reading> readings_;
  std::vector<std::vector<Reader>> readers_;  // of the momentum of a coordinate
  std::vector<bool> mass_of_item_;
  Symbols symbols_;
  ZeroProver prover_;
};

}  // namespace

bool kernel_brackets_vanish(const Model& model, const MappedTerm& invariant) {
  KernelProof proof(model, invariant);
  const auto with_formula = [&](NodeId f) {
    MappedTerm term;
    term.rows = 1;
    term.kernel = f;
    term.gathers = {{From::position, model.q, {0}}};
    return proof.with(term);
  };
  if (!proof.with_kinetic_energy() || !with_formula(*model.potential)) return false;
  for (const Named& constraint : model.constraints)
    if (!with_formula(constraint.node)) return false;
  return std::all_of(model.terms.begin(), model.terms.end(), [&](const MappedTerm& term) {
    const bool acts = term.role == MappedTerm::Role::energy || term.role == MappedTerm::Role::constraint;
    return !acts || proof.with(term);
  });
}

}  // namespace holonom
