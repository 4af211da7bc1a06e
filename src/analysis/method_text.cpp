#include "holonom/analysis/result_text.hpp"
#include "holonom/formulations/formulation.hpp"
#include "print.hpp"

namespace holonom {

namespace {

const char* needs(const MethodInfo& info) {
  switch (info.needs) {
    case Needs::separable: return "constant mass and a potential";
    case Needs::split: return "constant mass and a potential in two parts, slow and fast";
    case Needs::unconstrained: return "no constraints";
    case Needs::shears: return "a field in which no rate depends on its own variable";
    case Needs::lagrangian: return "an energy quadratic in the momenta, as formulas";
    case Needs::rigid_bodies: return "rigid bodies as rotation matrices, constant masses, and a potential";
    case Needs::hamiltonian: break;
  }
  return "any H(q, p)";
}
const char* needs_key(const MethodInfo& info) {
  constexpr const char* keys[] = {"separable", "split",      "hamiltonian", "unconstrained",
                                  "shears",    "lagrangian", "rigid-bodies"};
  return keys[static_cast<int>(info.needs)];
}

std::string kept(const MethodInfo& info) {
  if (info.keeps_position && info.keeps_hidden) return "g = 0 and G H_p = 0";
  if (info.keeps_position) return "g = 0";
  return "none";
}

// Without a model, and if constraints make a difference: what they do to it
const char* yes(const MethodList& list, const MethodInfo& info, bool b) {
  return !b ? "no" : list.has_model || info.constrained ? "yes" : "if m = 0";
}

std::string text_of_one(const MethodList& list) {
  const MethodInfo info = list.claims(list.items.front().info);
  std::string out;
  print(out, "%s\n  %s\n\n", info.key.c_str(), info.title.c_str());
  const std::string order =
      std::to_string(info.order) + (info.order_q > 0 ? " (positions " + std::to_string(info.order_q) + ")" : "");
  print(out, "  order               %s\n  symmetric           %s\n  symplectic          %s\n", order.c_str(),
        yes(list, info, info.symmetric), yes(list, info, info.symplectic));
  print(out, "  constraints kept    %s\n  momentum maps kept  %s\n", kept(info).c_str(),
        yes(list, info, info.momentum_maps));
  print(out, "  fields y' = f(y)    %s\n", !info.for_fields ? "no" : info.needs_parts ? "in two parts" : "yes");
  if (info.volume) print(out, "  volume preserved    yes\n");
  print(out, "  compensated sums    %s\n  needs               %s\n", info.compensated ? "on" : "off", needs(info));
  print(out, "  citation            %s\n", info.citation.c_str());
  if (!info.remark.empty()) print(out, "  remark              %s\n", info.remark.c_str());
  const std::string& reason = list.items.front().obstacle;
  if (list.has_model) print(out, "  on %s: %s\n", list.model.c_str(), reason.empty() ? "suitable" : reason.c_str());
  return out;
}

void write(Json& json, const MethodList::Item& item, bool with_model) {
  const MethodInfo& info = item.info;
  json.begin()
      .text("key", info.key)
      .text("title", info.title)
      .integer("order", info.order)
      .integer("order_q", info.order_q > 0 ? info.order_q : info.order);
  json.boolean("symmetric", info.symmetric).boolean("symplectic", info.symplectic);
  json.boolean("keeps_position_constraint", info.keeps_position).boolean("keeps_hidden_constraint", info.keeps_hidden);
  json.boolean("momentum_maps", info.momentum_maps);
  json.boolean("constrained", info.constrained).integer("stages", info.stages);
  json.boolean("one_step", info.one_step).boolean("compensated", info.compensated);
  json.boolean("volume", info.volume);
  json.boolean("for_fields", info.for_fields).boolean("needs_parts", info.needs_parts);
  json.text("needs", needs_key(info)).text("citation", info.citation).text("remark", info.remark);
  if (with_model) json.boolean("suits_model", item.obstacle.empty()).text("reason", item.obstacle);
  json.end();
}

}  // namespace

std::string text_of(const MethodList& list) {
  if (list.single) return text_of_one(list);
  std::string out;
  print(out, "%-36s %5s  %-9s  %-10s  %-20s  %s\n", "method", "order", "symmetric", "symplectic", "constraints kept",
        "title");
  for (const MethodList::Item& item : list.items) {
    const MethodInfo info = list.claims(item.info);
    print(out, "%-36s %5d  %-9s  %-10s  %-20s  %s\n", info.key.c_str(), info.order, yes(list, info, info.symmetric),
          yes(list, info, info.symplectic), kept(info).c_str(),
          item.obstacle.empty() ? info.title.c_str() : ("not for this model: " + item.obstacle).c_str());
  }
  print(out, "\nKeys:\n");
  for (const MethodFamily& family : methods().families()) print(out, "  %s\n", family.pattern.c_str());
  print(out, "\nFormulations, on which methods run without constraints:\n");
  for (const FormulationInfo& f : formulations())
    print(out, "  %-24s %s\n",
          (f.name + (f.parameter.empty() ? ""
                     : f.usual.empty()   ? ":" + f.parameter
                                         : "[:" + f.parameter + "]"))
              .c_str(),
          f.title.c_str());
  return out;
}

std::string json_of(const MethodList& list) {
  Json json;
  json.begin_list();
  for (const MethodList::Item& item : list.items) write(json, item, list.has_model);
  json.end_list();
  return json.str();
}

}  // namespace holonom
