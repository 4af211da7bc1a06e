#include "families.hpp"

namespace holonom {

namespace {

MethodInfo info() {
  MethodInfo info;
  info.key = "rattle";
  info.title = "RATTLE: velocity Verlet with both constraints kept, for any H(q, p)";
  info.order = 2;
  info.symmetric = info.symplectic = true;
  info.keeps_position = info.keeps_hidden = true;
  info.momentum_maps = true;
  info.needs = Needs::hamiltonian;
  info.citation =
      "H. C. Andersen, J. Comput. Phys. 52 (1983) 24-34; for any H: L. Jay, SIAM J. Numer. Anal. 33 (1996) 368-387, "
      "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475-491";
  return info;
}

}  // namespace

MethodFamily rattle_family() {
  return {"rattle", {"rattle"}, [](std::string_view key) -> std::optional<MethodEntry> {
            if (key != "rattle") return std::nullopt;
            return MethodEntry{info(), all_scalars([]<class S> { return rattle_maker<S>(); })};
          }};
}

}  // namespace holonom
