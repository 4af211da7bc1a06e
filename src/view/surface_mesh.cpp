#include "surface_mesh.hpp"

#include <cmath>

namespace holonom {

namespace {

constexpr int cells = 48;  // along an edge of the box
constexpr int nodes = cells + 1;

class SurfaceNet {
 public:
  SurfaceNet(const LevelSet& g, const Box& box) : g_(g), box_(box), value_(cube(nodes)), vertex_(cube(cells), -1) {}

  Mesh make(bool& whole) {
    for (int k = 0; k < nodes; ++k)
      for (int j = 0; j < nodes; ++j)
        for (int i = 0; i < nodes; ++i) {
          const std::array<double, 3> x{position(0, i), position(1, j), position(2, k)};
          std::array<double, 3> slope{};
          value_[at(nodes, i, j, k)] = g_(x.data(), slope.data());
        }
    whole = true;
    for (int k = 0; k < cells; ++k)
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i)
          if (place_vertex(i, j, k))
            for (const int a : {i, j, k}) whole = whole && a > 0 && a < cells - 1;
    for (int axis = 0; axis < 3; ++axis) connect(axis);
    return std::move(mesh_);
  }

 private:
  static std::size_t cube(int n) { return at(n, 0, 0, n); }
  static std::size_t at(int n, int i, int j, int k) {
    const auto size = static_cast<std::size_t>(n);
    return (static_cast<std::size_t>(k) * size + static_cast<std::size_t>(j)) * size + static_cast<std::size_t>(i);
  }
  double position(int axis, double node) const {
    return box_.centre[static_cast<std::size_t>(axis)] + box_.half * (2 * node / cells - 1);
  }
  double value(int i, int j, int k) const { return value_[at(nodes, i, j, k)]; }
  static bool differ(double a, double b) { return std::isfinite(a) && std::isfinite(b) && (a < 0) != (b < 0); }

  // The mean of where the surface crosses the edges of a cell
  bool place_vertex(int i, int j, int k) {
    std::array<double, 3> sum{};
    int crossings = 0;
    for (int corner = 0; corner < 8; ++corner)
      for (int axis = 0; axis < 3; ++axis) {
        if ((corner >> axis & 1) != 0) continue;
        const int other = corner | 1 << axis;
        const auto offset = [](int c, int a) { return c >> a & 1; };
        const double u = value(i + offset(corner, 0), j + offset(corner, 1), k + offset(corner, 2)),
                     v = value(i + offset(other, 0), j + offset(other, 1), k + offset(other, 2));
        if (!differ(u, v)) continue;
        ++crossings;
        const std::array<int, 3> cell{i, j, k};
        for (int a = 0; a < 3; ++a)
          sum[static_cast<std::size_t>(a)] +=
              position(a, cell[static_cast<std::size_t>(a)] + offset(corner, a) + (a == axis ? u / (u - v) : 0.0));
      }
    if (crossings == 0) return false;
    std::array<double, 3> x{};
    for (std::size_t a = 0; a < 3; ++a) x[a] = sum[a] / crossings;
    vertex_[at(cells, i, j, k)] = static_cast<int>(mesh_.vertices.size() / 3);
    for (const double c : onto_surface(x)) mesh_.vertices.push_back(static_cast<float>(c));
    return true;
  }

  // By Newton's method along the gradient, within the cell
  std::array<double, 3> onto_surface(std::array<double, 3> x) const {
    const std::array<double, 3> start = x;
    constexpr int iterations = 3;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      std::array<double, 3> slope{};
      const double g = g_(x.data(), slope.data());
      const double size = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
      for (std::size_t a = 0; a < 3; ++a) x[a] -= g / size * slope[a];
    }
    const double width = 2 * box_.half / cells;
    for (std::size_t a = 0; a < 3; ++a)
      if (!(std::abs(x[a] - start[a]) < width)) return start;
    return x;
  }

  // A square of the four cells around each edge that the surface crosses, as two triangles that look outward
  void connect(int axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const auto step = [](int a, int n) { return a == 0 ? 1 : a == 1 ? n : n * n; };
    for (int k = 0; k < cells; ++k)
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
          const std::array<int, 3> cell{i, j, k};
          if (cell[static_cast<std::size_t>(u)] == 0 || cell[static_cast<std::size_t>(v)] == 0) continue;
          const std::size_t node = at(nodes, i, j, k);
          const double from = value_[node], to = value_[node + static_cast<std::size_t>(step(axis, nodes))];
          if (!differ(from, to)) continue;
          const auto here = static_cast<int>(at(cells, i, j, k));
          const std::array<int, 4> around{here, here - step(u, cells), here - step(u, cells) - step(v, cells),
                                          here - step(v, cells)};
          std::array<int, 4> corner{};
          bool all = true;
          for (std::size_t c = 0; c < 4; ++c) {
            corner[c] = vertex_[static_cast<std::size_t>(around[c])];
            all = all && corner[c] >= 0;
          }
          if (!all) continue;
          if (from >= 0) std::swap(corner[1], corner[3]);
          for (const std::size_t c : {0, 1, 2, 0, 2, 3})
            mesh_.triangles.push_back(static_cast<std::uint32_t>(corner[c]));
        }
  }

  const LevelSet& g_;
  const Box& box_;
  std::vector<double> value_;
  std::vector<int> vertex_;
  Mesh mesh_;
};

}  // namespace

Mesh surface_mesh(const LevelSet& g, const Box& box, bool& whole) { return SurfaceNet(g, box).make(whole); }

}  // namespace holonom
