// Symplectic pairs on small systems with compile-time sizes.
#include "families.hpp"
#include "holonom/methods/partitioned_rk.hpp"
#include "small_sizes.hpp"

namespace holonom {

template <>
std::unique_ptr<AnyMethod<double>> small_pair(const AnySystem<double>& sys, const MethodOptions& options,
                                              const DynamicMaker<double>& dynamic, const Tableau<double>& t,
                                              const Tableau<double>& dual) {
  return on_small(sys, options, [&]<class View>(const View& view) -> std::unique_ptr<AnyMethod<double>> {
    return std::make_unique<SmallMethod<PartitionedRungeKutta<View>, View>>(view, options, dynamic, t, dual);
  });
}

}  // namespace holonom
