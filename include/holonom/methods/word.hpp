// A method as a word. Its letters are applied in reading order, to the state (q, p):
//   kick c of a part of V     p ← p − c h ∇V_part(q)
//   move a, b                 a motion over (a + b) h that keeps g = 0 with an impulse −G(q)ᵀΛ at its start
// and the momenta are projected onto G H_p = 0 after the last letter. Symplectic Euler is kick 1, move 1;
// RATTLE is kick ½, move 1, kick ½. What a motion is depends on the system and on the method's family: free
// flight, the implicit midpoint rule, any symplectic map. Methods of high order are longer words; that is
// all there is to composition (Reich 1996, (26) and (27)).
//
// a and b tell the part of a move in which a method for general H(q, p) evaluates H at its start from the
// part in which it does so at its end; only their sum matters otherwise.
#pragma once

#include <algorithm>
#include <vector>

#include "holonom/system.hpp"

namespace holonom {

template <class S>
struct Letter {
  enum class Kind : std::uint8_t { kick, move };
  Kind kind = Kind::move;
  Part part = Part::all;  // of a kick
  S a{0}, b{0};           // a kick has a only

  bool is_kick() const { return kind == Kind::kick; }
};

template <class S>
using Word = std::vector<Letter<S>>;

template <class S>
Letter<S> kick(const S& c, Part part = Part::all) {
  return {Letter<S>::Kind::kick, part, c, S(0)};
}
template <class S>
Letter<S> move(const S& a, const S& b) {
  return {Letter<S>::Kind::move, Part::all, a, b};
}

// word ← word, then `more` with h replaced by c h. Kicks that meet are one kick.
template <class S>
void append(Word<S>& word, const Word<S>& more, const S& c = S(1)) {
  for (Letter<S> letter : more) {
    letter.a *= c;
    letter.b *= c;
    if (letter.is_kick() && !word.empty() && word.back().is_kick() && word.back().part == letter.part)
      word.back().a += letter.a;
    else
      word.push_back(letter);
  }
}

// The inverse of the map with −h: the letters backwards, starts and ends of moves exchanged.
template <class S>
Word<S> adjoint(const Word<S>& word) {
  Word<S> result(word.rbegin(), word.rend());
  for (Letter<S>& letter : result)
    if (!letter.is_kick()) std::swap(letter.a, letter.b);
  return result;
}

// base(c₁h), then base(c₂h), ...; with an adjoint, every second one is the adjoint of the base.
template <class S>
Word<S> compose(const Word<S>& base, const std::vector<S>& coefficients, bool with_adjoint) {
  const Word<S> other = with_adjoint ? adjoint(base) : base;
  Word<S> word;
  for (std::size_t i = 0; i < coefficients.size(); ++i) append(word, i % 2 == 0 ? base : other, coefficients[i]);
  return word;
}

// Whether each move has a kick of a before it and of b behind it, as symplectic Euler and its adjoint have: then the
// word is a method for any H(q, p), whose moves have these kicks within.
template <class S>
bool suits_any_hamiltonian(const Word<S>& word) {
  Word<S> expected;
  for (const Letter<S>& letter : word)
    if (!letter.is_kick()) append(expected, {kick(letter.a), letter, kick(letter.b)});
  std::erase_if(expected, [](const Letter<S>& letter) { return letter.is_kick() && letter.a == S(0); });
  return expected.size() == word.size() &&
         std::equal(word.begin(), word.end(), expected.begin(), [](const Letter<S>& x, const Letter<S>& y) {
           return x.kind == y.kind && x.part == y.part && x.a == y.a && x.b == y.b;
         });
}

// The same word in another scalar.
template <class S, class From>
Word<S> converted(const Word<From>& word) {
  const auto number = [](const From& x) { return S(x.numerator()) / S(x.denominator()); };
  Word<S> result;
  for (const Letter<From>& letter : word)
    result.push_back({letter.is_kick() ? Letter<S>::Kind::kick : Letter<S>::Kind::move, letter.part, number(letter.a),
                      number(letter.b)});
  return result;
}

}  // namespace holonom
