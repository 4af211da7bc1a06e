// A model made ready: names, the pattern of G, and what is asked of the whole of it.
#include "holonom/model/compiled_model.hpp"

#include <algorithm>

#include "holonom/model/phase_constraints.hpp"
#include "nodes.hpp"

namespace holonom {

namespace {

[[noreturn]] void refuse_flat(const Model& model, const std::string& name) {
  throw InputError(
      model.place("constraints." + name) + "the gradient of constraint '" + name +
      "' is zero everywhere: it is made of comparisons, floor or choices between constants, and cannot hold a motion. "
      "Write a formula that is zero along the motion and changes smoothly across it");
}

}  // namespace

CompiledModel::CompiledModel(Model source) : model_(std::move(source)) {
  validate(model_);
  Graph& graph = *model_.graph;
  Labels labels;
  labels.model = model_.name;
  labels.coordinates = model_.coordinates;
  if (model_.field) labels.variables_in_p = model_.field->variables_in_p;
  for (const Named& c : model_.constraints) labels.constraints.push_back(c.name);
  for (const Named& i : model_.invariants) labels.invariants.push_back(i.name);
  for (const Named& o : model_.observables) labels.observables.push_back(o.name);
  SparseJacobian J = jacobian(graph, nodes_of(model_.constraints), model_.q);
  for (std::size_t k = 0; k < model_.constraints.size(); ++k)
    if (J.row_start[k] == J.row_start[k + 1]) refuse_flat(model_, model_.constraints[k].name);
  Pattern pattern{model_.n(), std::move(J.row_start), std::move(J.column)};
  G_entries_ = std::move(J.entry);
  add_vectors(labels, pattern);
  shared_labels_ = std::make_shared<const Labels>(std::move(labels));
  shared_pattern_ = std::make_shared<const Pattern>(std::move(pattern));
  find_form();
  find_observable_needs();
}

void CompiledModel::add_vectors(Labels& labels, Pattern& pattern) {
  Graph& graph = *model_.graph;
  constexpr const char* component[] = {".x", ".y", ".z"};
  // Many items: no growing by copies.
  labels.coordinates.reserve(static_cast<std::size_t>(model_.n()));
  labels.constraints.reserve(static_cast<std::size_t>(model_.m()));
  pattern.row_start.reserve(static_cast<std::size_t>(model_.m()) + 1);
  for (const VectorCoordinate& v : model_.vectors) {
    labels.vectors.push_back({v.name, v.count, v.dim, v.offset});
    for (int i = 0; i < v.count; ++i)
      for (int c = 0; c < v.dim; ++c)
        labels.coordinates.push_back(v.name + "[" + std::to_string(i) + "]" + component[c]);
  }
  for (const MappedTerm& term : model_.terms) {
    stacks_.emplace_back();
    if (term.role == MappedTerm::Role::invariant) labels.invariants.push_back(term.name);
    if (term.role == MappedTerm::Role::observable) labels.observables.push_back(term.name);
    if (term.role != MappedTerm::Role::constraint) continue;
    const std::vector<Nodes> parts = kernel_gradient(graph, term, term.kernel);
    if (without_zeros(parts).empty()) refuse_flat(model_, term.name);
    stacks_.back() = {pattern.m(), pattern.nonzeros(), static_cast<int>(without_zeros(parts).size())};
    pattern.column.reserve(pattern.column.size() + static_cast<std::size_t>(term.rows) * without_zeros(parts).size());
    labels.stacks.push_back({term.name, pattern.m(), term.single ? 0 : term.rows});
    for (int row = 0; row < term.rows; ++row) {
      labels.constraints.push_back(term.single ? term.name : term.name + "[" + std::to_string(row) + "]");
      for (std::size_t g = 0; g < parts.size(); ++g)
        for (std::size_t c = 0; c < parts[g].size(); ++c)
          if (parts[g][c] != Graph::zero)
            pattern.column.push_back(term.gathers[g].first[static_cast<std::size_t>(row)] + static_cast<int>(c));
      pattern.row_start.push_back(pattern.nonzeros());
    }
  }
}

void CompiledModel::find_observable_needs() {
  const auto note = [&](const std::string& name, bool velocity, bool multipliers, bool energies) {
    if (energies && form_ == Form::general)
      throw InputError(model_.place("observables." + name) + "observable '" + name +
                       "' uses the kinetic or the potential energy, but " + not_separable_ +
                       ": write the part that you mean as a formula of coordinates and momenta");
    observable_needs_.velocity |= velocity || energies;  // T = p·v/2
    observable_needs_.multipliers |= multipliers;
    observable_needs_.energies |= energies;
  };
  for (const Named& o : model_.observables) {
    const auto uses = [&](const Nodes& inputs) { return depends_on(*model_.graph, std::span(&o.node, 1), inputs); };
    note(o.name, uses(model_.v), uses(model_.lambda), uses(model_.energies));
  }
  for (const MappedTerm& term : model_.terms) {
    if (term.role != MappedTerm::Role::observable) continue;
    using From = MappedTerm::Gather::From;
    const auto uses = [&](From from) {
      return std::any_of(term.gathers.begin(), term.gathers.end(),
                         [&](const MappedTerm::Gather& g) { return g.from == from; });
    };
    note(term.name, uses(From::velocity), uses(From::multiplier), uses(From::energies));
  }
}

bool CompiledModel::is_split() const {
  return model_.fast_potential ||
         std::any_of(model_.terms.begin(), model_.terms.end(), [](const MappedTerm& term) { return term.fast; });
}

bool CompiledModel::is_small() const {
  constexpr int few = 12;
  return form_ == Form::separable && mass_diagonal_ && model_.terms.empty() && model_.vectors.empty() &&
         pattern().n <= few && pattern().m() > 0;
}

std::shared_ptr<const CompiledModel> compile(Model model) {
  take_phase_constraints(model);
  return std::make_shared<const CompiledModel>(std::move(model));
}

}  // namespace holonom
