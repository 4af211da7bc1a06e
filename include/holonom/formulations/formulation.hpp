// Formulations: a constrained system as a system, or a field, without constraints, whose motion from states on the
// manifold is the same. A new one is a class in a file of its own, a row in the table and a line in `formulate`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "holonom/any_system.hpp"
#include "holonom/memory.hpp"

namespace holonom {

struct FormulationInfo {
  std::string name = {}, alias = {}, title = {};
  bool hamiltonian = false;        // it has an H, so that symplectic methods are symplectic (see is_hamiltonian)
  bool separable = false;          // its H is a sum p.M^-1 p/2 + V(q) where that of the system is one
  bool damps = false;              // residuals, in one direction of time
  bool independent = true;         // constraints must be independent
  bool on_manifold = false;        // its states are, without a projection
  std::string parameter = {};      // what the number behind its name is; empty: it takes none
  std::string usual = {};          // the number, if none is given; empty: one must be
  bool response_reversed = false;  // an impulse −GᵀΛ moves positions along +H_pp GᵀΛ
  std::string no_impulses = {};    // why (31) of Reich cannot be used with it; empty: it can
  std::string citation = {};
};

// The charts of a state space form (methods/state_space.hpp)
struct ChartPolicy {
  // own: the parametrisation that the system brings along, with momenta or with velocities (formulations/own_chart.hpp)
  enum class Kind { fixed, partition, tangent, own, own_velocity } kind = Kind::fixed;
  long every = 1;      // steps, of a tangent chart
  double leave = 0.5;  // a partition is left if its determinant is below so much of the best one

  // "fixed", "partition", "partition:0.9", "every:20", "tangent", "own", "own-velocity"; nothing if it is none of these
  static std::optional<ChartPolicy> parse(const std::string& text);
};

// All of them
std::span<const FormulationInfo> formulations();

// One of them, with its number: "dirac", "baumgarte:5"
struct Formulation {
  const FormulationInfo* info = nullptr;  // none: the system itself
  std::string parameter;                  // as written

  explicit operator bool() const { return info != nullptr; }
  std::string key() const;
  // Whether it is a state space form by a parametrisation that the system brings along
  bool has_own_chart() const;
  // Whether it has an H: all of a name do, or none, but for the form with velocities of an own chart.
  bool is_hamiltonian() const;
  // Whether time can be reversed in it, if it can in the system itself: damping and α cannot be.
  bool is_reversible() const;

  // Throws InputError.
  static Formulation parse(const std::string& text);
};

// A formulation of a system, which must outlive it.
template <class S>
class Formulated {
 public:
  virtual ~Formulated() = default;
  virtual const AnySystem<S>& system() const = 0;
  virtual void save(MemoryWriter& out) = 0;
  virtual void load(MemoryReader& in) = 0;
};

// Why a formulation does not exist for a system; empty if it does.
template <class S>
std::string lacks_formulation(const Formulation& formulation, const AnySystem<S>& sys);
template <class S>
std::unique_ptr<Formulated<S>> formulate(const Formulation& formulation, const AnySystem<S>& sys);

}  // namespace holonom
