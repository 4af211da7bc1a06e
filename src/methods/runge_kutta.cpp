// Implicit Runge-Kutta methods and pairs, and backward differentiation formulas: keys, and what is claimed.
#include <charconv>

#include "families.hpp"
#include "holonom/coefficients/pair_report.hpp"
#include "holonom/errors.hpp"
#include "holonom/solve/projection.hpp"

namespace holonom {

namespace {

constexpr int most_stages = 30;
constexpr const char* jay = "L. Jay, SIAM J. Numer. Anal. 33 (1996) 368-387";

// The number n of a key "<prefix><n>", if there is nothing else in it. Throws InputError if it is not one of `least` to
// `most`.
std::optional<int> number_after(std::string_view key, std::string_view prefix, int least, int most) {
  if (!key.starts_with(prefix)) return std::nullopt;
  key.remove_prefix(prefix.size());
  int n = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), n);
  if (error != std::errc() || end != key.data() + key.size() || key.front() == '0') return std::nullopt;
  if (n < least || n > most)
    throw InputError("'" + std::string(prefix) + std::to_string(n) + "': the number must be one of " +
                     std::to_string(least) + " to " + std::to_string(most));
  return n;
}

// "gauss-2+jay": the method and the projection behind it, which is empty if there is none of this name.
struct ProjectedKey {
  std::string_view plain, projection;
};
ProjectedKey split_projection(std::string_view key) {
  for (const std::string_view name : projection_names)
    if (key.size() > name.size() && key.ends_with(name) && key[key.size() - name.size() - 1] == '+')
      return {key.substr(0, key.size() - name.size() - 1), name};
  return {key, {}};
}

// What all symplectic pairs keep.
void claim_geometry(MethodInfo& info) {
  info.symplectic = info.momentum_maps = info.bilinear_invariants = true;
  info.keeps_position = info.keeps_hidden = true;
  info.compensated = info.order >= 6;
}

// The adjoint of (A, b, c) has the coefficients b_j − a_{s+1−i, s+1−j}.
template <class R>
bool is_symmetric(const Tableau<R>& t) {
  const int s = t.stages();
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j)
      if (magnitude(R(t.A(i, j) + t.A(s - 1 - i, s - 1 - j) - t.b[j])) > coefficient_tolerance<R>(s)) return false;
  return true;
}

}  // namespace

MethodFamily lobatto_family() {
  MethodFamily family;
  family.pattern = "lobatto-<stages>";
  for (int s = 2; s <= 11; ++s) family.members.push_back("lobatto-" + std::to_string(s));
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    const auto s = number_after(key, "lobatto-", 2, most_stages);
    if (!s) return std::nullopt;
    MethodInfo info;
    info.key = key;
    info.family = "lobatto";
    info.for_fields = true;
    info.member = *s;
    info.fixed_sizes = true;
    info.title = "Lobatto IIIA-IIIB pair with " + std::to_string(*s) + " stages, for any H(q, p)";
    info.order = 2 * *s - 2;
    info.stages = *s;
    info.stage_multipliers = true;
    claim_geometry(info);
    info.symmetric = true;
    info.citation = jay;
    info.remark =
        "not for stiff potentials V/eps^2: a step must resolve their fastest oscillation (its momentum stage P_s is "
        "explicit)";
    return MethodEntry{info, all_scalars([&]<class S> { return lobatto_maker<S>(info.key, *s); })};
  };
  return family;
}

MethodFamily pair_family() {
  MethodFamily family;
  family.pattern = "pair:<file.toml>";
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    constexpr std::string_view prefix = "pair:";
    if (!key.starts_with(prefix)) return std::nullopt;
    const std::string file(key.substr(prefix.size()));
    const PairFile pair = load_pair(file);
    const Tableau<double> t = pair.tableau<double>();  // decimals may be good enough for double only
    const PairReport report = check_with_dual(t);
    if (!report.usable())
      throw InputError(file + ": '" + pair.name() + "' and its dual are no method for constrained systems.\n" +
                       report.text());
    MethodInfo info;
    info.key = key;
    info.family = "pair";
    info.for_fields = true;
    info.file = file;
    info.fixed_sizes = true;
    info.title = pair.name() + " and its symplectic dual, " + std::to_string(pair.stages()) + " stages";
    info.symmetric = is_symmetric(t);
    info.order = report.order();
    if (info.symmetric && info.order % 2 == 1)
      ++info.order;  // (4.2) is a lower bound; symmetric methods have an even order
    info.stages = pair.stages();
    info.stage_multipliers = true;
    claim_geometry(info);
    info.citation = jay;
    const Assumptions& a = report.assumptions;
    const auto n = [](int x) { return "(" + std::to_string(x) + ") "; };
    info.remark = "fulfils B" + n(a.p) + "C" + n(a.q) + "D" + n(a.r) + "Ĉ" + n(a.q_hat) + "D̂" + n(a.r_hat) + "CĈ" +
                  n(a.Q) + "DD̂" + n(a.R) + "and the hypotheses H; local errors h^" +
                  std::to_string(report.orders.k + 1) + " in q, h^" + std::to_string(report.orders.l + 1) +
                  " in p by (4.2)";
    return MethodEntry{info, all_scalars([&]<class S> { return pair_maker<S>(info.key, pair); })};
  };
  return family;
}

