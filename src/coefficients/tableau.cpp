#include "holonom/coefficients/tableau.hpp"

#include <map>
#include <mutex>

#include "guard.hpp"

namespace holonom {

namespace {

struct Pair {
  Tableau<Guard> method, dual;
};

// Some duals have zeros that are differences of equal numbers: what rounding left there must not become a coefficient.
void clear_rounding(Square<Guard>& A) {
  const Guard negligible("1e-115");
  for (int i = 0; i < A.size(); ++i)
    for (int j = 0; j < A.size(); ++j)
      if (abs(A(i, j)) < negligible) A(i, j) = 0;
}

const Pair& guard_pair(Family family, int s) {
  static std::mutex mutex;
  static std::map<std::pair<Family, int>, Pair> known;  // its elements stay where they are
  const std::lock_guard lock(mutex);
  const auto found = known.find({family, s});
  if (found != known.end()) return found->second;
  Pair pair;
  pair.method = tableau<Guard>(family, s);
  pair.dual = symplectic_dual(pair.method);
  clear_rounding(pair.dual.A);
  return known.emplace(std::pair(family, s), std::move(pair)).first->second;
}

}  // namespace

template <class S>
Tableau<S> runge_kutta(Family family, int s) {
  return rounded<S>(guard_pair(family, s).method, Nearest<S>());
}
template <class S>
Tableau<S> runge_kutta_dual(Family family, int s) {
  return rounded<S>(guard_pair(family, s).dual, Nearest<S>());
}

#define HOLONOM_INSTANTIATE(S)                     \
  template Tableau<S> runge_kutta<S>(Family, int); \
  template Tableau<S> runge_kutta_dual<S>(Family, int);
HOLONOM_INSTANTIATE(double)
HOLONOM_INSTANTIATE(long double)
HOLONOM_INSTANTIATE(quad)
HOLONOM_INSTANTIATE(mp100)
HOLONOM_INSTANTIATE(Dual<double>)
HOLONOM_INSTANTIATE(Dual<quad>)
#undef HOLONOM_INSTANTIATE

}  // namespace holonom
