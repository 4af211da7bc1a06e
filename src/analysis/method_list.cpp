#include "holonom/analysis/method_list.hpp"

#include "holonom/run/preparation.hpp"

namespace holonom {

namespace {

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

}  // namespace

MethodList list_methods(const std::string& key, const ModelSystem<double>* model, const std::string& model_name) {
  MethodList list;
  list.single = !key.empty();
  if (model) {
    list.has_model = true;
    list.is_field = model->is_field();
    list.model = model_name;
    list.constraints = model->m();
  }
  for (const MethodEntry& entry : list.single ? std::vector{methods().find(key)} : methods().all())
    list.items.push_back({entry.info, obstacle(entry, model)});
  return list;
}

}  // namespace holonom
