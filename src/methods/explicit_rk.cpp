#include <algorithm>

#include "families.hpp"

namespace holonom {

namespace {

struct ExplicitRow {
  const char *key, *title, *citation;
  ExplicitTableau (*tableau)();
};
constexpr ExplicitRow explicit_rows[] = {
    {"rk-2", "explicit midpoint rule of Runge, order 2, on the underlying ODE, projected",
     "C. Runge, Math. Ann. 46 (1895) 167-178", midpoint_tableau},
    {"rk-4", "Kutta's method of order 4 on the underlying ODE, projected", "W. Kutta, Z. Math. Phys. 46 (1901) 435-453",
     classical_tableau},
    {"rkf-78", "Fehlberg's method of order 8 on the underlying ODE, projected", "E. Fehlberg, NASA TR R-287 (1968)",
     fehlberg_tableau}};

}  // namespace

MethodFamily explicit_rk_family() {
  MethodFamily family;
  for (const ExplicitRow& row : explicit_rows) {
    family.pattern += (family.pattern.empty() ? "" : " | ") + std::string(row.key);
    family.members.push_back(row.key);
  }
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    const auto row = std::find_if(std::begin(explicit_rows), std::end(explicit_rows),
                                  [&](const ExplicitRow& r) { return key == r.key; });
    if (row == std::end(explicit_rows)) return std::nullopt;
    const ExplicitTableau tableau = row->tableau();
    MethodInfo info;
    info.key = key;
    info.family = "explicit-rk";
    info.for_fields = true;
    info.title = row->title;
    info.order = tableau.order;
    info.compensated = info.order >= 6;
    info.keeps_position = info.keeps_hidden = true;
    info.citation = row->citation;
    info.remark = "not symplectic: its energy drifts. A baseline for comparison";
    return MethodEntry{info, all_scalars([&]<class S> { return explicit_rk_maker<S>(info.key, tableau); })};
  };
  return family;
}

}  // namespace holonom
