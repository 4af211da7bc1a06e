// From where to where a value goes, as differences from the first one: in wide scalars these are below what a double
// can tell.
#pragma once

#include "holonom/scalar.hpp"

namespace holonom {

template <class S>
class Extent {
 public:
  void add(const S& y) {
    if (empty_) first_ = y;
    empty_ = false;
    const S d = y - first_;
    if (d < least_) least_ = d;
    if (d > most_) most_ = d;
  }
  const S& first() const { return first_; }
  double range() const { return to_double(S(most_ - least_)); }

  template <class F>
  void visit_memory(F&& f) {
    f("empty", empty_);
    f("first", first_);
    f("least", least_);
    f("most", most_);
  }

 private:
  bool empty_ = true;
  S first_{0}, least_{0}, most_{0};
};

}  // namespace holonom
