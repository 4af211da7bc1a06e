// Every quantity of quantities.hpp is the derivative of the one before it: text models in quad precision against
// differences. Where a value would vanish by chance, a wrong sign would go unnoticed: some models are made so that it
// does not.
#include "holonom/quantities.hpp"

#include <filesystem>
#include <set>

#include "quantity_models.hpp"

namespace {

using namespace holonom;
using namespace holonom::test;
using std::string;
using Form = CompiledModel::Form;

// What a quantity is the derivative of, at the same place: a quantity of the list, or a gradient.
Vec<quad> one_before(const AnySystem<quad>& sys, Quantity f, Arguments<quad> x) {
  (x.w ? x.w : x.v ? x.v : x.u) = nullptr;
  if (lower(f)) return evaluate(sys, *lower(f), x);
  Vec<quad> out(is_per_constraint(f) ? sys.m() : sys.n());
  if (f == Quantity::V_qq && x.part == Part::slow) {
    sys.V_slow_q(*x.q, out);
  } else if (f == Quantity::V_qq && x.part == Part::fast) {
    sys.V_fast_q(*x.q, out);
  } else if (f == Quantity::V_qq) {
    sys.V_q(*x.q, out);
  } else if (f == Quantity::H_pp || f == Quantity::H_pq) {
    sys.H_p(*x.q, *x.p, out);
  } else if (f == Quantity::H_qp || f == Quantity::H_qq) {
    sys.H_q(*x.q, *x.p, out);
  } else {
    Jacobian<quad> G(sys.pattern());
    sys.G(*x.q, G);
    if (f == Quantity::g_qq) {
      multiply(G, *x.u, out);
    } else {
      EXPECT_EQ(f, Quantity::lambda_g_qq);
      subtract_force(G, *x.lambda, out);
      for (quad& y : out) y = -y;
    }
  }
  return out;
}

quad size_of(const Vec<quad>& x) {
  quad size(0);
  for (const quad& y : x) size = std::max(size, quad(abs(y)));
  return size;
}

// By differences of order four: 1e-24 of the derivatives is left out, and 1e-34/1e-6 rounded away.
Vec<quad> difference(const AnySystem<quad>& sys, Quantity f, const Arguments<quad>& x) {
  const quad h("1e-6");
  const Vec<quad>& direction = *last_direction(x);
  Vec<quad> out(is_per_constraint(f) ? sys.m() : sys.n());
  for (const auto& [steps, weight] : {std::pair{-2, 1}, {-1, -8}, {1, 8}, {2, -1}}) {
    Vec<quad> moved = last_letter(f) == 'q' ? *x.q : *x.p;
    axpy(quad(steps * h), direction, moved);
    Arguments<quad> y = x;
    (last_letter(f) == 'q' ? y.q : y.p) = &moved;
    axpy(quad(quad(weight) / (12 * h)), one_before(sys, f, y), out);
  }
  return out;
}

// Returns the size of the values.
quad expect_derivative(const AnySystem<quad>& sys, Quantity f, const Arguments<quad>& x) {
  const Vec<quad> exact = difference(sys, f, x), found = evaluate(sys, f, x);
  const quad size = size_of(exact), noise = size_of(one_before(sys, f, x));
  for (int i = 0; i < found.size(); ++i)
    EXPECT_LE(to_double(quad(abs(quad(found[i] - exact[i])))), to_double(quad((size + noise) * quad(1e-18))))
        << name_of(f) << ", component " << i << ": " << to_double(found[i]) << ", not " << to_double(exact[i]);
  return size;
}

// All of them; returns those that do not vanish.
std::set<Quantity> expect_derivatives(const ModelSystem<quad>& sys) {
  const Place<quad> place(sys);
  std::set<Quantity> seen;
  for (const Quantity f : all_quantities) {
    if (!knows(sys, f)) {
      EXPECT_TRUE(f == Quantity::V_qq && sys.compiled().form() == Form::general) << sys.lacks(f);
      continue;
    }
    if (expect_derivative(sys, f, place(f)) > quad(1e-6)) seen.insert(f);
  }
  if (knows(sys, Quantity::V_parts))
    for (const Part part : {Part::slow, Part::fast})
      expect_derivative(sys, Quantity::V_qq, place(Quantity::V_qq, part));
  return seen;
}

void expect_symmetries(const AnySystem<quad>& sys, const Place<quad>& at) {
  const auto& [q, p, lambda, u, v, w] = at;
  const int n = sys.n(), m = sys.m();
  const auto equal = [](const quad& a, const quad& b, const quad& size, const char* what) {
    EXPECT_LE(to_double(quad(abs(quad(a - b)))), to_double(quad(size * quad(1e-28)))) << what;
  };
  // a·f(b, c), and the sizes of its terms
  quad size(0);
  const auto form = [&](Quantity f, const Vec<quad>& a, const Vec<quad>& b, const Vec<quad>& c) {
    Arguments<quad> x = at(f);
    x.u = &b;
    if (x.v) x.v = &c;
    const Vec<quad> y = evaluate(sys, f, x);
    size += 1 + size_of(y) * size_of(a) * n;
    return dot(a, y);
  };
  using enum Quantity;
  equal(form(H_pp, u, v, w), form(H_pp, v, u, w), size, "H_pp is symmetric");
  equal(form(H_qq, u, v, w), form(H_qq, v, u, w), size, "H_qq is symmetric");
  equal(form(H_pq, u, v, w), form(H_qp, v, u, w), size, "H_qp is the transpose of H_pq");
  equal(form(lambda_g_qq, u, v, w), form(lambda_g_qq, v, u, w), size, "(lambda.g)_qq is symmetric");
  for (const Quantity f : {H_qqq, H_ppp, lambda_g_qqq}) {
    equal(form(f, u, v, w), form(f, v, u, w), size, "the row and the first direction");
    equal(form(f, u, v, w), form(f, u, w, v), size, "both directions");
  }
  // One in p: w
  equal(form(H_qqp, u, v, w), form(H_qqp, v, u, w), size, "H_qqp is symmetric in q");
  equal(form(H_qqp, u, v, w), form(H_pqq, w, u, v), size, "H_pqq is H_qqp with other rows");
  equal(form(H_pqq, w, u, v), form(H_pqq, w, v, u), size, "H_pqq is symmetric in q");
  // Two in p: v and w
  equal(form(H_qpp, u, v, w), form(H_qpp, u, w, v), size, "H_qpp is symmetric in p");
  equal(form(H_qpp, u, v, w), form(H_pqp, v, u, w), size, "H_pqp is H_qpp with other rows");
  equal(form(H_pqp, v, u, w), form(H_pqp, w, u, v), size, "H_pqp is symmetric in p");

  Vec<quad> a(m), b(m);
  sys.g_qq(q, u, v, a), sys.g_qq(q, v, u, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qq is symmetric");
  equal(dot(lambda, a), form(lambda_g_qq, v, u, w), size, "lambda.g_qq(u, v) = v.(lambda.g)_qq u");
  const Vec<quad> copy = u;  // g_qq(u, u) has a formula of its own
  sys.g_qq(q, u, u, a), sys.g_qq(q, u, copy, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qq(u, u)");
  sys.g_qqq(q, u, v, w, a), sys.g_qqq(q, w, u, v, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qqq is symmetric");
  sys.g_qqq(q, v, u, w, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qqq is symmetric");
  equal(dot(lambda, a), form(lambda_g_qqq, w, u, v), size, "lambda.g_qqq(u, v, w) = w.(lambda.g)_qqq(u, v)");
}

TEST(Quantities, OfEveryModelAreTheDerivativesTheyAreSaidToBe) {
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    SCOPED_TRACE(file.path().filename().string());
    const ModelSystem<quad> sys(compile(load_model(file.path().string())));
    expect_derivatives(sys);
    if (!sys.is_field()) expect_symmetries(sys, Place<quad>(sys));  // of second derivatives of an H
    ++models;
  }
  EXPECT_GE(models, 21);
}

std::set<Quantity> all_but(std::initializer_list<Quantity> absent) {
  std::set<Quantity> all(all_quantities.begin(), all_quantities.end());
  for (const Quantity f : absent) all.erase(f);
  return all;
}

TEST(Quantities, OfEveryFormOfTheEnergy) {
  using enum Quantity;
  // With V and a constant mass
  const auto simple = all_but({H_pq, H_qp, H_qqp, H_qpp, H_pqq, H_pqp, H_ppp});
  const struct {
    const char* what;
    const string& text;
    Form form;
    std::set<Quantity> different_from_zero;
  } cases[] = {{"separable", separable, Form::separable, simple},
               {"a full mass", full_mass, Form::separable, simple},
               {"M(q)", mass_matrix, Form::mass_matrix, all_but({H_ppp})},
               {"any H", general, Form::general, all_but({V_qq})},
               {"tables", table, Form::separable, simple}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const ModelSystem<quad> sys(from_text(c.text));
    ASSERT_EQ(sys.compiled().form(), c.form);
    EXPECT_EQ(expect_derivatives(sys), c.different_from_zero);
    expect_symmetries(sys, Place<quad>(sys));
  }
}

// V_fast, of formulas and of tables
TEST(Quantities, TheFastPartHasItsGradient) {
  for (const string& text : {separable, table}) {
    const ModelSystem<quad> sys(from_text(text));
    const Place<quad> place(sys);
    const Arguments<quad> x = place(Quantity::V_qq);
    Vec<quad> slope(sys.n());
    sys.V_fast_q(*x.q, slope);
    const quad step("1e-10");
    Vec<quad> ahead(*x.q), behind(*x.q);
    axpy(step, *x.u, ahead);
    axpy(quad(-step), *x.u, behind);
    const quad rate = dot(slope, *x.u);
    EXPECT_GT(magnitude(rate), quad(1e-3));
    EXPECT_LT(magnitude(quad((sys.V_fast(ahead) - sys.V_fast(behind)) / (2 * step) - rate)), quad(1e-17));
    EXPECT_GT(magnitude(quad(sys.V(*x.q) - sys.V_fast(*x.q))), quad(1e-3));
  }
}

TEST(Quantities, TextModelsSayWhatTheyLack) {
  const ModelSystem<double> any(from_text(general)), crank(from_text(mass_matrix)), simple(from_text(full_mass)),
      parts(from_text(separable));
  EXPECT_EQ(any.lacks(Quantity::V), "the hamiltonian mixes positions and momenta");
  EXPECT_EQ(any.lacks(Quantity::V_qq), "the hamiltonian mixes positions and momenta");
  const Place<double> at(any);
  EXPECT_EQ(message_of<std::logic_error>([&] { evaluate(any, Quantity::V_qq, at(Quantity::V_qq)); }),
            any.lacks(Quantity::V_qq));
  EXPECT_EQ(crank.lacks(Quantity::V), "the mass matrix depends on the position");
  EXPECT_EQ(crank.lacks(Quantity::V_qq), "");
  EXPECT_EQ(simple.lacks(Quantity::V), "");
  EXPECT_TRUE(contains(simple.lacks(Quantity::V_parts), "does not come in two parts"));
  EXPECT_EQ(parts.lacks(Quantity::V_parts), "");
  EXPECT_EQ(simple.lacks(Quantity::V_fast), simple.lacks(Quantity::V_parts));
  EXPECT_EQ(parts.lacks(Quantity::V_fast), "");
}

}  // namespace
