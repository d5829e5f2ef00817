#pragma once

// A second opinion on the continuous equations: IDA instead of CVODE, BDF instead of Adams, the differential-algebraic
// equations themselves instead of solved accelerations, Baumgarte's damping instead of projection. Of the simulator it
// uses L, the constraints and forces as they were written down, the derivative of an expression and the evaluation of a
// program; the equations of motion are put together here, term by term.

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mech/decompositions.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/kernel/program.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback::test {

/// Lagrange–d'Alembert in y = (q, v, λ) as F(y, y') = 0, one row for each unknown:
///
///     q' − q̇, where q̇ is v, and of a rotation R Ω̂
///     d/dt L_vᵢ − L_ηᵢ − fᵢ − Σₖ λₖ ∂cₖ/∂vᵢ         with f the applied forces, cₖ the constraint, or ġₖ
///     ċ + γ c,   g̈ + 2γ ġ + γ² g                    (Baumgarte 1972, γ = 1)
///
/// where L_η is L_q, and of a rotation the change of L with δR = R η̂, δΩ = Ω × η, which stands for δΩ = η̇ + Ω × η.
struct LagrangeDAlembert {
  std::vector<Expression> y;
  std::vector<Expression> rates;
  std::vector<Expression> residuals;

  explicit LagrangeDAlembert(const System& system) {
    const std::vector<Expression>& q = system.coordinates();
    const std::vector<Expression>& v = system.velocities();
    const Expression& lagrangian = system.lagrangian();
    std::vector<Expression> position_rates;
    std::vector<Expression> accelerations;
    for (const Expression& x : q) position_rates.push_back(Expression::symbol("rate of " + x.name()));
    for (const Expression& x : v) accelerations.push_back(Expression::symbol("rate of " + x.name()));
    const std::vector<Expression> q_dot = moving(system, v);
    const auto time_derivative = [&](const Expression& f) {
      Expression rate = derivative(f, time_symbol());
      for (std::size_t j = 0; j < q.size(); ++j) rate += derivative(f, q[j]) * q_dot[j];
      for (std::size_t j = 0; j < v.size(); ++j) rate += derivative(f, v[j]) * accelerations[j];
      return rate;
    };

    std::vector<Expression> rows = system.constraints();
    std::vector<Expression> stabilised;
    for (const Expression& c : system.constraints()) stabilised.push_back(time_derivative(c) + damping * c);
    for (const Expression& g : system.holonomic()) {
      const Expression speed = time_derivative(g);  // contains no acceleration
      rows.push_back(speed);
      stabilised.push_back(time_derivative(speed) + 2 * damping * speed + damping * damping * g);
    }
    std::vector<Expression> multipliers;
    std::vector<Expression> multiplier_rates;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      multipliers.push_back(Expression::symbol("multiplier " + std::to_string(k)));
      multiplier_rates.push_back(Expression::symbol("rate of multiplier " + std::to_string(k)));
    }

    Substitution named;
    for (std::size_t k = 0; k < rows.size(); ++k) named.emplace(multiplier_symbol(k), multipliers[k]);
    const std::vector<Expression> forces = substitute(system.applied_forces(), named);
    for (std::size_t i = 0; i < q.size(); ++i) residuals.push_back(position_rates[i] - q_dot[i]);
    for (std::size_t i = 0; i < v.size(); ++i) {
      Expression motion = time_derivative(derivative(lagrangian, v[i]));
      std::vector<Expression> eta(v.size());
      eta[i] = 1.0;
      const std::vector<Expression> delta = moving(system, eta);
      for (std::size_t j = 0; j < q.size(); ++j) motion -= derivative(lagrangian, q[j]) * delta[j];
      for (std::size_t first = system.space().numbers; first < v.size(); first += 3) {  // L_Ω·(Ω × η)
        for (std::size_t a = 0; a < 3; ++a) {
          const std::size_t b = first + (a + 1) % 3;
          const std::size_t c = first + (a + 2) % 3;
          motion -= derivative(lagrangian, v[first + a]) * (v[b] * eta[c] - v[c] * eta[b]);
        }
      }
      for (std::size_t k = 0; k < rows.size(); ++k) motion -= multipliers[k] * derivative(rows[k], v[i]);
      if (!forces.empty()) motion -= forces[i];
      residuals.push_back(motion);
    }
    residuals.insert(residuals.end(), stabilised.begin(), stabilised.end());
    y = joined(q, v, multipliers);
    rates = joined(position_rates, accelerations, multiplier_rates);
  }

  /// How positions move: the velocities, and of a rotation R Ω̂, whose rows are those of R times Ω as vectors.
  static std::vector<Expression> moving(const System& system, const std::vector<Expression>& v) {
    const Space space = system.space();
    const std::vector<Expression>& q = system.coordinates();
    std::vector<Expression> rate(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(space.numbers));
    for (std::size_t k = 0; k < space.rotations; ++k) {
      const std::size_t w = space.velocity_of(k);
      for (std::size_t row = space.position_of(k); row < space.position_of(k + 1); row += 3) {
        for (std::size_t a = 0; a < 3; ++a) {
          const std::size_t b = (a + 1) % 3;
          const std::size_t c = (a + 2) % 3;
          rate.push_back(q[row + b] * v[w + c] - q[row + c] * v[w + b]);
        }
      }
    }
    return rate;
  }

  static std::vector<Expression> joined(std::vector<Expression> a, const std::vector<Expression>& b,
                                        const std::vector<Expression>& c) {
    a.insert(a.end(), b.begin(), b.end());
    a.insert(a.end(), c.begin(), c.end());
    return a;
  }

  static constexpr double damping = 1.0;
};

