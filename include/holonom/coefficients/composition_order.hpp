// The order of a composition, from its coefficients alone. A base of step c is exp(c Y₁ + c² Y₂ + c³ Y₃ + ...) with
// unknown Y_k (Y₂ = Y₄ = ... = 0 if it is symmetric), its adjoint exp(c Y₁ − c² Y₂ + c³ Y₃ − ...). The scheme has
// order p if the product of its exponentials agrees with exp(Y₁) in every word of weight ≤ p in the free algebra of
// the Y_k; Y_k has weight k.
//   In one exponential the word Y_k₁ ... Y_km of weight k has the coefficient cᵏ/m!, or (−1)ᵏ⁺ᵐ cᵏ/m! for the adjoint.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "holonom/scalar.hpp"

namespace holonom {

// Words by weight: the empty one, then each as a shorter word and one more letter.
struct CompositionWords {
  struct Word {
    int weight = 0, length = 0, prefix = -1;  // the number of the word without its last letter
  };
  std::vector<Word> words{Word{}};

  CompositionWords(int max_weight, bool with_adjoint) {
    for (int weight = 1; weight <= max_weight; ++weight)
      for (int letter = 1; letter <= weight; letter += with_adjoint ? 1 : 2)
        for (int i = 0, count = static_cast<int>(words.size()); i < count; ++i) {
          const Word w = words[static_cast<std::size_t>(i)];
          if (w.weight == weight - letter) words.push_back({weight, w.length + 1, i});
        }
  }
};

// The coefficients of the words in the product of the exponentials.
template <class S>
std::vector<S> composition_product(const std::vector<S>& coefficients, bool with_adjoint,
                                   const std::vector<CompositionWords::Word>& words) {
  const int max_weight = words.back().weight;
  const auto size = static_cast<std::size_t>(max_weight) + 1;

  // factor(k, m): the coefficient in the exponential of one substep of a word of weight k and length m
  std::vector<S> inverse_factorial(size, S(1)), factors(size * size);
  for (std::size_t m = 1; m < size; ++m) inverse_factorial[m] = inverse_factorial[m - 1] / S(static_cast<int>(m));
  const auto factor = [&](int k, int m) -> S& {
    return factors[static_cast<std::size_t>(k) * size + static_cast<std::size_t>(m)];
  };

  std::vector<S> product(words.size(), S(0));
  product[0] = S(1);
  for (std::size_t stage = 0; stage < coefficients.size(); ++stage) {
    const bool adjoint = with_adjoint && stage % 2 == 1;
    S power(1);
    for (int k = 0; k <= max_weight; ++k, power *= coefficients[stage])
      for (int m = 0; m <= k; ++m) {
        const S f = power * inverse_factorial[static_cast<std::size_t>(m)];
        factor(k, m) = adjoint && (k + m) % 2 == 1 ? S(-f) : f;
      }
    // A word w = u v takes u from the product so far and v from this substep. Longest words first: u is still old.
    for (std::size_t i = words.size(); i-- > 0;) {
      S sum = product[i];
      for (int u = words[i].prefix; u >= 0;) {
        const auto& prefix = words[static_cast<std::size_t>(u)];
        sum += product[static_cast<std::size_t>(u)] *
               factor(words[i].weight - prefix.weight, words[i].length - prefix.length);
        u = prefix.prefix;
      }
      product[i] = sum;
    }
  }

  return product;
}

// The coefficient of a word in exp(Y₁), which is that of the exact flow.
template <class S>
S exact_coefficient(const CompositionWords::Word& word) {
  if (word.weight != word.length) return S(0);
  S factorial(1);
  for (int m = 2; m <= word.length; ++m) factorial *= S(m);
  return S(1) / factorial;
}

// For each weight 0, 1, ..., max_weight the largest |coefficient − that of exp(Y₁)| over the words of this weight.
template <class S>
std::vector<S> composition_defects(const std::vector<S>& coefficients, bool with_adjoint, int max_weight) {
  using std::abs;
  const std::vector<CompositionWords::Word> words = CompositionWords(max_weight, with_adjoint).words;
  const std::vector<S> product = composition_product(coefficients, with_adjoint, words);
  std::vector<S> defects(static_cast<std::size_t>(max_weight) + 1, S(0));
  for (std::size_t i = 0; i < words.size(); ++i) {
    S& defect = defects[static_cast<std::size_t>(words[i].weight)];
    defect = std::max<S>(defect, abs(S(product[i] - exact_coefficient<S>(words[i]))));
  }
  return defects;
}

template <class S>
struct CompositionOrder {
  int order = 0;      // max_weight if every condition up to there holds
  S residual = S(0);  // the largest defect up to the order: rounding
  S leading = S(0);   // the largest defect at order + 1: the size of the error; 0 if that is beyond max_weight
};

// Defects up to the tolerance count as rounding.
template <class S>
CompositionOrder<S> composition_order(const std::vector<S>& coefficients, bool with_adjoint, int max_weight,
                                      const S& tolerance) {
  const std::vector<S> defects = composition_defects(coefficients, with_adjoint, max_weight);
  CompositionOrder<S> found;
  for (int weight = 1; weight <= max_weight; ++weight) {
    const S& defect = defects[static_cast<std::size_t>(weight)];
    if (!(defect <= tolerance)) {
      found.leading = defect;
      break;
    }
    found.order = weight;
    found.residual = std::max<S>(found.residual, defect);
  }
  return found;
}

}  // namespace holonom
