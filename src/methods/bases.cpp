// The base methods and their compositions: keys, and what is claimed.
#include <algorithm>
#include <charconv>

#include "families.hpp"
#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"

namespace holonom {

namespace {

// A base method is a row of the table below: its word, and what a move of it is. All else follows from these.
struct BaseEntry {
  const char* name;   // of the key
  int parts;          // the number that a bare key stands for; 0: the key has no number
  const char* title;  // # is replaced by the number
  int order;
  bool symmetric;
  Moves moves;
  ExactWord (*word)(int parts);
  const char *citation, *remark;
  bool for_fields = false;  // its moves are those of EulerPair, which asks for q' and p' only
  bool constrained = true;  // if not, another row is the same with constraints
};

constexpr const char* reich = "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475-491";

constexpr const char* survey = "E. Hairer, C. Lubich, G. Wanner, Acta Numerica 12 (2003) 399-450";

constexpr const char* usual_base = "rattle";  // of a composition whose key names none

using Exact = boost::rational<int>;
const Exact zero(0), half(1, 2), one(1);

ExactWord geodesic_word(int parts) {
  const Exact part(1, parts);
  ExactWord word{kick(half)};
  for (int i = 0; i < parts; ++i) {
    const bool first_half = 2 * i + 1 < parts, middle = 2 * i + 1 == parts;
    word.push_back(middle ? move(Exact(part / 2), Exact(part / 2)) : first_half ? move(part, zero) : move(zero, part));
  }
  word.push_back(kick(half));
  return word;
}

ExactWord respa_word(int parts) {
  ExactWord word{kick(half, Part::slow)};
  for (int i = 0; i < parts; ++i)
    append(word, {kick(half, Part::fast), move(half, half), kick(half, Part::fast)}, Exact(1, parts));
  word.push_back(kick(half, Part::slow));
  return word;
}

const std::vector<BaseEntry>& bases() {
  static const std::vector<BaseEntry> list{
      {"symplectic-euler", 0, "symplectic Euler, projected: kick, then drift", 1, false, Moves::drift,
       [](int) {
         return ExactWord{kick(one), move(one, zero)};
       },
       "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475-491; A. Ostermann, SIAM J. Numer. Anal. 30 (1993) 1537-1559",
       "also the half-explicit Euler method of Ostermann, with the hidden constraint projected", true},
      {"symplectic-euler-adjoint", 0, "the adjoint of symplectic Euler: drift, then kick", 1, false, Moves::drift,
       [](int) {
         return ExactWord{move(zero, one), kick(one)};
       },
       reich, "", true},
      {"rattle", 0, "RATTLE: velocity Verlet with both constraints kept, for any H(q, p)", 2, true, Moves::drift,
       [](int) {
         return ExactWord{kick(half), move(half, half), kick(half)};
       },
       "H. C. Andersen, J. Comput. Phys. 52 (1983) 24-34; for any H: L. Jay, SIAM J. Numer. Anal. 33 (1996) 368-387, "
       "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475-491",
       ""},
      {"rattle-so3", 0, "RATTLE for rigid bodies as rotation matrices, the rotation of a step as a quaternion", 2, true,
       Moves::rotation,
       [](int) {
         return ExactWord{kick(half), move(half, half), kick(half)};
       },
       "E. Hairer, C. Lubich, G. Wanner, Acta Numerica 12 (2003) 399-450; R. I. McLachlan, C. Scovel, J. Nonlinear "
       "Sci. 5 "
       "(1995) 233-256",
       "the same map as rattle, for a fraction of its cost"},
      {"position-verlet", 0, "position Verlet: drift, kick, drift, on the manifold also in the middle", 2, true,
       Moves::drift,
       [](int) {
         return ExactWord{move(zero, half), kick(one), move(half, zero)};
       },
       reich, "two constraint solves a step"},
      {"verlet-a", 0, "Stoermer-Verlet (A) for q' = g(q, p), p' = f(q, p): half a step of p, q, half a step of p", 2,
       true, Moves::drift,
       [](int) {
         return ExactWord{kick(half), move(half, half), kick(half)};
       },
       survey, "for fields and systems without constraints; rattle is the same with constraints", true, false},
      {"verlet-b", 0, "Stoermer-Verlet (B), the roles of q and p exchanged: half a step of q, p, half a step of q", 2,
       true, Moves::drift,
       [](int) {
         return ExactWord{move(zero, half), kick(one), move(half, zero)};
       },
       survey, "for fields and systems without constraints; position-verlet is the same with constraints", true, false},
      {"volume-splitting", 0, "splitting of a field in which no rate depends on its own variable, volume-preserving", 2,
       true, Moves::shears, [](int) { return ExactWord{move(half, half)}; }, survey,
       "explicit: each variable moves with the others at rest, there and back"},
      {"geodesic", 2, "RATTLE with # drifts on the manifold between kicks", 2, true, Moves::drift, geodesic_word,
       "B. Leimkuhler, C. Matthews, Proc. R. Soc. A 472 (2016) 20160138",
       "for forces that cost more than constraints: the free motion along the manifold is resolved more finely"},
      {"midpoint", 0, "implicit midpoint rule, projected, for any H(q, p)", 2, true, Moves::midpoint,
       [](int) { return ExactWord{move(half, half)}; }, reich,
       "for stiff potentials, from data near the slow motion; see docs/methods/stiff.md for where this ends"},
      {"verlet-midpoint", 0, "implicit midpoint rule for V_fast, kicks of V_slow", 2, true, Moves::midpoint_fast,
       [](int) {
         return ExactWord{kick(half, Part::slow), move(half, half), kick(half, Part::slow)};
       },
       reich, "needs a split potential"},
      {"respa", 4, "multiple time steps: # RATTLE steps of V_fast between kicks of V_slow", 2, true, Moves::drift,
       respa_word, "M. Tuckerman, B. J. Berne, G. J. Martyna, J. Chem. Phys. 97 (1992) 1990-2001",
       "constraints are kept in every inner step; resonances limit the outer step to about half the fastest period"},
      {"respa-outer", 4, "multiple time steps without constraints (# inner steps), projected once", 2, true,
       Moves::inner_steps, [](int) { return ExactWord{move(half, half)}; },
       "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475-491; J. J. Biesiadecki, R. D. Skeel, J. Comput. Phys. 109 (1993) "
       "318-328",
       "constraints are kept at outer steps only"},
  };
  return list;
}

// Kicks of parts of V need these; kicks that no pair of Euler steps has need a V.
Needs needs_of(Moves moves, const ExactWord& word) {
  if (moves == Moves::shears) return Needs::shears;
  const auto is_of_part = [](const Letter<Exact>& letter) { return letter.part != Part::all; };
  if (moves == Moves::rotation) return Needs::rigid_bodies;
  if (moves == Moves::midpoint_fast || moves == Moves::inner_steps || std::any_of(word.begin(), word.end(), is_of_part))
    return Needs::split;
  return moves == Moves::midpoint || suits_any_hamiltonian(word) ? Needs::hamiltonian : Needs::separable;
}

std::string numbered(std::string text, int number) {
  if (const auto at = text.find('#'); at != std::string::npos) text.replace(at, 1, std::to_string(number));
  return text;
}

// "geodesic-3": the base and its number; a bare "geodesic" has the usual one.
struct ParsedBase {
  const BaseEntry* entry;
  int parts;
  std::string key() const {
    return entry->parts == 0 ? entry->name : std::string(entry->name) + "-" + std::to_string(parts);
  }
};

std::optional<ParsedBase> parse_base(std::string_view key) {
  for (const BaseEntry& entry : bases()) {
    const std::string_view name = entry.name;
    if (key == name) return ParsedBase{&entry, std::max(entry.parts, 1)};
    if (entry.parts == 0 || !key.starts_with(name) || key.size() <= name.size() + 1 || key[name.size()] != '-')
      continue;
    int parts = 0;
    const auto [end, error] = std::from_chars(key.data() + name.size() + 1, key.data() + key.size(), parts);
    constexpr int most = 1000;
    if (error != std::errc() || end != key.data() + key.size() || key[name.size() + 1] == '0' || parts < 1) continue;
    if (parts > most) throw InputError("'" + std::string(key) + "': at most " + std::to_string(most) + " inner steps");
    return ParsedBase{&entry, parts};
  }
  return std::nullopt;
}

MethodInfo info_of(const ParsedBase& base) {
  const BaseEntry& entry = *base.entry;
  MethodInfo info;
  info.key = base.key();
  info.title = numbered(entry.title, base.parts);
  info.order = entry.order;
  info.symmetric = entry.symmetric;
  const bool shears = entry.moves == Moves::shears;
  info.symplectic = info.keeps_position = info.keeps_hidden = info.momentum_maps = !shears;
  info.volume = shears;
  info.needs = entry.constrained ? needs_of(entry.moves, entry.word(base.parts)) : Needs::unconstrained;
  info.needs_parts = info.bilinear_invariants = entry.for_fields;
  info.for_fields = entry.for_fields || shears;
  info.fixed_sizes = (entry.moves == Moves::drift && info.needs != Needs::split && entry.constrained) ||
                     entry.moves == Moves::rotation;
  info.family = "base";
  info.base = info.key;
  info.citation = entry.citation;
  info.remark = entry.remark;
  return info;
}

MethodEntry entry_of(MethodInfo info, const ParsedBase& base, std::shared_ptr<const CompositionScheme> scheme = nullptr,
                     std::function<void(double)> check_digits = nullptr) {
  const std::string instead = scheme ? scheme->key : usual_base;
  const Recipe recipe{info.key,
                      base.entry->word(base.parts),
                      base.entry->moves,
                      info.needs,
                      base.parts,
                      std::move(scheme),
                      std::move(check_digits),
                      instead};
  return {std::move(info), all_scalars([&]<class S> { return composition_maker<S>(recipe); })};
}

// The base of a composition, by its key; nothing: the usual one. `key` is that of the whole method.
ParsedBase base_of(const CompositionScheme& scheme, std::string_view base_key, std::string_view key) {
  // A scheme with an adjoint is made for a base that is not its own adjoint.
  if (base_key.empty()) base_key = scheme.with_adjoint ? "symplectic-euler" : usual_base;
  const auto base = parse_base(base_key);
  if (!base) {
    std::vector<std::string> known;
    for (const BaseEntry& entry : bases()) known.push_back(entry.name);
    throw InputError("unknown base method '" + std::string(base_key) + "' in '" + std::string(key) + "'." +
                     did_you_mean(base_key, known));
  }
  if (!base->entry->symmetric && !scheme.with_adjoint)
    throw InputError("'" + std::string(key) + "': " + scheme.key + " composes symmetric methods, and " + base->key() +
                     " is not one. Take a scheme that uses the adjoint as well, such as mclachlan-4-adjoint/" +
                     base->key() + ", or another base, such as rattle.");
  return *base;
}

// What compositions have in common; the order is that of the scheme.
MethodInfo info_of(const CompositionScheme& scheme, const ParsedBase& base) {
  MethodInfo info = info_of(base);
  info.key = scheme.with_adjoint || base.key() != usual_base ? scheme.key + "/" + base.key() : scheme.key;
  info.title = scheme.title + (scheme.with_adjoint ? " of " + base.key() + " and its adjoint" : " of " + base.key());
  info.order = scheme.order;
  info.symmetric = true;
  info.compensated = scheme.order >= 6;  // chosen for errors near round-off
  info.citation = (scheme.citation.empty() ? "" : scheme.citation + "; ") + (info.volume ? survey : reich);
  info.remark = "";
  info.substeps = coefficients<double>(scheme);
  info.family = "composition";
  info.scheme = scheme.key;
  return info;
}

std::string missed(const OrderCondition& condition) {
  char residual[32];
  std::snprintf(residual, sizeof residual, "%.2e", condition.residual);
  return condition.text + ", and is missed by " + residual;
}

}  // namespace

MethodFamily base_family() {
  MethodFamily family;
  family.pattern =
      "symplectic-euler[-adjoint] | rattle | rattle-so3 | position-verlet | verlet-a | verlet-b | volume-splitting | "
      "geodesic-<drifts> | "
      "midpoint | verlet-midpoint | "
      "respa-<inner steps> | respa-outer-<inner steps>";
  for (const BaseEntry& entry : bases()) family.members.push_back(ParsedBase{&entry, entry.parts}.key());
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    if (const auto base = parse_base(key)) return entry_of(info_of(*base), *base);
    return std::nullopt;
  };
  return family;
}

