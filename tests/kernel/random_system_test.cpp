// Properties of random systems. Truth is a dense Newton iteration in float128, written here from the
// residuals and their Jacobian alone: it shares no block structure, elimination or schedule with what
// is tested.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "kernel/step_program.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/kernel/step.hpp"

namespace rattleback {
namespace random_system_test {

using Matrix = std::vector<std::vector<float128>>;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::vector<float128> widened(const std::vector<double>& v) { return {v.begin(), v.end()}; }

std::vector<Expression> joined(std::vector<Expression> a, const std::vector<Expression>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double distance(const float128& a, double b) { return std::abs(static_cast<double>(a - b)); }

/// Gauss–Jordan with row exchanges, rows scaled to 1 for the choice of pivots.
Matrix inverse(Matrix a) {
  const std::size_t n = a.size();
  Matrix inv(n, std::vector<float128>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    float128 scale = 0;
    for (const float128& x : a[i]) scale = std::max<float128>(scale, abs(x));
    for (float128& x : a[i]) x /= scale;
    inv[i][i] = 1 / scale;
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    for (std::size_t i = c; i < n; ++i) {
      if (abs(a[i][c]) > abs(a[best][c])) best = i;
    }
    std::swap(a[c], a[best]);
    std::swap(inv[c], inv[best]);
    const float128 reciprocal = 1 / a[c][c];
    for (auto* m : {&a, &inv}) {
      for (float128& x : (*m)[c]) x *= reciprocal;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const float128 factor = a[i][c];
      if (i == c || factor == 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        a[i][k] -= factor * a[c][k];
        inv[i][k] -= factor * inv[c][k];
      }
    }
  }
  return inv;
}

/// The independent solver.
class Reference {
 public:
  explicit Reference(const ImplicitSystem& s)
      : size_(s.unknowns.size()), jacobian_(jacobian(s.residuals, s.unknowns)), guess_(make_program(s.data, s.guess)),
        residuals_(make_program(joined(s.data, s.unknowns), s.residuals)),
        entries_(make_program(joined(s.data, s.unknowns), values(jacobian_))),
        outputs_(make_program(joined(s.data, s.unknowns), s.outputs)) {}

  std::vector<float128> operator()(const std::vector<float128>& data) {
    std::vector<float128> u = guess_(data);
    for (int n = 0; n < 30; ++n) {
      std::vector<float128> point = data;
      point.insert(point.end(), u.begin(), u.end());
      const auto r = residuals_(point);
      const auto j = entries_(point);
      Matrix matrix(size_, std::vector<float128>(size_, 0));
      for (std::size_t k = 0; k < j.size(); ++k) {
        const auto& e = jacobian_.entries[k];
        matrix[static_cast<std::size_t>(e.row)][static_cast<std::size_t>(e.column)] = j[k];
      }
      const Matrix inv = inverse(matrix);
      float128 moved = 0;
      sensitivity = 1.0;
      for (std::size_t i = 0; i < size_; ++i) {
        float128 change = 0;
        float128 row = 0;
        for (std::size_t k = 0; k < size_; ++k) {
          change += inv[i][k] * r[k];
          row += abs(inv[i][k]);
        }
        u[i] -= change;
        moved = std::max<float128>(moved, abs(change));
        sensitivity = std::max(sensitivity, static_cast<double>(row));
      }
      if (moved < 1e-30) {
        std::copy(u.begin(), u.end(), point.end() - static_cast<std::ptrdiff_t>(size_));
        return outputs_(point);
      }
    }
    throw std::runtime_error("the reference did not converge");
  }

  double sensitivity = 1.0;  ///< ‖J⁻¹‖: what rounding in the residuals does to the unknowns

 private:
  static std::vector<Expression> values(const SparseMatrix& m) {
    std::vector<Expression> result;
    for (const auto& e : m.entries) result.push_back(e.value);
    return result;
  }

  std::size_t size_;
  SparseMatrix jacobian_;
  Interpreter<float128> guess_;
  Interpreter<float128> residuals_;
  Interpreter<float128> entries_;
  Interpreter<float128> outputs_;
};

/// A system of blocks, linear and not, with a solution near its guess. Data are parameters d, then for
/// each equation the value of its left-hand side, then for each unknown its guess.
class RandomSystem {
 public:
  explicit RandomSystem(std::uint64_t seed) : random_(seed) {
    const std::size_t n = 2 + random_() % 11;
    for (std::size_t i = 0; i < n; ++i) {
      system.unknowns.push_back(Expression::symbol("u" + std::to_string(i)));
      levels_.push_back(Expression::symbol("c" + std::to_string(i)));
      system.guess.push_back(Expression::symbol("g" + std::to_string(i)));
    }
    for (int i = 0; i < 3; ++i) parameters_.push_back(Expression::symbol("d" + std::to_string(i)));
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t first = 0; first < n;) {
      const std::size_t size = std::min<std::size_t>(n - first, 1 + random_() % 5);
      const bool linear = random_() % 3 == 0;
      for (std::size_t i = first; i < first + size; ++i) add_equation(order, first, size, i, linear);
      first += size;
    }
    std::shuffle(functions_.begin(), functions_.end(), random_);
    for (std::size_t i = 0; i < n; ++i) system.residuals.push_back(functions_[i] - levels_[i]);
    system.data = joined(joined(parameters_, levels_), system.guess);
    system.outputs = system.unknowns;
    for (const auto& e : jacobian(system.residuals, system.unknowns).entries) {
      if (random_() % 3 == 0) system.outputs.push_back(e.value);  // computed in the iteration, needed after it
    }
    for (const Expression& p : pieces_) {
      if (random_() % 3 == 0) system.outputs.push_back(p * system.unknowns[random_() % n] - parameters_[0]);
    }
    system.outputs.push_back(2 * system.unknowns[0] - parameters_[1] * system.unknowns[n - 1] + 1);
  }

  std::vector<double> data() {
    std::vector<double> point;
    for (std::size_t i = 0; i < parameters_.size(); ++i) point.push_back(1.0 + 0.5 * uniform_(random_));
    std::vector<double> solution;
    for (std::size_t i = 0; i < system.unknowns.size(); ++i) solution.push_back(uniform_(random_));
    std::vector<double> at = point;
    at.insert(at.end(), solution.begin(), solution.end());
    const auto levels = Interpreter<double>(make_program(joined(parameters_, system.unknowns), functions_))(at);
    point.insert(point.end(), levels.begin(), levels.end());
    const double distance = random_() % 4 == 0 ? 1e-9 : 0.05;  // lanes need different numbers of iterations
    for (const double u : solution) point.push_back(u + distance * uniform_(random_));
    return point;
  }

  ImplicitSystem system;

 private:
  /// Equation i of the block order[first], …, order[first + size − 1].
  void add_equation(const std::vector<std::size_t>& order, std::size_t first, std::size_t size, std::size_t i,
                    bool linear) {
    const auto& u = system.unknowns;
    const Expression& own = u[order[i]];
    const Expression& d = parameters_[random_() % parameters_.size()];
    Expression f = (5 + static_cast<double>(random_() % 3) * d) * own;
    if (!linear) f += random_() % 2 == 0 ? pow(own, 3) : sinh(d * own);
    const auto piece = [&](const Expression& x) {
      switch (random_() % 6) {
        case 0: return sin(x + d);
        case 1: return cos(x) * sin(x);
        case 2: return exp(-sq(x)) / (1 + sq(d));
        case 3: return sqrt(1 + sq(x) + d);
        case 4: return x / (2 + sq(x * d));
        default: return sq(x) * d;
      }
    };
    const auto add_term = [&](const Expression& x, bool own_block) {
      const double sign = random_() % 2 == 0 ? 0.7 : -0.7;
      if (linear && own_block) {
        const bool later = first > 0 && random_() % 2 == 0;  // coefficients that earlier blocks determine
        f += sign * x * (later ? cos(u[order[random_() % first]]) : d);
        return;
      }
      pieces_.push_back(piece(x));
      f += sign * pieces_.back();
    };
    if (size > 1) add_term(u[order[first + (i - first + 1) % size]], true);  // a ring: the block is one
    if (size > 2 && random_() % 2 == 0) add_term(u[order[first + random_() % size]], true);
    for (std::size_t k = 0; k < 2 && first > 0; ++k) add_term(u[order[random_() % first]], false);
    functions_.push_back(f);
  }

  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
  std::vector<Expression> parameters_;
  std::vector<Expression> levels_;
  std::vector<Expression> functions_;
  std::vector<Expression> pieces_;  ///< parts of the equations
};

/// Columns of `lanes`, as a structure of arrays.
std::vector<double> interleaved(const std::vector<std::vector<double>>& lanes) {
  std::vector<double> result;
  for (std::size_t i = 0; i < lanes[0].size(); ++i) {
    for (const auto& lane : lanes) result.push_back(lane[i]);
  }
  return result;
}

TEST(RandomSystems, all_ways_of_solving_agree_with_dense_newton_in_float128) {
  long iterative_blocks = 0;
  long linear_blocks = 0;
  int several = 0;  // systems with more than one iteration
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    RandomSystem random(seed);
    const StepProgram program = make_step_program(random.system);
    long iterative = 0;
    for (const StepBlock& b : program.blocks) iterative += b.iterative ? 1 : 0;
    iterative_blocks += iterative;
    linear_blocks += static_cast<long>(program.blocks.size()) - iterative;
    several += iterative > 1 ? 1 : 0;
    Reference reference(random.system);
    Step interpreted(random.system, 1, Backend::interpreted);
    Step one(random.system, 1, Backend::compiled);
    Step eight(random.system, 8, Backend::compiled);
    const std::size_t outputs = random.system.outputs.size();
    std::vector<std::vector<double>> lanes(8);
    for (auto& lane : lanes) lane = random.data();
    std::vector<double> all = interleaved(lanes);
    std::vector<double> all_out(8 * outputs);
    ASSERT_EQ(eight.run(all, all_out), 1) << seed;
    for (std::size_t l = 0; l < 8; ++l) {
      std::vector<double> out(outputs);
      std::vector<double> out_interpreted(outputs);
      ASSERT_EQ(one.run(lanes[l], out), 1) << seed;
      ASSERT_EQ(interpreted.run(lanes[l], out_interpreted), 1) << seed;
      EXPECT_EQ(one.reports()[0].iterations, eight.reports()[l].iterations) << seed;
      EXPECT_EQ(one.reports()[0].pivoted, 0) << seed;
      const auto exact = reference(widened(lanes[l]));
      const double tolerance = 2e-14 * (1.0 + 10.0 * reference.sensitivity);
      ASSERT_LT(tolerance, 1e-12) << "the system is not as well-conditioned as it was meant to be";
      for (std::size_t i = 0; i < outputs; ++i) {
        ASSERT_EQ(bits(out[i]), bits(all_out[8 * i + l])) << seed << ", output " << i;
        const double size = 1.0 + std::abs(out[i]);
        ASSERT_LE(distance(exact[i], out[i]), tolerance * size) << seed << ", output " << i;
        ASSERT_LE(distance(exact[i], out_interpreted[i]), tolerance * size) << seed << ", output " << i;
      }
    }
  }
  EXPECT_GT(iterative_blocks, 30);
  EXPECT_GT(linear_blocks, 10);  // those that follow each other count as one
  EXPECT_GT(several, 8);
}

TEST(RandomSystems, tangent_matrices_agree_with_differences_in_float128) {
  for (std::uint64_t seed = 101; seed <= 106; ++seed) {
    RandomSystem random(seed);
    const std::size_t rows = random.system.outputs.size();
    constexpr std::size_t columns = 5;
    Reference reference(random.system);
    const std::vector<double> data = random.data();
    Matrix differences;
    for (std::size_t j = 0; j < columns; ++j) {
      const float128 step = 1e-10;
      std::vector<float128> plus = widened(data);
      std::vector<float128> minus = plus;
      plus[j] += step;
      minus[j] -= step;
      differences.push_back(reference(plus));
      const auto below = reference(minus);
      for (std::size_t i = 0; i < rows; ++i) differences[j][i] = (differences[j][i] - below[i]) / (2 * step);
    }
    for (const Backend backend : {Backend::interpreted, Backend::compiled}) {
      Step step(with_tangent_matrix(random.system, rows, columns), 1, backend);
      std::vector<double> copy = data;
      std::vector<double> out(rows * (1 + columns));
      ASSERT_EQ(step.run(copy, out), 1);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const double slope = out[rows + columns * i + j];
          const double tolerance = 1e-12 * reference.sensitivity * (1.0 + std::abs(slope));
          ASSERT_LE(distance(differences[j][i], slope), tolerance) << seed << ": " << i << ", " << j;
        }
      }
    }
  }
}

