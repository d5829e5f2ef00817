#include "recurrences.hpp"

#include <cmath>

namespace rattleback {
namespace {

constexpr int order_level = 2;

/// Samples choose pivots, and pivots do not depend on coefficients.
Builder::Sample any_sample(std::uint32_t slot) {
  Builder::Sample sample;
  for (std::size_t s = 0; s < sample.size(); ++s) {
    sample[s] = 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(1 + slot + 11 * s), 1.0);
  }
  return sample;
}

}  // namespace

Recurrences::Recurrences(const Builder& source, Builder& code, std::vector<bool> needed, std::uint32_t carried)
    : source_(source), code_(code), values_(source.code().size()), needed_(std::move(needed)) {
  SeriesProgram slots;
  slots.positions = carried;
  const auto variable = [&](std::uint32_t slot) { return code_.variable(slot, order_level, any_sample(slot)); };
  for (std::uint32_t i = 0; i < carried; ++i) carried_.push_back(variable(i));
  number_ = variable(slots.number());
  over_number_ = variable(slots.over_number());
  over_next_ = variable(slots.over_next());
  time_ = variable(slots.time());
  first_convolution_ = slots.convolution(0);
}

void Recurrences::find_zeroth() {
  for (Value v = 0; v < values_.size(); ++v) {
    const Instruction& i = source_.code()[v];
    if (i.op == Opcode::input || i.op == Opcode::variable) continue;
    values_[v].zeroth = zeroth_of(i, v);
  }
}

void Recurrences::find_coefficients(int least_level) {
  for (Value v = 0; v < values_.size(); ++v) {
    const Instruction& i = source_.code()[v];
    const bool is_given = i.op == Opcode::input || i.op == Opcode::variable;
    if (is_given || !needed_[v] || source_.level(v) < least_level) continue;
    values_[v].coefficient = is_constant(v) ? code_.constant(0.0) : coefficient_of(i, v);
  }
}

Value Recurrences::zeroth_of(const Instruction& i, Value v) {
  const auto x = [&](Value operand) { return values_[operand].zeroth; };
  switch (i.op) {
    case Opcode::constant: return code_.constant(source_.constant_of(v));
    case Opcode::add: return add(x(i.a), x(i.b));
    case Opcode::subtract: return minus(x(i.a), x(i.b));
    case Opcode::multiply: return times(x(i.a), x(i.b));
    case Opcode::divide: return code_.divide(x(i.a), x(i.b));
    case Opcode::negate: return code_.negate(x(i.a));
    case Opcode::absolute: return code_.absolute(x(i.a));
    case Opcode::select: return code_.select(x(i.a), x(i.b), x(i.c));
    default: return code_.call(i.op, x(i.a), operand_count(i.op) > 1 ? x(i.b) : 0);
  }
}

Value Recurrences::convolution(Place place) {
  const auto [known, is_new] = convolutions_.emplace(place, convolutions_.size());
  if (is_new) {
    left_.push_back(0);
    right_.push_back(0);
  }
  const auto slot = first_convolution_ + static_cast<std::uint32_t>(known->second);
  return code_.variable(slot, order_level, any_sample(slot));
}

void Recurrences::factors(Place place, Value left, Value right) {
  const std::size_t k = convolutions_.at(place);
  left_[k] = left;
  right_[k] = right;
}

// (a b)ⱼ = Σ aᵢ b_{j−i}
Value Recurrences::product(Place place, const SeriesValue& a, const SeriesValue& b) {
  const Value older = convolution(place);
  factors(place, a.coefficient, b.coefficient);
  if (&a == &b) return add(older, twice(times(a.zeroth, a.coefficient)));
  return add(add(older, times(b.zeroth, a.coefficient)), times(a.zeroth, b.coefficient));
}

// b c = a:  cⱼ b₀ = aⱼ − bⱼ c₀ − Σ_{0<i<j} bᵢ c_{j−i}
Value Recurrences::quotient(Value v, const SeriesValue& a, const SeriesValue& b) {
  const Place place{v, Part::itself};
  const Value rest = minus(minus(a.coefficient, convolution(place)), times(values_[v].zeroth, b.coefficient));
  const Value c = code_.divide(rest, b.zeroth);
  factors(place, b.coefficient, c);
  return c;
}

