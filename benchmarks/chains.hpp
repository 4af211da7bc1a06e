// Chains as text models, for all benchmarks.
#pragma once

namespace chains {

// A zigzag that folds to and fro, so that a million links stay within a thousand link lengths of the hook:
// positions far away would cost digits of the constraint.
inline constexpr const char* hanging = R"toml(
format = 1
name = "hanging chain"
[parameters]
N = 100
fold = 1000
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { i = "0..N-1" }
term = "r[i].y"
[constraints]
hook = "(dot(r[0], r[0]) - 1)/2"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[initial]
project = true
q.r = ["abs(i + 1 - 2*fold*floor((i + 1)/(2*fold) + 1/2))/2", "-sqrt(3)/2*(i + 1 - 2*floor((i + 1)/2))"]
)toml";

// A helix whose neighbours are at unit distance.
inline constexpr const char* beads = R"toml(
format = 1
name = "50 beads"
[parameters]
N = 50
radius = "1.6"
turn = "0.55"
rise = "sqrt(1 - 4*radius^2*sin(turn/2)^2)"
[coordinates]
r = { count = "N", dim = 3 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { pairs = "r" }
term = "4*(s^2 - s)"
where = { s = "1/dot(r[i] - r[j], r[i] - r[j])^3" }
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i] - r[i+1], r[i] - r[i+1]) - 1)/2"
[initial]
q.r = ["radius*cos(turn*i)", "radius*sin(turn*i)", "rise*i"]
)toml";

// The hanging chain with bending forces and Lennard-Jones forces between second and third neighbours. It starts wound
// up on a circle, where neighbours are as far from each other everywhere, and no link is far from the hook.
inline constexpr const char* bending = R"toml(
format = 1
name = "bending chain"
[parameters]
N = 1000
stiffness = 1
turn = "0.55"
radius = "1/(2*sin(turn/2))"
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { i = "0..N-1" }
term = "r[i].y"
[[energy.sum]]
over = { i = "0..N-3" }
term = "-stiffness*dot(r[i+1] - r[i], r[i+2] - r[i+1]) + 4*(s^2 - s)"
where = { s = "1/dot(r[i+2] - r[i], r[i+2] - r[i])^3" }
[[energy.sum]]
over = { i = "0..N-4" }
term = "4*(s^2 - s)"
where = { s = "1/dot(r[i+3] - r[i], r[i+3] - r[i])^3" }
[constraints]
hook = "(dot(r[0], r[0]) - 1)/2"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[initial]
project = true
q.r = ["1 + radius*sin(turn*i)", "radius*(cos(turn*i) - 1)"]
)toml";

}  // namespace chains