/// The solution from a consistent start; times must not decrease.
class IdaFlow {
 public:
  IdaFlow(const System& system, const std::vector<double>& parameters, const State& start, double tolerance = 1e-13)
      : IdaFlow(system, LagrangeDAlembert(system), parameters, start, tolerance) {}
  IdaFlow(const IdaFlow&) = delete;
  IdaFlow& operator=(const IdaFlow&) = delete;
  ~IdaFlow() {
    IDAFree(&memory_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    for (N_Vector vector : {y_, rates_, differential_}) N_VDestroy(vector);
    SUNContext_Free(&context_);
  }

  State at(double t) {
    if (t > time_) {
      check(IDASetStopTime(memory_, t), "IDASetStopTime");
      int flag = IDA_SUCCESS;
      while (time_ < t && flag >= 0) flag = IDASolve(memory_, t, &time_, y_, rates_, IDA_NORMAL);
      check(flag, "IDASolve");
    }
    const double* y = N_VGetArrayPointer(y_);
    return {{y, y + n_}, {y + n_, y + n_ + m_}};
  }
  std::vector<double> multipliers() const {
    const double* y = N_VGetArrayPointer(y_);
    return {y + n_ + m_, y + size_};
  }

 private:
  IdaFlow(const System& system, const LagrangeDAlembert& equations, const std::vector<double>& parameters,
          const State& start, double tolerance)
      : n_(system.space().positions()), m_(system.space().velocities()), size_(equations.y.size()),
        residual_(residual_program(equations, system)), jacobian_(jacobian_program(equations, system)),
        inputs_(2 * size_ + 1) {
    inputs_.insert(inputs_.end(), parameters.begin(), parameters.end());
    inputs_.push_back(0.0);
    entries_.resize(size_ * size_);
    SUNContext_Create(nullptr, &context_);
    const auto length = static_cast<sunindextype>(size_);
    y_ = N_VNew_Serial(length, context_);
    rates_ = N_VClone(y_);
    differential_ = N_VClone(y_);
    consistent_start(start);
    for (std::size_t i = 0; i < size_; ++i) N_VGetArrayPointer(differential_)[i] = i < n_ + m_ ? 1.0 : 0.0;
    matrix_ = SUNDenseMatrix(length, length, context_);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
    memory_ = IDACreate(context_);
    check(IDAInit(memory_, &residuals, 0.0, y_, rates_), "IDAInit");
    check(IDASStolerances(memory_, tolerance, tolerance), "IDASStolerances");
    check(IDASetUserData(memory_, this), "IDASetUserData");
    check(IDASetLinearSolver(memory_, solver_, matrix_), "IDASetLinearSolver");
    check(IDASetJacFn(memory_, &jacobian), "IDASetJacFn");
    check(IDASetMaxNumSteps(memory_, 5'000'000), "IDASetMaxNumSteps");
    // λ is no part of the motion: its error is not controlled (Brenan, Campbell & Petzold, section 5.4).
    check(IDASetId(memory_, differential_), "IDASetId");
    check(IDASetSuppressAlg(memory_, SUNTRUE), "IDASetSuppressAlg");
    check(IDASetNonlinConvCoef(memory_, 0.01), "IDASetNonlinConvCoef");
  }

  static void check(int flag, const char* what) {
    if (flag < 0) throw std::runtime_error(std::string(what) + " returned " + std::to_string(flag));
  }

  /// (y, y', c, parameters, t)
  static std::vector<Expression> inputs(const LagrangeDAlembert& equations, const System& system) {
    std::vector<Expression> all = equations.y;
    all.insert(all.end(), equations.rates.begin(), equations.rates.end());
    all.push_back(Expression::symbol("leading coefficient"));
    all.insert(all.end(), system.parameters().begin(), system.parameters().end());
    all.push_back(time_symbol());
    return all;
  }
  static Program residual_program(const LagrangeDAlembert& equations, const System& system) {
    return make_program(inputs(equations, system), equations.residuals);
  }
  /// F_y + c F_y', by columns as in SUNDIALS.
  static Program jacobian_program(const LagrangeDAlembert& equations, const System& system) {
    std::vector<Expression> matrix;
    for (std::size_t j = 0; j < equations.y.size(); ++j) {
      for (const Expression& f : equations.residuals) {
        matrix.push_back(derivative(f, equations.y[j]) +
                         Expression::symbol("leading coefficient") * derivative(f, equations.rates[j]));
      }
    }
    return make_program(inputs(equations, system), matrix);
  }

  /// q', v' and λ from F, which is linear in them: differences of F between the unit vectors and zero are the matrix.
  void consistent_start(const State& start) {
    std::vector<double> values(size_);
    const auto size = static_cast<Eigen::Index>(size_);
    std::fill(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(2 * size_ + 1), 0.0);
    std::copy(start.q.begin(), start.q.end(), inputs_.begin());
    std::copy(start.v.begin(), start.v.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(n_));
    const auto unknown = [&](Eigen::Index j) -> double& {  // q', v', then λ
      const auto k = static_cast<std::size_t>(j);
      return inputs_[k < n_ + m_ ? size_ + k : k];
    };
    const auto evaluated = [&] {
      residual_(inputs_, values);
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(values.data(), size));
    };
    const Eigen::VectorXd at_zero = evaluated();
    Eigen::MatrixXd matrix(size, size);
    for (Eigen::Index j = 0; j < size; ++j) {
      unknown(j) = 1.0;
      matrix.col(j) = evaluated() - at_zero;
      unknown(j) = 0.0;
    }
    const Eigen::VectorXd solution = matrix.fullPivLu().solve(-at_zero);
    for (Eigen::Index j = 0; j < size; ++j) unknown(j) = solution[j];
    std::copy_n(inputs_.begin(), size_, N_VGetArrayPointer(y_));
    std::copy_n(inputs_.begin() + static_cast<std::ptrdiff_t>(size_), size_, N_VGetArrayPointer(rates_));
  }