MethodFamily composition_family() {
  MethodFamily family;
  family.pattern = "<scheme>/<base>; <scheme> alone composes rattle";
  for (const CompositionScheme& scheme : composition_schemes())
    family.members.push_back(scheme.with_adjoint ? scheme.key + "/symplectic-euler" : scheme.key);
  for (const char* key :
       {"yoshida-4/midpoint", "kahan-li-8/midpoint", "suzuki-4/position-verlet", "mclachlan-4/geodesic-2",
        "suzuki-4/respa-4", "suzuki-4/respa-outer-4", "suzuki-4/verlet-midpoint", "blanes-moan-4/rattle",
        "yoshida-4/rattle-so3", "kahan-li-8/rattle-so3", "yoshida-4/verlet-a", "suzuki-4/verlet-b",
        "yoshida-4/volume-splitting"})
    family.members.push_back(key);
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    const auto slash = key.find('/');
    const CompositionScheme* scheme = find_composition(key.substr(0, slash));
    if (!scheme) return std::nullopt;
    const ParsedBase base = base_of(*scheme, slash == std::string_view::npos ? "" : key.substr(slash + 1), key);
    const std::shared_ptr<const CompositionScheme> listed(std::shared_ptr<const void>(),
                                                          scheme);  // lives as long as the program
    return entry_of(info_of(*scheme, base), base, listed);
  };
  return family;
}

