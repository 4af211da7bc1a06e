// Words on small systems with compile-time sizes: the sizes of pendulums, of particles on curves and
// surfaces, of linkages with few bodies, and of the rigid body as a matrix.
#include "families.hpp"
#include "holonom/methods/composition.hpp"

namespace holonom {

namespace {

using Any = std::unique_ptr<AnyMethod<double>>;

template <int N, int M>
Any on(const AnySystem<double>& sys, const MethodOptions& options, const Word<double>& word) {
  using View = SmallView<N, M>;
  if (const auto view = sys.as<View>()) return std::make_unique<MethodOn<Composition<View>, View>>(*view, options, word);
  return nullptr;
}

template <int N, int M>
struct Size {};

template <int... N, int... M>
Any first_of(const AnySystem<double>& sys, const MethodOptions& options, const Word<double>& word, Size<N, M>...) {
  Any method;
  static_cast<void>(((method = on<N, M>(sys, options, word)) || ...));
  return method;
}

}  // namespace

template <>
Any small_composition(const AnySystem<double>& sys, const MethodOptions& options, const Word<double>& word) {
  if (!sys.small_code()) return nullptr;
  return first_of(sys, options, word, Size<2, 1>{}, Size<3, 1>{}, Size<3, 2>{}, Size<4, 1>{}, Size<4, 2>{}, Size<4, 3>{},
                  Size<6, 2>{}, Size<6, 3>{}, Size<9, 6>{});
}

}  // namespace holonom
