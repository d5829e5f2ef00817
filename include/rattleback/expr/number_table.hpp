#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rattleback/base/words.hpp"
#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// What a table is between its rows: the last value, straight lines, or cubic polynomials with continuous slopes that
/// rise and fall only where the values do (F. N. Fritsch & J. Butland, A method for constructing local monotone
/// piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5 (1984) 300–304).
enum class Interpolation : std::uint8_t { hold, linear, cubic };
template <>
inline constexpr auto words<Interpolation> = std::to_array<Word<Interpolation>>(
    {{Interpolation::hold, "hold"}, {Interpolation::linear, "linear"}, {Interpolation::cubic, "cubic"}});

/// What compiled code knows of a table.
struct CallableNumbers {
  double (*evaluate)(const CallableNumbers*, double);
};

/// A function of one variable that is given by rows of numbers. Before the first row and after the last one it has
/// their values. Tables with the same content are the same object, on every thread, and live as long as the program:
/// expressions and compiled code refer to them.
class NumberTable : public CallableNumbers {
 public:
  /// A polynomial Σ c_k (x − origin)^k between two breakpoints.
  struct Piece {
    double origin;
    double c[4];
  };

  /// How the piece of x is found that lies between the first and the last breakpoint: piece i is the one after i
  /// breakpoints.
  ///
  ///     k = (x − first)·buckets_per_unit, cut to [0, buckets];   i = index[k], or k if there is no index
  ///     for s = 2^(depth−1), …, 2, 1:   if (begins[i + s] ≤ x) i += s
  ///
  /// index[k] counts the breakpoints in earlier buckets; in one bucket there are fewer than 2^depth.
  struct Search {
    double first = 0.0;
    double buckets_per_unit = 0.0;
    double buckets = 0.0;
    unsigned depth = 0;
    std::vector<double> begins;  ///< −∞, the breakpoints, and ∞ as often as the search may look there
    std::vector<std::uint32_t> index;
  };

  NumberTable(const NumberTable&) = delete;
  NumberTable& operator=(const NumberTable&) = delete;

  const std::string& label() const { return label_; }
  std::size_t rows() const { return pieces_.size() - 1; }
  double first() const { return search_.first; }
  double last() const { return pieces_.back().origin; }
  const Search& search() const { return search_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  int degree() const { return degree_; }
  Interpolation interpolation() const { return interpolation_; }
  /// Depends on the content alone: an integer, exact as a double.
  double number() const { return number_; }

  /// The same bits wherever it is called from.
  double operator()(double x) const { return at(x); }
  /// In any type of numbers; of complex ones, the real part decides about the piece.
  template <class T>
  T at(const T& x) const;

  const NumberTable& derivative() const;

  /// Adopts the content, or finds the table that has it already. Piece i begins at the origin of its own, but for the
  /// first one, which is constant and ends there.
  static const NumberTable& make(std::string label, Interpolation interpolation, std::vector<Piece> pieces);

 private:
  NumberTable(std::string label, Interpolation interpolation, std::vector<Piece> pieces, double number);
  std::size_t bucket(double x) const;
  std::size_t piece_of(double x) const;

  Search search_;
  int degree_ = 0;
  Interpolation interpolation_;
  std::vector<Piece> pieces_;
  double number_;
  std::string label_;
};

/// A table of rows. Throws ExpressionError if there are fewer than two, if times do not increase or if something is not
/// finite: the message counts rows from 1.
const NumberTable& make_number_table(const std::string& label, std::span<const double> times,
                                     std::span<const double> values, Interpolation interpolation);

/// The table with this number.
const NumberTable& number_table(double number);

/// The value of a table as an expression.
Expression interpolated(const NumberTable& table, const Expression& x);

template <class T>
const T& real_part(const T& x) {
  return x;
}
template <class T>
T real_part(const std::complex<T>& x) {
  return x.real();
}

inline std::size_t NumberTable::bucket(double x) const {
  double k = (x - search_.first) * search_.buckets_per_unit;
  k = k > 0.0 ? k : 0.0;
  return static_cast<std::size_t>(k < search_.buckets ? k : search_.buckets);
}

inline std::size_t NumberTable::piece_of(double x) const {
  std::size_t i = bucket(x);
  if (!search_.index.empty()) i = search_.index[i];
  for (std::size_t step = (std::size_t{1} << search_.depth) / 2; step > 0; step /= 2) {
    if (search_.begins[i + step] <= x) i += step;
  }
  return i;
}

template <class T>
T NumberTable::at(const T& x) const {
  const auto& place = real_part(x);
  if (!(place >= search_.first)) return place < search_.first ? T(pieces_.front().c[0]) : x;
  if (place >= pieces_.back().origin) return T(pieces_.back().c[0]);
  std::size_t i = piece_of(static_cast<double>(place));
  while (place < search_.begins[i]) --i;  // a double may have fewer digits than T
  while (place >= search_.begins[i + 1]) ++i;
  const Piece& piece = pieces_[i];
  if (degree_ == 0) return T(piece.c[0]);
  const T s = x - T(piece.origin);
  if (degree_ == 1) return T(piece.c[0]) + s * T(piece.c[1]);
  return T(piece.c[0]) + s * (T(piece.c[1]) + s * (T(piece.c[2]) + s * T(piece.c[3])));
}

}  // namespace rattleback
