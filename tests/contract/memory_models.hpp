// Models for the tests of the memory, with what no model of models/ has.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "choice.hpp"

namespace holonom::contract {

inline std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

// What no model of models/ has, by its name.
struct OwnModel {
  const char* name;
  std::shared_ptr<const CompiledModel> compiled;
};

// H_pp depends on p, so that it matters where it was taken.
inline std::string relativistic(const std::string& more_constraints) {
  return R"model(
[coordinates]
names = ["x", "y"]
[energy]
hamiltonian = "sqrt(1 + p_x^2 + 2*p_y^2) + y"
[constraints]
rod = "(x^2 + y^2 - 1)/2"
)model" + more_constraints +
         R"model(
[initial]
q = { x = "0.6", y = "-0.8" }
p = { x = "1.6", y = "0.6" }
[integrate]
step = "0.05"
)model";
}
// From the origin, where its terms are small, to where they are a hundred thousand times larger.
inline std::string far_away(const std::string& more_constraints) {
  return R"model(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "y/10"
[constraints]
line = "y - x - 0.01*sin(x)"
)model" + more_constraints +
         R"model(
[initial]
q = { x = "0.01", y = "0.01 + 0.01*sin(0.01)" }
v = { x = "1000", y = "1000*(1 + 0.01*cos(0.01))" }
[integrate]
step = "0.01"
)model";
}
// Of a size that is known at compile time, but for the dependent constraint.
inline const char* const ball = R"model(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 2, 3]
potential = "z + x^2"
[constraints]
ball = "(x^2 + y^2 + z^2 - 1)/2"
again = "x^2 + y^2 + z^2 - 1"
[initial]
q = { x = "0.6", y = 0, z = "-0.8" }
p = { x = 0, y = 1, z = 0 }
[integrate]
step = "0.02"
)model";
// More constraints than dense algebra is for; one of them twice, if `redundant`.
inline std::string chain(int links, bool redundant, const std::string& mass) {
  const std::string N = std::to_string(links);
  std::string text = "[coordinates]\nr = { count = " + N + ", dim = 2 }\n[energy]\nmass = " + mass +
                     "\n[[energy.sum]]\nover = { i = \"0.." + std::to_string(links - 1) +
                     "\" }\nterm = \"r[i].y\"\n[constraints]\nhook = \"(dot(r[0], r[0]) - 1)/2\"\n";
  if (redundant) text += "again = \"dot(r[1] - r[0], r[1] - r[0]) - 1\"\n";
  text += "[[constraints.stack]]\nname = \"link\"\nover = { i = \"0.." + std::to_string(links - 2) +
          "\" }\nzero = \"(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2\"\n";
  return text +
         "[initial]\nq.r = [\"(1 - cos(pi*(i + 1)))/4\", \"-(i + 1)*sqrt(3)/2\"]\n[integrate]\nstep = \"0.01\"\n";
}
// A consistent mass matrix, of a chain of finite elements: sparse, and not diagonal.
inline std::shared_ptr<const CompiledModel> finite_elements(int links) {
  const auto folder = std::filesystem::temp_directory_path() / ("holonom-memory-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  {
    std::ofstream csv(folder / "mass.csv");
    csv << "i,j,m\n";
    for (int i = 0; i < 2 * links; ++i) {
      csv << i << "," << i << "," << (i + 2 < 2 * links ? "0.66" : "0.33") << "\n";
      if (i + 2 < 2 * links) csv << i + 2 << "," << i << ",0.16\n";
    }
    std::ofstream(folder / "chain.toml") << "format = 1\nname = \"test\"\n"
                                         << chain(links, false, "{ file = \"mass.csv\" }");
  }
  auto compiled = compile(load_model((folder / "chain.toml").string()));
  std::filesystem::remove_all(folder);
  return compiled;
}

inline const std::vector<OwnModel>& own_models() {
  static const std::vector<OwnModel> all{
      {"relativistic", from_text(relativistic(""))},
      {"relativistic, redundant", from_text(relativistic("again = \"3*x^2 + 3*y^2 - 3\""))},
      {"far away", from_text(far_away(""))},
      {"far away, redundant", from_text(far_away("again = \"2*y - 2*x - 0.02*sin(x)\""))},
      {"ball, redundant", from_text(ball)},
      {"chain", from_text(chain(12, false, "{ r = 1 }"))},
      {"chain, redundant", from_text(chain(12, true, "{ r = 1 }"))},
      {"finite elements", finite_elements(12)},
  };
  return all;
}

}  // namespace holonom::contract