MethodFamily scheme_family() {
  MethodFamily family;
  family.pattern = "scheme:<file.toml>[/<base>]";
  family.parse = [](std::string_view key) -> std::optional<MethodEntry> {
    constexpr std::string_view prefix = "scheme:", extension = ".toml";
    if (!key.starts_with(prefix)) return std::nullopt;
    std::string_view file = key.substr(prefix.size()), base_key;
    if (const auto at = file.rfind(std::string(extension) + "/"); at != std::string_view::npos) {
      base_key = file.substr(at + extension.size() + 1);
      file = file.substr(0, at + extension.size());
      if (base_key.empty()) throw InputError("'" + std::string(key) + "': a base method is missing after the last '/'");
    }
    CompositionScheme scheme = load_scheme(std::string(file));
    const ParsedBase base = base_of(scheme, base_key, key);
    const bool symmetric_base = base.entry->symmetric;
    const double epsilon = std::numeric_limits<double>::epsilon();  // decimals may be good enough for double only
    const auto [order, failing] = scheme_order(scheme, symmetric_base, epsilon);
    const std::string named = std::string(file) + ": '" + scheme.title + "'";
    if (order < 1) throw InputError(named + " does not converge: " + missed(failing) + ".");
    if (scheme.order > order)
      throw InputError(named + " is said to have order " + std::to_string(scheme.order) +
                       ", but the order conditions with the base " + base.key() + " give " + std::to_string(order) +
                       ". At order " + std::to_string(failing.weight) + ", " + missed(failing) +
                       ". Correct a coefficient, give more digits or formulas, or leave the order out.");
    scheme.order = order;
    scheme.title += ", " + std::to_string(scheme.coefficients.size()) + " substeps";
    const std::size_t count = scheme.coefficients.size();
    MethodInfo info = info_of(scheme, base);
    info.file = file;
    info.symmetric = is_palindrome(scheme, epsilon) && (symmetric_base || count % 2 == 0);
    info.remark = "order " + std::to_string(order) + " by its order conditions" +
                  (failing.weight > 0 ? "; at order " + std::to_string(failing.weight) + ", " + missed(failing)
                                      : " (and perhaps more)");
    const auto own = std::make_shared<const CompositionScheme>(std::move(scheme));
    const auto check_digits = [own, symmetric_base, epsilon, order = order, key = info.key](double of_scalar) {
      if (of_scalar >= epsilon) return;  // checked already
      const SchemeOrder found = scheme_order(*own, symmetric_base, of_scalar);
      if (found.order < order)
        throw Unsuitable(key + " has no order " + std::to_string(order) +
                         " in this precision; give its coefficients as formulas, or with more digits. At order " +
                         std::to_string(found.failing.weight) + ", " + missed(found.failing));
    };
    return entry_of(std::move(info), base, own, check_digits);
  };
  return family;
}

}  // namespace holonom