  void set_inputs(double t, N_Vector y, N_Vector rates, double leading_coefficient) {
    inputs_.back() = t;
    std::copy_n(N_VGetArrayPointer(y), size_, inputs_.begin());
    std::copy_n(N_VGetArrayPointer(rates), size_, inputs_.begin() + static_cast<std::ptrdiff_t>(size_));
    inputs_[2 * size_] = leading_coefficient;
  }
  static int residuals(realtype t, N_Vector y, N_Vector rates, N_Vector result, void* self) {
    auto& flow = *static_cast<IdaFlow*>(self);
    flow.set_inputs(t, y, rates, 0.0);
    flow.residual_(flow.inputs_.data(), N_VGetArrayPointer(result));
    return 0;
  }
  static int jacobian(realtype t, realtype leading_coefficient, N_Vector y, N_Vector rates, N_Vector, SUNMatrix matrix,
                      void* self, N_Vector, N_Vector, N_Vector) {
    auto& flow = *static_cast<IdaFlow*>(self);
    flow.set_inputs(t, y, rates, leading_coefficient);
    flow.jacobian_(flow.inputs_.data(), flow.entries_.data());
    std::copy(flow.entries_.begin(), flow.entries_.end(), SUNDenseMatrix_Data(matrix));
    return 0;
  }

  std::size_t n_;  ///< positions
  std::size_t m_;  ///< velocities
  std::size_t size_;
  Kernel residual_;
  Kernel jacobian_;
  std::vector<double> inputs_;
  std::vector<double> entries_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  N_Vector rates_ = nullptr;
  N_Vector differential_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void* memory_ = nullptr;
  double time_ = 0.0;
};

}  // namespace rattleback::test
