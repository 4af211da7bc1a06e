#include "families.hpp"
#include "holonom/methods/variational_method.hpp"

namespace holonom {

namespace {

constexpr const char* citation =
    "E. Hairer, C. Lubich, G. Wanner, Acta Numerica 12 (2003) 399-450; "
    "J. E. Marsden, M. West, Acta Numerica 10 (2001) 357-514";

struct VariationalRow {
  const char *key, *title, *remark;
  DiscreteRule (*rule)();
};
constexpr VariationalRow variational_rows[] = {
    {"variational-trapezoidal", "variational integrator, trapezoidal rule for the action",
     "with a constant mass it is rattle, which costs less; with a mass matrix M(q) it is a method of its own",
     trapezoidal_rule},
    {"variational-midpoint", "variational integrator, midpoint rule for the action",
     "the same steps as midpoint, from the Lagrangian", midpoint_rule},
};

}  // namespace

MethodInfo variational_info(std::string key, std::string title) {
  MethodInfo info;
  info.key = std::move(key);
  info.title = std::move(title);
  info.family = "variational";
  info.order = 2;
  info.symmetric = info.symplectic = info.keeps_position = info.keeps_hidden = info.momentum_maps = true;
  info.needs = Needs::lagrangian;
  info.citation = citation;
  return info;
}

MethodEntry variational_method(MethodInfo info, DiscreteRule rule) {
  const auto shared = std::make_shared<const DiscreteRule>(std::move(rule));
  const std::string key = info.key;
  return {std::move(info), all_scalars([&]<class S> { return variational_maker<S>(key, shared); })};
}

MethodFamily own_family(MethodEntry entry) {
  MethodFamily family;
  family.pattern = entry.info.key;
  family.members = {entry.info.key};
  family.parse = [entry = std::move(entry)](std::string_view key) -> std::optional<MethodEntry> {
    if (key == entry.info.key) return entry;
    return std::nullopt;
  };
  return family;
}

MethodFamily variational_family() {
  MethodFamily family;
  for (const VariationalRow& row : variational_rows) {
    family.pattern += (family.pattern.empty() ? "" : " | ") + std::string(row.key);
    family.members.push_back(row.key);
  }
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    // One rule a key: models keep the programs of each.
    static const std::vector<MethodEntry> entries = [] {
      std::vector<MethodEntry> list;
      for (const VariationalRow& row : variational_rows) {
        MethodInfo info = variational_info(row.key, row.title);
        info.remark = row.remark;
        list.push_back(variational_method(std::move(info), row.rule()));
      }
      return list;
    }();
    for (const MethodEntry& entry : entries)
      if (key == entry.info.key) return entry;
    return std::nullopt;
  };
  return family;
}

}  // namespace holonom