// r² = a:  2 r₀ rⱼ = aⱼ − Σ_{0<i<j} rᵢ r_{j−i}
void Recurrences::find_root(Place place, SeriesValue& root, Value of) {
  root.coefficient = code_.divide(minus(of, convolution(place)), twice(root.zeroth));
  factors(place, root.coefficient, root.coefficient);
}

// s′ = c a′, c′ = ∓ s a′:  sⱼ = aⱼ c₀ + (1/j) Σ_{0<i<j} i aᵢ c_{j−i}
void Recurrences::find_sine_and_cosine(Value angle, Part sine, Part cosine) {
  const bool is_circular = sine == Part::sine;
  const SeriesValue& a = values_[angle];
  SeriesValue& s = helper(angle, sine);
  SeriesValue& c = helper(angle, cosine);
  s.zeroth = code_.call(is_circular ? Opcode::sin : Opcode::sinh, a.zeroth);
  c.zeroth = code_.call(is_circular ? Opcode::cos : Opcode::cosh, a.zeroth);
  const auto driven_by = [&](Part part, const SeriesValue& other) {
    return add(times(over_number_, convolution({angle, part})), times(other.zeroth, a.coefficient));
  };
  s.coefficient = driven_by(sine, c);
  c.coefficient = driven_by(cosine, s);
  if (is_circular) c.coefficient = code_.negate(c.coefficient);
  factors({angle, sine}, derived(a.coefficient), c.coefficient);
  factors({angle, cosine}, derived(a.coefficient), s.coefficient);
}

// u′ = (1 ± u²) a′
Value Recurrences::tangent(Value v, const SeriesValue& a, double sign) {
  const Place place{v, Part::itself};
  SeriesValue u = values_[v];
  const Value slope = add(code_.constant(1.0), times(code_.constant(sign), times(u.zeroth, u.zeroth)));
  u.coefficient = add(times(over_number_, convolution(place)), times(slope, a.coefficient));
  factors(place, derived(a.coefficient), times(code_.constant(sign), square({v, Part::square}, u)));
  return u.coefficient;
}

// e′ = e a′:  eⱼ = aⱼ e₀ + (1/j) Σ_{0<i<j} i aᵢ e_{j−i}
Value Recurrences::exponential(Value v, const SeriesValue& a) {
  const Place place{v, Part::itself};
  const Value e = add(times(over_number_, convolution(place)), times(values_[v].zeroth, a.coefficient));
  factors(place, derived(a.coefficient), e);
  return e;
}

// d u′ = a′:  uⱼ d₀ = aⱼ − (1/j) Σ_{0<i<j} i uᵢ d_{j−i}
Value Recurrences::integral(Place place, Value coefficient, const SeriesValue& d) {
  const Value u = code_.divide(minus(coefficient, times(over_number_, convolution(place))), d.zeroth);
  factors(place, derived(u), d.coefficient);
  return u;
}

/// 1 ± a²
const SeriesValue& Recurrences::one_and_square(Value v, const SeriesValue& a, double sign) {
  SeriesValue& sum = helper(v, Part::sum_of_squares);
  const Value factor = code_.constant(sign);
  sum.zeroth = add(code_.constant(1.0), times(factor, times(a.zeroth, a.zeroth)));
  sum.coefficient = times(factor, square({v, Part::square}, a));
  return sum;
}

const SeriesValue& Recurrences::root_of_one_and_square(Value v, const SeriesValue& a, double sign) {
  const SeriesValue& sum = one_and_square(v, a, sign);
  SeriesValue& root = helper(v, Part::root);
  root.zeroth = code_.call(Opcode::sqrt, sum.zeroth);
  find_root({v, Part::root}, root, sum.coefficient);
  return root;
}

// a p′ = b a′ p:  pⱼ a₀ = b aⱼ p₀ + (1/j) Σ_{0<i<j} (b i aᵢ p_{j−i} − i pᵢ a_{j−i})
Value Recurrences::power(Value v, const SeriesValue& a, Value b) {
  const Place forward{v, Part::itself};
  const Place backward{v, Part::turned_back};
  const Value older = times(over_number_, minus(times(b, convolution(forward)), convolution(backward)));
  const Value p = code_.divide(add(older, times(times(b, values_[v].zeroth), a.coefficient)), a.zeroth);
  factors(forward, derived(a.coefficient), p);
  factors(backward, derived(p), a.coefficient);
  return p;
}

