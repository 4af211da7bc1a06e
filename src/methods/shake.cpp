#include "families.hpp"

namespace holonom {

MethodFamily shake_family() {
  struct Form {
    const char *key, *title;
    ShakeForm form;
  };
  static constexpr Form forms[] = {
      {"shake", "SHAKE with momenta at whole steps (velocity form)", ShakeForm::velocity},
      {"shake-leapfrog", "SHAKE in its leapfrog form", ShakeForm::leapfrog},
      {"shake-two-step", "SHAKE in its two-step form, from positions alone", ShakeForm::two_step},
  };
  MethodFamily family;
  family.pattern = "shake[-leapfrog | -two-step]";
  for (const Form& form : forms) family.members.push_back(form.key);
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    for (const Form& form : forms) {
      if (key != form.key) continue;
      MethodInfo info;
      info.key = form.key;
      info.family = "shake";
      info.from_positions = form.form == ShakeForm::two_step;
      info.title = form.title;
      info.order = 2;
      info.symplectic = info.keeps_position = info.momentum_maps = true;
      info.one_step = false;
      info.needs = Needs::separable;
      info.citation =
          "J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327-341; "
          "B. Leimkuhler, R. D. Skeel, J. Comput. Phys. 112 (1994) 117-125";
      info.remark =
          "positions are those of rattle; the hidden residual is O(h^2), so this is no map of the manifold. "
          "Momenta need the next position: the method is one constraint solve ahead";
      return MethodEntry{std::move(info), all_scalars([&]<class S> { return shake_maker<S>(form.key, form.form); })};
    }
    return std::nullopt;
  };
  return family;
}

}  // namespace holonom
