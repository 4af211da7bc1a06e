#include "holonom/formulations/formulation.hpp"

#include <cmath>
#include <cstdlib>

#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"

namespace holonom {

namespace {

constexpr const char* leimkuhler_reich = "B. Leimkuhler, S. Reich, Math. Comput. 63 (1994) 589-605";
constexpr const char* reich = "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475-491";

const std::vector<FormulationInfo>& table() {
  static const std::vector<FormulationInfo> all = {
      {.name = "underlying",
       .alias = "index-1",
       .title = "the underlying ordinary differential equation, with the multipliers as functions of q and p",
       .independent = false,
       .no_impulses = "it is no Hamiltonian system",
       .citation = leimkuhler_reich},
      {.name = "h-m",
       .alias = "simplified",
       .title = "H_M = H + lambda(q, p).g; residuals grow, at a rate of about 2|v|/length",
       .hamiltonian = true,
       .citation = reich},
      {.name = "dirac",
       .title = "Dirac's H_T = H + mu(q, p).g + eta(q, p).psi; residuals oscillate where there is one constraint",
       .hamiltonian = true,
       .parameter = "alpha",
       .usual = "0",
       .response_reversed = true,
       .citation = leimkuhler_reich},
      {.name = "weak",
       .title = "the weakly Hamiltonian one: that of Dirac without terms that vanish on the manifold",
       .parameter = "alpha",
       .usual = "0",
       .no_impulses = "it is no Hamiltonian system, and an impulse along G^T does not move a position in it",
       .citation = leimkuhler_reich},
      {.name = "linear",
       .title = "H = p.M^-1 p/2 + V(projection of q), for linear constraints and constant masses",
       .hamiltonian = true,
       .separable = true,
       .citation = leimkuhler_reich},
      {.name = "baumgarte",
       .title = "Baumgarte's stabilisation: g'' + 2 alpha g' + alpha^2 g = 0",
       .damps = true,
       .parameter = "alpha",
       .usual = "1",
       .no_impulses = "it is no Hamiltonian system",
       .citation = "J. Baumgarte, Comput. Meth. Appl. Mech. Eng. 1 (1972) 1-16"},
      {.name = "baumgarte-twice",
       .title = "the variant of Leimkuhler and Reich: g' = psi - alpha g, psi' = -alpha psi",
       .damps = true,
       .parameter = "alpha",
       .usual = "1",
       .no_impulses = "it is no Hamiltonian system",
       .citation = leimkuhler_reich},
      {.name = "index-2",
       .alias = "ggl",
       .title = "the equations of index 2 of Gear, Gupta and Leimkuhler: both constraints, with a multiplier each",
       .independent = false,
       .on_manifold = true,
       .no_impulses = "its states are on the manifold",
       .citation = "C. W. Gear, B. Leimkuhler, G. K. Gupta, J. Comput. Appl. Math. 12-13 (1985) 77-90"},
      {.name = "state-space",
       .title = "2(n - m) canonical coordinates of the manifold",
       .hamiltonian = true,
       .on_manifold = true,
       .parameter = "chart",
       .usual = "fixed",
       .no_impulses = "its states are on the manifold",
       .citation = leimkuhler_reich},
      {.name = "penalty",
       .title = "H + g.g/(2 eps): constraints as stiff springs",
       .hamiltonian = true,
       .separable = true,
       .independent = false,
       .parameter = "eps",
       .no_impulses = "its positions are not to be on the manifold",
       .citation = reich},
  };
  return all;
}

}  // namespace

std::optional<ChartPolicy> ChartPolicy::parse(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  ChartPolicy policy;
  if (name == "partition")
    policy.kind = Kind::partition;
  else if (name == "every" || name == "tangent")
    policy.kind = Kind::tangent;
  else if (name == "own")
    policy.kind = Kind::own;
  else if (name == "own-velocity")
    policy.kind = Kind::own_velocity;
  else if (name != "fixed")
    return std::nullopt;
  const bool has_number = colon != std::string::npos;
  if (has_number != (name == "every") && !(has_number && name == "partition")) return std::nullopt;
  if (!has_number) return policy;
  const std::string digits = text.substr(colon + 1);
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != 0 || !(number > 0)) return std::nullopt;
  if (name == "partition") {
    policy.leave = number;
    return number <= 1 ? std::optional(policy) : std::nullopt;
  }
  policy.every = static_cast<long>(number);
  return static_cast<double>(policy.every) == number && number < 1e9 ? std::optional(policy) : std::nullopt;
}

std::span<const FormulationInfo> formulations() { return table(); }

std::string Formulation::key() const {
  if (!info) return "direct";
  return info->name + (parameter.empty() || parameter == info->usual ? "" : ":" + parameter);
}

bool Formulation::has_own_chart() const {
  return info->name == "state-space" && (parameter == "own" || parameter == "own-velocity");
}

bool Formulation::is_hamiltonian() const { return info->hamiltonian && parameter != "own-velocity"; }

bool Formulation::is_reversible() const {
  return !info->damps && (info->parameter != "alpha" || std::strtod(parameter.c_str(), nullptr) == 0);
}

Formulation Formulation::parse(const std::string& text) {
  if (text == "direct") return {};
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::vector<std::string> names{"direct"};
  for (const FormulationInfo& info : table()) {
    names.push_back(info.name);
    if (name != info.name && (info.alias.empty() || name != info.alias)) continue;
    Formulation found{&info, info.usual};
    if (colon != std::string::npos) {
      found.parameter = text.substr(colon + 1);
      if (info.parameter.empty()) throw InputError("the formulation '" + info.name + "' takes no number");
      if (info.name == "state-space") {
        if (!ChartPolicy::parse(found.parameter))
          throw InputError("'" + text + "': there is no chart '" + found.parameter +
                           "'. Charts are fixed, partition, every:K, tangent, own and own-velocity");
        return found;
      }
      char* end = nullptr;
      const double number = std::strtod(found.parameter.c_str(), &end);
      const bool plain = found.parameter.find_first_not_of("+-.0123456789eE") == std::string::npos;
      if (found.parameter.empty() || *end != 0 || !plain || !std::isfinite(number))
        throw InputError("'" + text + "': what is behind the colon must be a number, " + info.parameter);
      if (info.name == "penalty" && !(number > 0)) throw InputError("'" + text + "': eps must be positive");
    } else if (!info.parameter.empty() && info.usual.empty()) {
      throw InputError("the formulation '" + info.name + "' needs a number: " + info.name + ":" + info.parameter +
                       ", such as " + info.name + ":1e-4");
    }
    return found;
  }
  throw InputError("there is no formulation '" + name + "'." + suggestion(name, names, "Formulations"));
}

}  // namespace holonom
