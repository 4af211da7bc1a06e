#include "families.hpp"

namespace holonom {

MethodFamily explicit_rk_family() {
  MethodFamily family;
  family.pattern = "rk-4 | rkf-78";
  family.members = {"rk-4", "rkf-78"};
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    if (key != "rk-4" && key != "rkf-78") return std::nullopt;
    const bool classical = key == "rk-4";
    const ExplicitTableau tableau = classical ? classical_tableau() : fehlberg_tableau();
    MethodInfo info;
    info.key = key;
    info.family = "explicit-rk";
    info.for_fields = true;
    info.title = classical ? "Kutta's method of order 4 on the underlying ODE, projected"
                           : "Fehlberg's method of order 8 on the underlying ODE, projected";
    info.order = tableau.order;
    info.compensated = info.order >= 6;
    info.keeps_position = info.keeps_hidden = true;
    info.citation = classical ? "W. Kutta, Z. Math. Phys. 46 (1901) 435-453" : "E. Fehlberg, NASA TR R-287 (1968)";
    info.remark = "not symplectic: its energy drifts. A baseline for comparison";
    return MethodEntry{info, all_scalars([&]<class S> { return explicit_rk_maker<S>(info.key, tableau); })};
  };
  return family;
}

}  // namespace holonom
