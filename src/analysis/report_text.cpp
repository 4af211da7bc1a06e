#include <algorithm>

#include "holonom/analysis/result_text.hpp"
#include "print.hpp"

namespace holonom {

namespace {

const char* form_name(CompiledModel::Form form) {
  switch (form) {
    case CompiledModel::Form::separable: return "H = p.M^-1 p/2 + V(q), constant mass";
    case CompiledModel::Form::mass_matrix: return "H = p.M(q)^-1 p/2 + V(q), mass matrix depends on the position";
    case CompiledModel::Form::general: return "general H(q, p)";
  }
  return "";
}

const char* conservation_name(Conservation conservation, bool constrained) {
  switch (conservation) {
    case Conservation::strong:
      return constrained ? "conserved by the exact flow, strong (on the manifold and off it)"
                         : "conserved by the exact flow, strong";
    case Conservation::weak: return "conserved by the exact flow, weak (on the manifold only)";
    case Conservation::none: return "NOT conserved by the exact flow";
    case Conservation::unknown: return "NOT known";
  }
  return "";
}

const char* conservation_key(Conservation conservation) {
  constexpr const char* keys[] = {"strong", "weak", "none", "unknown"};
  return keys[static_cast<int>(conservation)];
}

void print_consistency(std::string& out, const ModelReport& r) {
  print(out, "  consistency      |g| = %.1e, |G H_p| = %.1e%s\n", r.position, r.hidden,
        r.projected ? " (projected)" : "");
  if (r.moved > 0) print(out, "                   projection moved a coordinate by %.1e at most\n", r.moved);
  if (r.energy_lost > 0)
    print(out, "                   projection of the motion took %.1e of the energy\n", r.energy_lost);
  print(out, "  rank of G        %d of %d%s\n", r.rank.rank, r.m,
        r.rank.rank == r.m         ? ""
        : r.rank.singular_position ? ": the start is a singular position"
                                   : ": redundant constraints");
  if (!r.rank.is_clear())
    print(out,
          "                   there is no clear gap: the last constraint that counts has %.0f times the pivot of the "
          "next\n",
          r.rank.gap);
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, r.rank.dependent.size()); ++i)
    print(out, "                   dependent: %s\n", quoted_list(r.constraints, r.rank.dependent[i]).c_str());
  if (r.rank.dependent.size() > shown)
    print(out, "                   and %zu more sets\n", r.rank.dependent.size() - shown);
  print(out, "  freedom          %d degrees\n", r.freedom());
}

// What symmetries of positions conserve, beyond what the model calls an invariant
void print_momentum_maps(std::string& out, const ModelReport& r) {
  const MomentumMaps& maps = r.momentum_maps;
  constexpr std::size_t shown = 12;
  if (maps.found.empty()) print(out, "  momentum maps    %s\n", maps.named.empty() ? "none found" : "no others found");
  for (std::size_t k = 0; k < std::min(shown, maps.found.size()); ++k) {
    const MomentumMap& map = maps.found[k];
    print(out, "  momentum map %-3s %s\n                   found, %s\n                   %s\n", map.name.c_str(),
          map.formula.c_str(), conservation_name(map.conservation, r.m > 0), map.evidence.c_str());
  }
  if (maps.found.size() > shown) print(out, "                   and %zu more\n", maps.found.size() - shown);
}

void write_start(Json& json, const ModelReport& r) {
  json.begin("start");
  if (r.has_energy) json.number("energy", r.energy);
  json.number("position", r.position).number("hidden", r.hidden).boolean("projected", r.projected);
  json.number("moved", r.moved).number("energy_lost", r.energy_lost);
  for (const auto& [key, values] : {std::pair("chart", &r.chart), std::pair("observables", &r.observables)}) {
    json.begin(key);
    for (const ModelReport::Value& value : *values) json.number(value.name, value.at_start);
    json.end();
  }
  json.begin_list("events");
  constexpr const char* directions[] = {"both", "up", "down"};
  for (const ModelReport::Event& e : r.events)
    json.begin()
        .text("name", e.name)
        .text("direction", directions[static_cast<int>(e.direction)])
        .number("value", e.at_start)
        .end();
  json.end_list().end();
}

void write_rank(Json& json, const ModelReport& r) {
  json.integer("rank", r.rank.rank).integer("freedom", r.freedom());
  json.boolean("singular_position", r.rank.singular_position).boolean("rank_is_clear", r.rank.is_clear());
  json.begin_list("dependent");
  for (const std::vector<int>& set : r.rank.dependent) {
    json.begin_list();
    for (const int k : set) json.text("", r.constraints[static_cast<std::size_t>(k)]);
    json.end_list();
  }
  json.end_list();
}

}  // namespace