TEST(RandomSystems, linear_systems_are_solved_to_a_small_backward_error_in_every_row) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int large_blocks = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t n = 1 + random() % (trial % 4 == 0 ? 40 : 8);
    const bool badly_scaled = trial % 2 == 1;
    ImplicitSystem s;
    for (std::size_t i = 0; i < n; ++i) s.unknowns.push_back(Expression::symbol("x" + std::to_string(i)));
    s.guess.assign(n, 0.0);
    s.outputs = s.unknowns;
    std::vector<std::size_t> diagonal(n);
    std::iota(diagonal.begin(), diagonal.end(), 0U);
    std::shuffle(diagonal.begin(), diagonal.end(), random);
    std::vector<double> data;
    Matrix a(n, std::vector<float128>(n, 0));
    std::vector<double> b(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double scale = badly_scaled ? std::pow(10.0, 8.0 * uniform(random)) : 1.0;
      Expression r;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t j = k == 0 ? diagonal[i] : random() % n;
        if (a[i][j] != 0) continue;
        const double value = scale * (k == 0 ? 1.0 + uniform(random) : uniform(random));
        a[i][j] = value;
        if (random() % 4 == 0) {
          r += value * s.unknowns[j];  // constants and data are eliminated in different ways
          continue;
        }
        s.data.push_back(Expression::symbol("a" + std::to_string(i) + "_" + std::to_string(j)));
        data.push_back(value);
        r += s.data.back() * s.unknowns[j];
      }
      s.data.push_back(Expression::symbol("b" + std::to_string(i)));
      b[i] = scale * uniform(random);
      data.push_back(b[i]);
      s.residuals.push_back(r - s.data.back());
    }
    if (badly_scaled) s.typical = data;
    const StepProgram program = make_step_program(s);
    for (const auto& block : program.blocks) large_blocks += block.residuals.size() > 10 ? 1 : 0;
    const Matrix inv = inverse(a);
    for (const Backend backend : {Backend::interpreted, Backend::compiled}) {
      if (backend == Backend::compiled && trial % 4 != 0) continue;
      Step step(s, 1, backend);
      std::vector<double> copy = data;
      std::vector<double> x(n);
      ASSERT_EQ(step.run(copy, x), 1) << trial << ": " << step.describe(step.reports()[0]);
      std::vector<float128> sizes(n);  // of the terms of each row
      for (std::size_t i = 0; i < n; ++i) {
        float128 r = -float128(b[i]);
        sizes[i] = std::abs(b[i]);
        for (std::size_t j = 0; j < n; ++j) {
          r += a[i][j] * x[j];
          sizes[i] += abs(a[i][j] * x[j]);
        }
        ASSERT_LE(abs(r), 1e-12 * sizes[i]) << trial << ", row " << i << " of " << n;
      }
      for (std::size_t i = 0; i < n; ++i) {  // and the solution is the one of the dense inverse
        float128 error = -float128(x[i]);
        float128 tolerance = 0;
        for (std::size_t j = 0; j < n; ++j) {
          error += inv[i][j] * b[j];
          tolerance += 2e-12 * abs(inv[i][j]) * sizes[j];
        }
        ASSERT_LE(abs(error), tolerance) << trial << ", unknown " << i << " of " << n;
      }
    }
  }
  EXPECT_GT(large_blocks, 2);
}

}  // namespace random_system_test
}  // namespace rattleback
