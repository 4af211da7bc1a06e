// One function for each family; one maker for each family and scalar, instantiated in a translation
// unit of its own (see CMakeLists.txt).
#pragma once

#include <boost/rational.hpp>

#include "holonom/coefficients/composition.hpp"
#include "holonom/coefficients/explicit_tableau.hpp"
#include "holonom/coefficients/pair_file.hpp"
#include "holonom/coefficients/scheme_file.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/methods/shake.hpp"
#include "holonom/methods/word.hpp"
#include "holonom/solve/rigid_bodies.hpp"

namespace holonom {

struct Formulation;
struct FormulatedProjection;
struct DiscreteRule;

// What the moves of a word are.
enum class Moves {
  drift,          // free flight; for any H, symplectic Euler and its adjoint
  midpoint,       // the implicit midpoint rule for all of V, or any H
  midpoint_fast,  // the same for the fast part of V
  rotation,       // free flight of rigid bodies as rotation matrices
  inner_steps,    // Verlet steps with the fast part of V between kicks of the slow one, constraints ignored
  shears          // of a field, there and back
};
// Words are written down in exact numbers.
using ExactWord = Word<boost::rational<int>>;

// What a key such as "suzuki-4/geodesic-3" says.
struct Recipe {
  std::string key;
  ExactWord word;  // of the base
  Moves moves = Moves::drift;
  Needs needs = Needs::hamiltonian;
  int parts = 1;                                    // inner drifts or inner steps, where the base has them
  std::shared_ptr<const CompositionScheme> scheme;  // none: the base itself
  // For coefficients of a user's own. Throws Unsuitable if they are not exact enough for a scalar with this epsilon.
  std::function<void(double epsilon)> check_digits;
  std::string instead = {};  // the key with a base for all systems, where this one is for some
};

template <class S>
Maker<S> composition_maker(const Recipe& recipe);
template <class S>
Maker<S> shake_maker(const std::string& key, ShakeForm form);
template <class S>
Maker<S> explicit_rk_maker(const std::string& key, const ExplicitTableau& tableau);
template <class S>
Maker<S> lobatto_maker(const std::string& key, int s);
template <class S>
Maker<S> pair_maker(const std::string& key, const PairFile& pair);
template <class S>
Maker<S> implicit_rk_maker(const std::string& key, Family family, int s, const std::string& projection);
template <class S>
Maker<S> bdf_maker(const std::string& key, int k);
template <class S>
Maker<S> variational_maker(const std::string& key, const std::shared_ptr<const DiscreteRule>& rule);
template <class S>
Maker<S> formulated_maker(const MethodEntry& entry, const Formulation& formulation,
                          const FormulatedProjection& projection);

MethodFamily base_family();
MethodFamily composition_family();
MethodFamily scheme_family();
MethodFamily shake_family();
MethodFamily explicit_rk_family();
MethodFamily lobatto_family();
MethodFamily pair_family();
MethodFamily gauss_family();
MethodFamily radau_family();
MethodFamily bdf_family();
MethodFamily variational_family();
MethodFamily formulated_family();

// Makes a method with sizes known at run time only.
template <class S>
using DynamicMaker = std::function<std::unique_ptr<AnyMethod<S>>()>;

// A word on a small system with compile-time sizes, or nullptr if there is no such code. `dynamic` makes the same
// method without them, for a start where it is needed (small_sizes.hpp).
template <class S>
std::unique_ptr<AnyMethod<S>> small_composition(const AnySystem<S>&, const MethodOptions&,
                                                const DynamicMaker<S>& /*dynamic*/, const Word<S>&) {
  return nullptr;
}
template <>
std::unique_ptr<AnyMethod<double>> small_composition(const AnySystem<double>& sys, const MethodOptions& options,
                                                     const DynamicMaker<double>& dynamic, const Word<double>& word);

// The same where moves are those of rigid bodies.
template <class S>
std::unique_ptr<AnyMethod<S>> small_rotation(const AnySystem<S>&, const MethodOptions&, const Word<S>&,
                                             const RigidBodies<Real<S>>&) {
  return nullptr;
}
template <>
std::unique_ptr<AnyMethod<double>> small_rotation(const AnySystem<double>& sys, const MethodOptions& options,
                                                  const Word<double>& word, const RigidBodies<double>& bodies);

// The same for a symplectic pair.
template <class S>
std::unique_ptr<AnyMethod<S>> small_pair(const AnySystem<S>&, const MethodOptions&, const DynamicMaker<S>& /*dynamic*/,
                                         const Tableau<S>&, const Tableau<S>&) {
  return nullptr;
}
template <>
std::unique_ptr<AnyMethod<double>> small_pair(const AnySystem<double>& sys, const MethodOptions& options,
                                              const DynamicMaker<double>& dynamic, const Tableau<double>& t,
                                              const Tableau<double>& dual);

// The makers of a family in all scalars: all_scalars([]<class S> { return rattle_maker<S>(); })
template <class F>
auto all_scalars(F&& maker) {
  return std::tuple{maker.template operator()<double>(),       maker.template operator()<long double>(),
                    maker.template operator()<quad>(),         maker.template operator()<mp100>(),
                    maker.template operator()<Dual<double>>(), maker.template operator()<Dual<quad>>()};
}

}  // namespace holonom
