// The drift of a series of errors, such as that of an energy, with an interval of confidence that knows of oscillation
// and of wandering.
//
// Three things hide a drift. Oscillation, however large, averages out within a part of the run, and faster so if the
// mean is weighted by sin² over the part: what is left of a period P in a part of length L falls as (P/L)³, where an
// even mean leaves P/L. A chaotic motion wanders: means of neighbouring parts are alike, so that a line fits them far
// better than chance would have it, and the error that least squares give for its slope is too small by a large factor.
// Rounding errors are a random walk, which is the extreme of that: its displacement grows as √t, a drift as t.
//
// So the means of the parts are taken to be a line and a noise whose memory is not known,
//   m_k = a + b k + u_k + w_k,   u_k = φ u_(k−1) + innovation,   w_k independent of each other,
// from independent parts (φ = 0) to a random walk (φ → 1). For each of a grid of memories and of shares of w the slope
// has a Student distribution by generalised least squares; these are weighted by the restricted likelihood of what was
// seen, so that a memory that explains the data as well as another one counts as much. The interval is that of the
// mixture: where the run is too short to tell a slow wander from a drift, it is wide, and says so. Few long parts
// average slow oscillation out, many short ones know more of a noise: the narrower interval of both is taken.
#pragma once

#include <vector>

namespace holonom {

struct Drift {
  double change = 0;    // along the line, over the whole series
  double interval = 0;  // change ± interval has the confidence below
  double band = 0;      // highest − lowest value about the line
  double memory = 0;    // of the noise, as a part of the run (median); 1 and more: as a random walk
  double walk = 0;      // by how much the noise of neighbouring parts alone would have walked away in the whole run
  bool is_seen() const { return change > interval || -change > interval; }
};
constexpr double drift_confidence = 0.999;

// Of values at equal distances of time. Fewer than 128 of them give an infinite interval.
Drift drift_of(const std::vector<double>& values);

}  // namespace holonom