std::string outline_text(const ModelReport& r) {
  std::string out = r.model + (r.file.empty() ? "" : " (" + r.file + ")") + "\n";
  if (r.is_field) {
    print(out, "  variables        %zu", r.variables_in_q + r.variables_in_p);
    if (r.has_parts) print(out, ", %zu in q and %zu in p", r.variables_in_q, r.variables_in_p);
    print(out, "\n  motion           a field, %s\n", r.has_parts ? "q' = g(q, p), p' = f(q, p)" : "y' = f(y)");
  } else {
    print(out, "  coordinates      %d\n  constraints      %d\n", r.n, r.m);
    print(out, "  energy           %s\n", form_name(r.form));
  }
  if (r.m > 0)
    print(out, "  Jacobian G       %d x %d, %d nonzeros (%.0f %%)\n", r.m, r.n, r.nonzeros,
          100.0 * r.nonzeros / (static_cast<double>(r.m) * r.n));
  return out;
}

std::string findings_text(const ModelReport& r) {
  std::string out;
  if (r.has_energy) print(out, "  energy at start  %.15g\n", r.energy);
  if (r.m > 0) print_consistency(out, r);
  for (std::size_t k = 0; k < r.chart.size(); ++k)
    print(out, "  %-16s %s = %.6g at the start\n", k == 0 ? "chart" : "", r.chart[k].name.c_str(), r.chart[k].at_start);
  if (r.is_field && !r.reversal_given && !r.is_reversible())
    print(out, "  reversibility    none is known: no [reversal] is given\n");
  else
    print(out, "  reversibility    %s (defect %.1e)\n",
          r.is_reversible() ? "the flow is reversible with the model's involution"
                            : "NOT reversible with this involution: see [reversal]",
          r.reversal_defect);
  for (const InvariantReport& invariant : r.invariants)
    print(out, "  invariant %-8s %s%s%s\n", invariant.name.c_str(), conservation_name(invariant.conservation, r.m > 0),
          invariant.conservation == Conservation::unknown ? ": " : "\n                   ", invariant.evidence.c_str());
  if (!r.is_field) print_momentum_maps(out, r);
  for (const ModelReport::Value& o : r.observables)
    print(out, "  observable %-7s %.6g at the start\n", o.name.c_str(), o.at_start);
  constexpr const char* directions[] = {"", ", upwards", ", downwards"};
  for (const ModelReport::Event& e : r.events)
    print(out, "  event %-12s crosses zero%s; %.6g at the start\n", e.name.c_str(),
          directions[static_cast<int>(e.direction)], e.at_start);
  return out;
}

std::string json_of(const ModelReport& r) {
  constexpr const char* forms[] = {"separable", "mass-matrix", "general"};
  Json json;
  json.begin().text("model", r.model).text("file", r.file);
  json.text("form", r.is_field ? "field" : forms[static_cast<int>(r.form)]);
  json.integer("coordinates", static_cast<long long>(r.variables_in_q));
  json.integer("momenta", static_cast<long long>(r.variables_in_p));
  json.integer("constraints", r.m).integer("nonzeros", r.nonzeros);
  write_start(json, r);
  write_rank(json, r);
  json.begin("reversibility").boolean("given", r.reversal_given).boolean("holds", r.is_reversible());
  json.number("defect", r.reversal_defect).end();
  json.begin_list("invariants");
  for (const InvariantReport& i : r.invariants)
    json.begin()
        .text("name", i.name)
        .text("conservation", conservation_key(i.conservation))
        .boolean("proved", i.proved)
        .text("evidence", i.evidence)
        .end();
  json.end_list().begin("momentum_maps").begin_list("named");
  for (const std::string& name : r.momentum_maps.named) json.text("", name);
  json.end_list().begin_list("found");
  for (const MomentumMap& map : r.momentum_maps.found)
    json.begin()
        .text("name", map.name)
        .text("formula", map.formula)
        .text("conservation", conservation_key(map.conservation))
        .boolean("proved", map.proved)
        .text("evidence", map.evidence)
        .end();
  json.end_list().end();
  if (!r.obstacle.empty()) json.text("message", r.obstacle);
  json.end();
  return json.str();
}

}  // namespace holonom
