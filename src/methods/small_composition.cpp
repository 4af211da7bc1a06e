// Words on small systems with compile-time sizes.
#include "families.hpp"
#include "holonom/methods/composition.hpp"
#include "small_sizes.hpp"

namespace holonom {

template <>
std::unique_ptr<AnyMethod<double>> small_composition(const AnySystem<double>& sys, const MethodOptions& options,
                                                     const DynamicMaker<double>& dynamic, const Word<double>& word) {
  return on_small(sys, options, [&]<class View>(const View& view) -> std::unique_ptr<AnyMethod<double>> {
    return std::make_unique<SmallMethod<Composition<View>, View>>(view, options, dynamic, word);
  });
}

}  // namespace holonom
