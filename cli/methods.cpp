#include <cstdio>

#include "commands.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/model_system.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/preparation.hpp"
#include "json.hpp"
#include "output.hpp"

namespace holonom {

namespace {

struct Options {
  std::string key, model;
  bool json = false;
};

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

// Why a method cannot run on the model, or nothing.
std::string obstacle(const MethodEntry& entry, const ModelSystem<double>* sys) {
  if (!sys) return {};
  try {
    (void)entry.make<double>(*sys);
    if (!entry.info.formulation.empty()) (void)rank_remarks<double>(*sys, initial_state(*sys).state, "", {entry.info});
    return entry.info.constrained || sys->m() == 0
               ? ""
               : "with constraints it keeps nothing, and diverges in general; take " + entry.info.key + "+jay";
  } catch (const Unsuitable& e) {
    return e.what();
  } catch (const InputError& e) {
    return e.what();
  }
}

void write(Json& json, const MethodInfo& info, const std::string& reason, bool with_model) {
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
  if (with_model) json.boolean("suits_model", reason.empty()).text("reason", reason);
  json.end();
}

int methods_command(const Options& o) {
  std::unique_ptr<ModelSystem<double>> sys;
  if (!o.model.empty()) sys = std::make_unique<ModelSystem<double>>(compile(load_model(o.model)));
  const auto entries = o.key.empty() ? methods().all() : std::vector{methods().find(o.key)};
  if (o.json) {
    Json json;
    json.begin_list();
    for (const MethodEntry& e : entries) write(json, e.info, obstacle(e, sys.get()), sys != nullptr);
    json.end_list();
    std::printf("%s\n", json.str().c_str());
    return exit_done;
  }
  // What a method claims on the model; without one, and if constraints make a difference, what they do to it.
  const auto claims = [&](const MethodInfo& info) { return sys ? info.on(sys->m(), sys->is_field()) : info; };
  const auto yes = [&](const MethodInfo& info, bool b) {
    return !b ? "no" : sys || info.constrained ? "yes" : "if m = 0";
  };
  if (!o.key.empty()) {
    const MethodInfo info = claims(entries.front().info);
    std::printf("%s\n  %s\n\n", info.key.c_str(), info.title.c_str());
    const std::string order =
        std::to_string(info.order) + (info.order_q > 0 ? " (positions " + std::to_string(info.order_q) + ")" : "");
    std::printf("  order               %s\n  symmetric           %s\n  symplectic          %s\n", order.c_str(),
                yes(info, info.symmetric), yes(info, info.symplectic));
    std::printf("  constraints kept    %s\n  momentum maps kept  %s\n", kept(info).c_str(),
                yes(info, info.momentum_maps));
    std::printf("  fields y' = f(y)    %s\n", !info.for_fields ? "no" : info.needs_parts ? "in two parts" : "yes");
    if (info.volume) std::printf("  volume preserved    yes\n");
    std::printf("  compensated sums    %s\n  needs               %s\n", info.compensated ? "on" : "off", needs(info));
    std::printf("  citation            %s\n", info.citation.c_str());
    if (!info.remark.empty()) std::printf("  remark              %s\n", info.remark.c_str());
    if (sys) {
      const std::string reason = obstacle(entries.front(), sys.get());
      std::printf("  on %s: %s\n", o.model.c_str(), reason.empty() ? "suitable" : reason.c_str());
    }
    return exit_done;
  }
  std::printf("%-36s %5s  %-9s  %-10s  %-20s  %s\n", "method", "order", "symmetric", "symplectic", "constraints kept",
              "title");
  for (const MethodEntry& e : entries) {
    const std::string reason = obstacle(e, sys.get());
    const MethodInfo info = claims(e.info);
    std::printf("%-36s %5d  %-9s  %-10s  %-20s  %s\n", info.key.c_str(), info.order, yes(info, info.symmetric),
                yes(info, info.symplectic), kept(info).c_str(),
                reason.empty() ? info.title.c_str() : ("not for this model: " + reason).c_str());
  }
  std::printf("\nKeys:\n");
  for (const MethodFamily& family : methods().families()) std::printf("  %s\n", family.pattern.c_str());
  std::printf("\nFormulations, on which methods run without constraints:\n");
  for (const FormulationInfo& f : formulations())
    std::printf("  %-24s %s\n",
                (f.name + (f.parameter.empty() ? ""
                           : f.usual.empty()   ? ":" + f.parameter
                                               : "[:" + f.parameter + "]"))
                    .c_str(),
                f.title.c_str());
  return exit_done;
}

}  // namespace

void add_methods(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("methods", "List the methods, or show one");
  cmd->add_option("KEY", o->key, "A method, such as rattle");
  cmd->add_option("--model", o->model, "Say which methods suit this model")->check(file_name());
  cmd->add_flag("--json", o->json, "Print JSON");
  cmd->callback([o, &chosen] { chosen = [o] { return methods_command(*o); }; });
}

}  // namespace holonom
