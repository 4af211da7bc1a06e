// Models of the folder models/ and from text, and their motion, for unit tests.
#pragma once

#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "support.hpp"

namespace holonom::test {

inline std::shared_ptr<const CompiledModel> load(const std::string& name, const Overrides& set = {}) {
  return compile(load_model(HOLONOM_MODELS "/" + name + ".toml", set));
}
inline std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

// All states of a RATTLE run, q and p in one list.
template <class S>
std::vector<S> trajectory(const AnySystem<S>& sys, State<S> x, const S& h, int steps) {
  const auto method = methods().find("rattle").make<S>(sys);
  EXPECT_TRUE(method->begin(x, h).ok());
  std::vector<S> all;
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(method->step(x, h).ok()) << "step " << k;
    all.insert(all.end(), x.q.begin(), x.q.end());
    all.insert(all.end(), x.p.begin(), x.p.end());
  }
  return all;
}
template <class S>
std::vector<S> trajectory(const std::shared_ptr<const CompiledModel>& compiled, const S& h, int steps) {
  const ModelSystem<S> sys(compiled);
  return trajectory<S>(sys, initial_state(sys).state, h, steps);
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace holonom::test
