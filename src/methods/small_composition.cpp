// Words on small systems with compile-time sizes.
#include "families.hpp"
#include "holonom/methods/composition.hpp"
#include "holonom/methods/rotation_drift.hpp"
#include "small_sizes.hpp"

namespace holonom {

template <>
std::unique_ptr<AnyMethod<double>> small_composition(const AnySystem<double>& sys, const MethodOptions& options,
                                                     const DynamicMaker<double>& dynamic, const Word<double>& word) {
  return on_small(sys, options, [&]<class View>(const View& view) -> std::unique_ptr<AnyMethod<double>> {
    return std::make_unique<SmallMethod<Composition<View>, View>>(view, options, dynamic, word);
  });
}

template <>
std::unique_ptr<AnyMethod<double>> small_rotation(const AnySystem<double>& sys, const MethodOptions& options,
                                                  const Word<double>& word, const RigidBodies<double>& bodies) {
  using View = SmallView<9, 6>;
  if (!options.fixed_sizes || !View::missing(sys).empty()) return nullptr;
  return std::make_unique<MethodOn<Composition<View, RotationDrift>, View>>(View(sys), options, word, bodies);
}

}  // namespace holonom
