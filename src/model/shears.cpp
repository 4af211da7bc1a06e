// The parts of a field in which no rate depends on its own part, by the sparsity of f': the first variables as long as
// none of their rates depends on one of them, then the next ones.
#include "holonom/model/compiled_model.hpp"
#include "holonom/model/shear_parts.hpp"
#include "nodes.hpp"

namespace holonom {

namespace {

// Variables and rates without what fills up q and p.
struct Variables {
  explicit Variables(const Model& model) : in_q(model.coordinates.size()) {
    names = model.coordinates;
    names.insert(names.end(), model.field->variables_in_p.begin(), model.field->variables_in_p.end());
    const auto add = [](Nodes& to, const Nodes& from, std::size_t count) {
      to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
    };
    add(y, model.q, in_q);
    add(y, model.p, names.size() - in_q);
    add(rate, model.field->q_rate, in_q);
    add(rate, model.field->p_rate, names.size() - in_q);
  }
  std::size_t in_q;
  std::vector<std::string> names;
  Nodes y, rate;
};

}  // namespace

ShearParts shear_parts(const Model& model) {
  const Variables variables(model);
  const std::size_t n = variables.y.size();
  const SparseJacobian J = jacobian(*model.graph, variables.rate, variables.y);
  std::vector<bool> uses(n * n, false);  // whether the rate i depends on y_j
  for (std::size_t i = 0; i < n; ++i)
    for (auto z = static_cast<std::size_t>(J.row_start[i]); z < static_cast<std::size_t>(J.row_start[i + 1]); ++z)
      uses[i * n + static_cast<std::size_t>(J.column[z])] = true;
  ShearParts parts;
  parts.in_q = static_cast<int>(variables.in_q);
  for (std::size_t i = 0; i < n; ++i)
    if (uses[i * n + i]) {
      const bool two_parts = variables.in_q < n;
      parts.obstacle = "the rate of '" + variables.names[i] + "' depends on '" + variables.names[i] +
                       "' itself, and the splitting is for fields in which every rate is one of the other variables. " +
                       (two_parts ? "Take verlet-a or verlet-b, or a Runge-Kutta method such as gauss-2"
                                  : "Take a Runge-Kutta method such as gauss-2 or rk-4");
      return parts;
    }
  std::size_t first = 0;
  parts.start = {0};
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = first; j < i; ++j)
      if (uses[i * n + j] || uses[j * n + i]) {
        parts.start.push_back(static_cast<int>(first = i));
        break;
      }
  parts.start.push_back(static_cast<int>(n));
  return parts;
}

const ShearParts& CompiledModel::shears() const {
  const std::lock_guard lock(mutex_);
  if (!shears_) shears_ = std::make_shared<const ShearParts>(is_field() ? shear_parts(model_) : ShearParts{});
  return *shears_;
}

std::shared_ptr<const Program> CompiledModel::shear_program(int k) const {
  const ShearParts& parts = shears();
  const std::lock_guard lock(mutex_);
  shear_programs_.resize(static_cast<std::size_t>(parts.count()));
  auto& slot = shear_programs_[static_cast<std::size_t>(k)];
  if (!slot) {
    const Nodes all = Variables(model_).rate, rates(all.begin() + parts.first(k), all.begin() + parts.first(k + 1));
    const std::vector<Nodes> in{model_.q, model_.p}, out{rates};
    slot = std::make_shared<const Program>(*model_.graph, in, out);
  }
  return slot;
}

}  // namespace holonom