// a^b = exp(b log a)
Value Recurrences::power(Value v, Value base, Value exponent) {
  const SeriesValue& a = values_[base];
  const SeriesValue& b = values_[exponent];
  if (is_constant(exponent)) return power(v, a, b.zeroth);
  SeriesValue& logarithm = helper(v, Part::logarithm);
  logarithm.zeroth = code_.call(Opcode::log, a.zeroth);
  logarithm.coefficient = is_constant(base) ? code_.constant(0.0) : integral({v, Part::logarithm}, a.coefficient, a);
  SeriesValue& product_of_both = helper(v, Part::exponent);
  product_of_both.coefficient =
      is_constant(base) ? times(logarithm.zeroth, b.coefficient) : product({v, Part::exponent}, logarithm, b);
  return exponential(v, product_of_both);
}

// (x² + y²) θ′ = x y′ − y x′
Value Recurrences::angle_of(Value v, const SeriesValue& y, const SeriesValue& x) {
  SeriesValue& d = helper(v, Part::sum_of_squares);
  d.zeroth = add(times(x.zeroth, x.zeroth), times(y.zeroth, y.zeroth));
  d.coefficient = add(square({v, Part::square}, x), square({v, Part::other_square}, y));
  const Place forward{v, Part::sine};
  const Place backward{v, Part::cosine};
  const Value older = times(over_number_, minus(convolution(forward), convolution(backward)));
  factors(forward, derived(y.coefficient), x.coefficient);
  factors(backward, derived(x.coefficient), y.coefficient);
  const Value now = minus(times(x.zeroth, y.coefficient), times(y.zeroth, x.coefficient));
  return integral({v, Part::itself}, add(older, now), d);
}

Value Recurrences::coefficient_of(const Instruction& i, Value v) {
  const SeriesValue& a = values_[i.a];
  switch (i.op) {
    case Opcode::add: return add(a.coefficient, values_[i.b].coefficient);
    case Opcode::subtract: return minus(a.coefficient, values_[i.b].coefficient);
    case Opcode::negate: return code_.negate(a.coefficient);
    case Opcode::multiply:
      if (is_constant(i.a)) return times(a.zeroth, values_[i.b].coefficient);
      if (is_constant(i.b)) return times(values_[i.b].zeroth, a.coefficient);
      return product({v, Part::itself}, a, values_[i.b]);
    case Opcode::divide:
      if (is_constant(i.b)) return code_.divide(a.coefficient, values_[i.b].zeroth);
      return quotient(v, a, values_[i.b]);
    case Opcode::sqrt: {
      SeriesValue root = values_[v];
      find_root({v, Part::itself}, root, a.coefficient);
      return root.coefficient;
    }
    case Opcode::sin: find_sine_and_cosine(i.a, Part::sine, Part::cosine); return helper(i.a, Part::sine).coefficient;
    case Opcode::cos: find_sine_and_cosine(i.a, Part::sine, Part::cosine); return helper(i.a, Part::cosine).coefficient;
    case Opcode::sinh:
      find_sine_and_cosine(i.a, Part::hyperbolic_sine, Part::hyperbolic_cosine);
      return helper(i.a, Part::hyperbolic_sine).coefficient;
    case Opcode::cosh:
      find_sine_and_cosine(i.a, Part::hyperbolic_sine, Part::hyperbolic_cosine);
      return helper(i.a, Part::hyperbolic_cosine).coefficient;
    case Opcode::tan: return tangent(v, a, 1.0);
    case Opcode::tanh: return tangent(v, a, -1.0);
    case Opcode::exp: return exponential(v, a);
    case Opcode::log: return integral({v, Part::itself}, a.coefficient, a);
    case Opcode::atan: return integral({v, Part::itself}, a.coefficient, one_and_square(v, a, 1.0));
    case Opcode::asinh: return integral({v, Part::itself}, a.coefficient, root_of_one_and_square(v, a, 1.0));
    case Opcode::asin: return integral({v, Part::itself}, a.coefficient, root_of_one_and_square(v, a, -1.0));
    case Opcode::acos:
      return integral({v, Part::itself}, code_.negate(a.coefficient), root_of_one_and_square(v, a, -1.0));
    case Opcode::atan2: return angle_of(v, a, values_[i.b]);
    case Opcode::pow: return power(v, i.a, i.b);
    default: throw NoSeries(opcode_name(i.op));
  }
}

}  // namespace rattleback
