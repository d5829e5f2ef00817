#pragma once

namespace rattleback {

/// The polynomial of degree 5 on [0, 1] with given values, slopes and second derivatives at both ends (Hermite):
///
///     f(s) = f₀ + s f₀' + s² f₀''/2 + s³ (c₃ + c₄ s + c₅ s²), with the conditions at s = 1.
///
/// Between nodes at a distance h, slopes are h v and second derivatives h² a.
class Quintic {
 public:
  struct End {
    double value;
    double slope;
    double second;
  };
  Quintic(const End& at_zero, const End& at_one) : c0_(at_zero.value), c1_(at_zero.slope), c2_(0.5 * at_zero.second) {
    const double value = at_one.value - c0_ - c1_ - c2_;
    const double slope = at_one.slope - c1_ - 2.0 * c2_;
    const double second = at_one.second - 2.0 * c2_;
    c3_ = 10.0 * value - 4.0 * slope + 0.5 * second;
    c4_ = -15.0 * value + 7.0 * slope - second;
    c5_ = 6.0 * value - 3.0 * slope + 0.5 * second;
  }

  double value(double s) const { return c0_ + s * (c1_ + s * (c2_ + s * (c3_ + s * (c4_ + s * c5_)))); }
  double slope(double s) const { return c1_ + s * (2.0 * c2_ + s * (3.0 * c3_ + s * (4.0 * c4_ + s * 5.0 * c5_))); }

 private:
  double c0_, c1_, c2_, c3_ = 0.0, c4_ = 0.0, c5_ = 0.0;
};

}  // namespace rattleback
