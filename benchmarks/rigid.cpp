// RATTLE on rigid bodies as rotation matrices: with six multipliers a body (rattle), and with the rotation of a step as
// a quaternion (rattle-so3); as an own C++ type, and as text models.
#include "holonom/expr/native.hpp"
#include "holonom/methods/rattle_so3.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "measure.hpp"

using namespace holonom;

namespace {

constexpr int steps = 20000, rounds = 41;

// The heavy body of models/rigid-body-heavy.toml, by hand.
struct HeavyBody {
  using Scalar = double;
  static constexpr int N = 9, M = 6;

  DiagonalMass<double, 9> inertia{Vec<double, 9>{.6, .4, .2, .6, .4, .2, .6, .4, .2}};
  double V(const Vec<double, 9>& q) const { return q[8]; }
  void V_q(const Vec<double, 9>&, Vec<double, 9>& out) const { out = {0, 0, 0, 0, 0, 0, 0, 0, 1}; }
  const DiagonalMass<double, 9>& mass() const { return inertia; }
  static double dot(const Vec<double, 9>& q, int i, int j) {
    return q[i] * q[j] + q[3 + i] * q[3 + j] + q[6 + i] * q[6 + j];
  }
  void g(const Vec<double, 9>& q, Vec<double, 6>& out) const {
    out = {(dot(q, 0, 0) - 1) / 2, (dot(q, 1, 1) - 1) / 2, (dot(q, 2, 2) - 1) / 2,
           dot(q, 0, 1),           dot(q, 0, 2),           dot(q, 1, 2)};
  }
  void G(const Vec<double, 9>& q, Jacobian<double, 9, 6>& out) const {
    out = {};
    for (int r = 0; r < 9; r += 3) {
      for (int i = 0; i < 3; ++i) out(i, r + i) = q[r + i];
      out(3, r) = out(5, r + 2) = q[r + 1];
      out(3, r + 1) = out(4, r + 2) = q[r];
      out(4, r) = out(5, r + 1) = q[r + 2];
    }
  }
};

void own_type() {
  const HeavyBody body;
  State<double, 9, 6> x, y;
  x.q = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  x.p = {0, .12, .1, -.18, 0, -.2, -.3, .4, 0};
  y = x;
  const double h = 0.05;
  Rattle<HeavyBody> rattle(body);
  RattleSO3<HeavyBody> so3(body);
  if (!rattle.begin(body, x, h).ok() || !so3.begin(body, y, h).ok()) std::abort();
  std::vector<Contestant> contestants{{"rattle",
                                       [&] {
                                         for (int i = 0; i < steps; ++i)
                                           if (!rattle.step(body, x, h).ok()) std::abort();
                                       },
                                       {}},
                                      {"rattle-so3",
                                       [&] {
                                         for (int i = 0; i < steps; ++i)
                                           if (!so3.step(body, y, h).ok()) std::abort();
                                       },
                                       {}}};
  measure(contestants, rounds);
  report("heavy rigid body, own C++ type, h = 0.05", contestants, steps, "step");
}

void text_model(const std::string& name, Engine engine, double h) {
  const ModelSystem<double> sys(compile(load_model(BENCH_MODELS "/" + name + ".toml")), engine);
  std::vector<Contestant> contestants;
  std::vector<std::unique_ptr<AnyMethod<double>>> made;
  std::vector<State<double>> state(4, initial_state(sys).state);
  for (const char* key : {"rattle", "rattle-so3", "kahan-li-8", "kahan-li-8/rattle-so3"}) {
    State<double>& x = state[made.size()];
    made.push_back(methods().find(key).make<double>(sys));
    AnyMethod<double>* method = made.back().get();
    if (!method->begin(x, h).ok()) std::abort();
    const int count = std::string(key).starts_with("kahan") ? steps / 20 : steps;
    contestants.push_back({key,
                           [=, &x] {
                             for (int i = 0; i < count; ++i)
                               if (!method->step(x, h).ok()) std::abort();
                           },
                           {}});
  }
  measure(contestants, rounds);
  const std::string title =
      name + (engine == Engine::native ? ", native code" : ", interpreted") + ", h = " + std::to_string(h).substr(0, 4);
  std::vector<Contestant> composed{contestants[2], contestants[3]};
  contestants.resize(2);
  report(title, contestants, steps, "step");
  report(title, composed, steps / 20, "step");
}

}  // namespace

int main() {
  own_type();
  for (const Engine engine : {Engine::native, Engine::interpreter}) {
    if (engine == Engine::native && !native_available()) continue;
    text_model("rigid-body-free", engine, 0.1);
    text_model("rigid-body-heavy", engine, 0.05);
    text_model("two-tops", engine, 0.05);
  }
}
