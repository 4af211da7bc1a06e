#!/usr/bin/env python3
"""The digits of src/coefficients/composition.cpp: from published coefficients to 110 decimals.

Newton's method on the order conditions, with the shortest correction where a scheme has free parameters; a
coefficient that was published as an exact number ("=0.28") stays as it is. Conditions: the coefficients of all
Lyndon words of odd weight in the product of the exponentials (see analysis/composition_order.hpp); in a
palindrome those of even weight follow. Prints the first half of each palindrome and how far it moved.

    python3 scripts/polish_compositions.py [KEY...]        needs mpmath; about a minute
"""
import sys

from mpmath import factorial, lu_solve, matrix, mp, mpf, nint, nstr

mp.dps = 180
DECIMALS = 110
DIFFERENCE = mpf(10) ** -60  # step of the difference quotients

# key: (order, with adjoint, first half; the last number is the middle one, except with adjoint)
PUBLISHED = {
    "yoshida-6": (6, False, """0.78451361047755726381949763 0.23557321335935813368479318
        -1.17767998417887100694641568 1.31518632068391121888424973"""),
    "yoshida-8": (8, False, """0.914844246229740 0.253693336566229 -1.44485223686048 -0.158240635368243
        1.93813913762276 -1.96061023297549 0.102799849391985 1.7084530707870"""),
    "mclachlan-4": (4, False, "=0.28 0.62546642846767004501 -0.8109328569353400900"),
    "mclachlan-6": (6, False, """=0.1867 0.55549702371247839916 0.12946694891347535806
        -0.84326562338773460855 0.9432033015235617027"""),
    "kahan-li-6": (6, False, """0.39216144400731413927925056 0.33259913678935943859974864
        -0.70624617255763935980996482 0.08221359629355080023149045 0.79854399093482996339895035"""),
    "kahan-li-8": (8, False, """0.13020248308889008087881763 0.56116298177510838456196441
        -0.38947496264484728640807860 0.15884190655515560089621075 -0.39590389413323757733623154
        0.18453964097831570709183254 0.25837438768632204729397911 0.29501172360931029887096624
        -0.60550853383003451169892108"""),
    "kahan-li-10": (10, False, """0.09040619368607278492161150 0.53591815953030120213784983
        0.35123257547493978187517736 -0.31116802097815835426086544 -0.52556314194263510431065549
        0.14447909410225247647345695 0.02983588609748235818064083 0.17786179923739805133592238
        0.09826906939341637652532377 0.46179986210411860873242126 -0.33377845599881851314531820
        0.07095684836524793621031152 0.23666960070126868771909819 -0.49725977950660985445028388
        -0.30399616617237257346546356 0.05246957188100069574521612 0.44373380805019087955111365"""),
    "suzuki-umeno-8": (8, False, """0.74167036435061295344822780 -0.40910082580003159399730010
        0.19075471029623837995387626 -0.57386247111608226665638773 0.29906418130365592384446354
        0.33462491824529818378495798 0.31529309239676659663205666 -0.79688793935291635401978884"""),
    "sofroniou-spaletta-10": (10, False, """0.078795722521686419263907679337684
        0.31309610341510852776481247192647 0.027918383235078066109520273275299
        -0.22959284159390709415121339679655 0.13096206107716486317465685927961
        -0.26973340565451071434460973222411 0.074973343155891435666137105641410
        0.11199342399981020488957508073640 0.36613344954622675119314812353150
        -0.39910563013603589787862981058340 0.10308739852747107731580277001372
        0.41143087395589023782070411897608 -0.0048663605831352617621956593099771
        -0.39203335370863990644808193642610 0.051942502962449647037182904015976
        0.050665090759924496335874344156866 0.049674370639729879054568800279461
        0.049317735759594537917680008339338"""),
    # With an adjoint: a1 b1 a2 b2 ... of the splitting A a1, B b1, A a2, ... of A + B, in which form it was published.
    "blanes-moan-4": (4, True, """0.0792036964311957 0.209515106613362 0.353172906049774 -0.143851773179818
        -0.0420650803577195 0.434336666566456"""),
    "blanes-moan-6": (6, True, """0.0502627644003922 0.148816447901042 0.413514300428344 -0.132385865767784
        0.0450798897943977 0.067307604692185 -0.188054853819569 0.432666402578175 0.541960678450780
        -0.016404589403618"""),
}