MethodFamily gauss_family() {
  MethodFamily family;
  family.pattern = "gauss-<stages>[+<projection>]";
  family.members = {"gauss-1", "gauss-2", "gauss-3", "gauss-2+jay", "gauss-3+jay"};
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    const auto [plain, projection] = split_projection(key);
    const auto s = number_after(plain, "gauss-", 1, most_stages);
    if (!s) return std::nullopt;
    const bool projected = !projection.empty();
    MethodInfo info;
    info.key = key;
    info.family = "gauss";
    info.for_fields = true;
    info.member = *s;
    info.projection = projection;
    info.title = std::to_string(*s) + "-stage Gauss method on the index-3 system" +
                 (projected ? ", projected onto both constraints" : "");
    info.stages = *s;
    info.stage_multipliers = true;
    info.citation = "E. Hairer, L. Jay, Contributions in Numerical Mathematics, WSSIAA 2 (1993) 213-224";
    if (projected) {
      info.order = *s;
      info.keeps_position = info.keeps_hidden = true;
      info.remark = "not symplectic: its energy drifts. A baseline for comparison";
    } else {
      info.order = 2 * *s;
      info.symmetric = info.symplectic = info.momentum_maps = true;
      info.bilinear_invariants = info.quadratic_invariants = true;
      info.compensated = info.order >= 6;
      info.constrained = false;
      info.remark = "for systems without constraints. With constraints it keeps none of this, and in general diverges";
    }
    return MethodEntry{
        info, all_scalars([&]<class S> { return implicit_rk_maker<S>(info.key, Family::gauss, *s, info.projection); })};
  };
  return family;
}

MethodFamily radau_family() {
  MethodFamily family;
  family.pattern = "radau-2a-<stages>[+<projection>]";
  family.members = {"radau-2a-2", "radau-2a-3", "radau-2a-2+jay", "radau-2a-3+jay"};
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    const auto [plain, projection] = split_projection(key);
    const auto s = number_after(plain, "radau-2a-", 1, most_stages);
    if (!s) return std::nullopt;
    const bool projected = !projection.empty();
    MethodInfo info;
    info.key = key;
    info.family = "radau-2a";
    info.for_fields = true;
    info.member = *s;
    info.projection = projection;
    info.title = std::to_string(*s) + "-stage Radau IIA method on the index-3 system" +
                 (projected ? ", projected onto both constraints" : "");
    info.order = projected ? 2 * *s - 1 : *s;
    if (!projected) info.order_q = 2 * *s - 1;
    info.stages = *s;
    info.stage_multipliers = true;
    info.keeps_position = true;
    info.keeps_hidden = projected;
    info.citation =
        "E. Hairer, Ch. Lubich, M. Roche, Lect. Notes Math. 1409 (1989); L. Jay, Numer. Math. 65 (1993) 407-421";
    info.remark = "not symplectic: its energy drifts. A baseline for comparison";
    return MethodEntry{info, all_scalars([&]<class S> {
                         return implicit_rk_maker<S>(info.key, Family::radau_2a, *s, info.projection);
                       })};
  };
  return family;
}

MethodFamily bdf_family() {
  MethodFamily family;
  family.pattern = "bdf-<order>";
  for (int k = 1; k <= 6; ++k) family.members.push_back("bdf-" + std::to_string(k));
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    const auto k = number_after(key, "bdf-", 1, 6);
    if (!k) return std::nullopt;
    MethodInfo info;
    info.key = key;
    info.family = "bdf";
    info.for_fields = true;
    info.member = *k;
    info.title = "backward differentiation formula of order " + std::to_string(*k) + " on the index-3 system";
    info.order = *k;
    info.stages = 1;
    info.keeps_position = true;
    info.one_step = *k == 1;
    info.citation =
        "C. W. Gear, Numerical Initial Value Problems in ODEs (1971); B. Leimkuhler, R. D. Skeel, J. Comput. Phys. 112 "
        "(1994) 117-125";
    info.remark = *k <= 2 ? "damps oscillations: energy is lost. A baseline for comparison"
                          : "not symplectic: energy may even grow. A baseline for comparison";
    return MethodEntry{info, all_scalars([&]<class S> { return bdf_maker<S>(info.key, *k); })};
  };
  return family;
}

}  // namespace holonom
