#pragma once

#include <map>
#include <utility>
#include <vector>

#include "builder.hpp"
#include "series_program.hpp"

namespace rattleback {

/// A power series as values of a builder: its first coefficient, and the one of order j.
struct SeriesValue {
  Value zeroth = 0;
  Value coefficient = 0;
};

/// The recurrences of elementary operations: series of the instructions of a source, as code for the first coefficients
/// and for those of order j ≥ 1. What enters the source is given by others, and may be given again: the coefficients
/// that do not depend on it stay the same values.
class Recurrences {
 public:
  /// Only for instructions of the source that are needed.
  Recurrences(const Builder& source, Builder& code, std::vector<bool> needed, std::uint32_t carried);

  Value carried(std::uint32_t i) const { return carried_[i]; }
  Value number() const { return number_; }            ///< j
  Value over_number() const { return over_number_; }  ///< 1/j
  Value over_next() const { return over_next_; }      ///< 1/(j+1)
  Value time() const { return time_; }                ///< coefficient of t

  /// The series of an input or a variable of the source.
  void give_zeroth(Value v, Value zeroth) { values_[v].zeroth = zeroth; }
  void give(Value v, Value coefficient) { values_[v].coefficient = coefficient; }
  /// First coefficients of all instructions; coefficients of those that are needed and have at least this level.
  void find_zeroth();
  void find_coefficients(int least_level = 0);

  const SeriesValue& operator[](Value v) const { return values_[v]; }

  /// The factors of all convolutions, as they were found last.
  const std::vector<Value>& left() const { return left_; }
  const std::vector<Value>& right() const { return right_; }

 private:
  /// What helps to find the series of an instruction.
  enum class Part : std::uint8_t {
    itself,
    turned_back,
    sine,
    cosine,
    hyperbolic_sine,
    hyperbolic_cosine,
    square,
    other_square,
    sum_of_squares,
    root,
    logarithm,
    exponent
  };
  using Place = std::pair<Value, Part>;

  bool is_constant(Value v) const { return source_.level(v) == 0; }
  Value zeroth_of(const Instruction& i, Value v);
  Value coefficient_of(const Instruction& i, Value v);

  Value convolution(Place place);
  void factors(Place place, Value left, Value right);
  Value product(Place place, const SeriesValue& a, const SeriesValue& b);
  Value square(Place place, const SeriesValue& a) { return product(place, a, a); }
  void find_root(Place place, SeriesValue& root, Value of);
  void find_sine_and_cosine(Value angle, Part sine, Part cosine);
  const SeriesValue& one_and_square(Value v, const SeriesValue& a, double sign);
  const SeriesValue& root_of_one_and_square(Value v, const SeriesValue& a, double sign);
  Value tangent(Value v, const SeriesValue& a, double sign);
  Value exponential(Value v, const SeriesValue& a);
  Value quotient(Value v, const SeriesValue& a, const SeriesValue& b);
  Value integral(Place place, Value coefficient, const SeriesValue& denominator);
  Value power(Value v, const SeriesValue& a, Value exponent);
  Value power(Value v, Value base, Value exponent);
  Value angle_of(Value v, const SeriesValue& y, const SeriesValue& x);
  SeriesValue& helper(Value v, Part part) { return helpers_[{v, part}]; }

  Value add(Value a, Value b) { return code_.add(a, b); }
  Value minus(Value a, Value b) { return code_.subtract(a, b); }
  Value times(Value a, Value b) { return code_.multiply(a, b); }
  Value twice(Value a) { return times(code_.constant(2.0), a); }
  /// j aⱼ, the coefficient of t ȧ.
  Value derived(Value coefficient) { return times(number_, coefficient); }

  const Builder& source_;
  Builder& code_;
  std::vector<SeriesValue> values_;
  std::vector<bool> needed_;
  std::vector<Value> carried_;
  std::uint32_t first_convolution_;
  Value number_;
  Value over_number_;
  Value over_next_;
  Value time_;
  std::map<Place, std::size_t> convolutions_;
  std::map<Place, SeriesValue> helpers_;
  std::vector<Value> left_;
  std::vector<Value> right_;
};

}  // namespace rattleback