def words_up_to(order, with_adjoint):
    """Words over the letters 1, 2, 3, ... (1, 3, 5, ... for a symmetric base), by weight."""
    words = [()]
    for weight in range(1, order + 1):
        for letter in range(1, weight + 1, 1 if with_adjoint else 2):
            words += [w + (letter,) for w in words if sum(w) == weight - letter]
    return words


def is_lyndon(w):
    return len(w) > 0 and all(w < w[i:] + w[:i] for i in range(1, len(w)))


class Conditions:
    def __init__(self, order, with_adjoint):
        self.with_adjoint = with_adjoint
        self.words = words_up_to(order, with_adjoint)
        self.index = {w: i for i, w in enumerate(self.words)}
        self.prefixes = [[(self.index[w[:k]], sum(w[k:]), len(w) - k) for k in range(len(w) + 1)] for w in self.words]
        self.checked = [i for i, w in enumerate(self.words) if is_lyndon(w) and sum(w) % 2 == 1]
        self.order = order

    def defects(self, half, all_words=False):
        c = half + half[::-1] if self.with_adjoint else half + half[-2::-1]
        x = [mpf(i == 0) for i in range(len(self.words))]
        for stage, step in enumerate(c):
            adjoint = self.with_adjoint and stage % 2 == 1
            powers = [step**k for k in range(self.order + 1)]
            factor = {(k, m): powers[k] / factorial(m) * (-1 if adjoint and (k + m) % 2 else 1)
                      for k in range(self.order + 1) for m in range(k + 1)}
            x = [sum(x[u] * factor[k, m] for u, k, m in p) for p in self.prefixes]
        exact = [1 / factorial(len(w)) if set(w) <= {1} else mpf(0) for w in self.words]
        return [x[i] - exact[i] for i in (range(len(x)) if all_words else self.checked)]


def decimal(x):
    digits = str(int(nint(abs(x) * mpf(10) ** DECIMALS))).rjust(DECIMALS + 1, "0")
    return ("-" if x < 0 else "") + digits[:-DECIMALS] + "." + digits[-DECIMALS:]


def polish(order, with_adjoint, text):
    fixed = [t.startswith("=") for t in text.split()]
    published = [mpf(t.lstrip("=")) for t in text.split()]
    if with_adjoint:  # base: A, then B; adjoint: B, then A; so c1 = a1, c1 + c2 = b1, c2 + c3 = a2, ...
        for i in range(1, len(published)):
            published[i] -= published[i - 1]
    conditions = Conditions(order, with_adjoint)
    free = [i for i, f in enumerate(fixed) if not f]
    c = published[:]
    for _ in range(12):
        r = conditions.defects(c)
        columns = []
        for i in free:
            shifted = c[:]
            shifted[i] += DIFFERENCE
            columns.append([(a - b) / DIFFERENCE for a, b in zip(conditions.defects(shifted), r)])
        jacobian = matrix(len(r), len(free))
        for j, column in enumerate(columns):
            for i, value in enumerate(column):
                jacobian[i, j] = value
        step = jacobian.T * lu_solve(jacobian * jacobian.T, matrix(r))
        for j, i in enumerate(free):
            c[i] -= step[j]
        if max(abs(s) for s in step) < mpf(10) ** -(DECIMALS + 30):
            break
    else:
        raise RuntimeError("no convergence")
    c = [mpf(decimal(x)) for x in c]
    moved = max(abs(a - b) for a, b in zip(c, published))
    return c, moved, max(abs(r) for r in conditions.defects(c, all_words=True)), len(conditions.checked), len(free)


if __name__ == "__main__":
    for key in sys.argv[1:] or PUBLISHED:
        c, moved, defect, equations, unknowns = polish(*PUBLISHED[key])
        print(f"{key}: {equations} conditions, {unknowns} free coefficients; moved by {nstr(moved, 3)}, "
              f"defect {nstr(defect, 3)}")
        for x in c:
            print("  " + decimal(x))
