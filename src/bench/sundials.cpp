// SUNDIALS: CVODE and IDA.

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <stdexcept>

#include "src/bench/competitors.hpp"
#include "src/bench/motions.hpp"
#include "src/bench/rattleback_motion.hpp"

namespace rattleback::bench {
namespace {

/// Owns what a C library hands out and wants back.
template <class T, auto destroy>
class Owned {
 public:
  explicit Owned(T handle) : handle_(handle) {
    if (handle == nullptr) throw std::runtime_error("SUNDIALS could not allocate what a benchmark needs");
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy(handle_); }
  operator T() const { return handle_; }

 private:
  T handle_;
};

SUNContext new_context() {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  return context;
}

using Context = Owned<SUNContext, [](SUNContext c) { SUNContext_Free(&c); }>;
using Vector = Owned<N_Vector, [](N_Vector v) { N_VDestroy(v); }>;
using Matrix = Owned<SUNMatrix, [](SUNMatrix m) { SUNMatDestroy(m); }>;
using LinearSolver = Owned<SUNLinearSolver, [](SUNLinearSolver s) { SUNLinSolFree(s); }>;
using NonlinearSolver = Owned<SUNNonlinearSolver, [](SUNNonlinearSolver s) { SUNNonlinSolFree(s); }>;
using CvodeMemory = Owned<void*, [](void* m) { CVodeFree(&m); }>;
using IdaMemory = Owned<void*, [](void* m) { IDAFree(&m); }>;

void be_silent(int, const char*, const char*, char*, void*) {}

/// What a solver does between two looks at it.
constexpr long unlimited = -1;

template <class Motion>
class Cvode final : public Contestant {
 public:
  Cvode(std::string name, int family) : Contestant(std::move(name), Setting::tolerance, 1.0), family_(family) {}

  Attempt hold(double tolerance, const Goal& goal) override {
    const auto start = Motion::start();
    EnergyWatch watch(Motion::energy(start), goal);
    double reached = 0.0;
    integrate(tolerance, goal.time, [&](double t, const double* s) {
      const bool inside = watch(Motion::energy(s));
      if (inside) reached = t;
      return inside;
    });
    return watch.at(reached);
  }
  std::int64_t run(double tolerance, double time) override {
    std::int64_t steps = 0;
    return integrate(tolerance, time, [&](double, const double*) { return ++steps > 0; }).empty() ? 0 : steps;
  }
  std::vector<double> end(double tolerance, double time) override {
    return integrate(tolerance, time, [](double, const double*) { return true; });
  }

 private:
  static constexpr std::size_t size = std::tuple_size_v<typename Motion::State>;
  static constexpr bool has_jacobian = requires { &Motion::jacobian; };

  static int rates(realtype, N_Vector s, N_Vector rate, void*) {
    double* out = NV_DATA_S(rate);
    const double* in = NV_DATA_S(s);
    Motion{}(in, out, 0.0);
    return 0;
  }
  static int jacobian(realtype, N_Vector s, N_Vector, SUNMatrix j, void*, N_Vector, N_Vector, N_Vector) {
    if constexpr (has_jacobian) Motion::jacobian(NV_DATA_S(s), SM_COLS_D(j));  // CVODE hands out zeros
    return has_jacobian ? 0 : -1;
  }

  /// Steps of the solver's own choice, the last one ending at the time. The position there; empty if it failed or was
  /// stopped.
  std::vector<double> integrate(double tolerance, double time, auto&& go_on) const {
    const Context context(new_context());
    const Vector state(N_VNew_Serial(size, context));
    const auto start = Motion::start();
    std::copy(start.begin(), start.end(), NV_DATA_S(static_cast<N_Vector>(state)));
    const CvodeMemory memory(CVodeCreate(family_, context));
    const Matrix matrix(SUNDenseMatrix(size, size, context));
    const LinearSolver linear(SUNLinSol_Dense(state, matrix, context));
    const NonlinearSolver fixed_point(SUNNonlinSol_FixedPoint(state, 0, context));
    CVodeInit(memory, rates, 0.0, state);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetErrHandlerFn(memory, be_silent, nullptr);
    CVodeSetMaxNumSteps(memory, unlimited);
    CVodeSetStopTime(memory, time);
    if (family_ == CV_ADAMS) {
      CVodeSetNonlinearSolver(memory, fixed_point);
    } else {
      CVodeSetLinearSolver(memory, linear, matrix);
      CVodeSetJacFn(memory, jacobian);
    }
    double t = 0.0;
    const double* s = NV_DATA_S(static_cast<N_Vector>(state));
    while (t < time) {
      if (CVode(memory, time, state, &t, CV_ONE_STEP) < 0 || !go_on(t, s)) return {};
    }
    return Motion::position(s);
  }

  int family_;
};

template <class Motion>
class Ida final : public Contestant {
 public:
  explicit Ida(std::string name) : Contestant(std::move(name), Setting::tolerance, 1.0) {}

  Attempt hold(double tolerance, const Goal& goal) override {
    double start[Motion::size], rate[Motion::size];
    Motion::start(start, rate);
    EnergyWatch watch(Motion::energy(start), goal);
    double reached = 0.0;
    integrate(tolerance, goal.time, [&](double t, const double* u) {
      const bool inside = watch(Motion::energy(u));
      if (inside) reached = t;
      return inside;
    });
    return watch.at(reached);
  }
  std::int64_t run(double tolerance, double time) override {
    std::int64_t steps = 0;
    return integrate(tolerance, time, [&](double, const double*) { return ++steps > 0; }).empty() ? 0 : steps;
  }
  std::vector<double> end(double tolerance, double time) override {
    return integrate(tolerance, time, [](double, const double*) { return true; });
  }

 private:
  static int residual(realtype, N_Vector u, N_Vector rate, N_Vector r, void*) {
    Motion::residual(NV_DATA_S(u), NV_DATA_S(rate), NV_DATA_S(r));
    return 0;
  }
  static int jacobian(realtype, realtype c, N_Vector u, N_Vector, N_Vector, SUNMatrix j, void*, N_Vector, N_Vector,
                      N_Vector) {
    Motion::jacobian(NV_DATA_S(u), c, SM_COLS_D(j));  // IDA hands out zeros
    return 0;
  }

  std::vector<double> integrate(double tolerance, double time, auto&& go_on) const {
    const Context context(new_context());
    const Vector state(N_VNew_Serial(Motion::size, context));
    const Vector rate(N_VNew_Serial(Motion::size, context));
    const Vector differential(N_VNew_Serial(Motion::size, context));
    Motion::start(NV_DATA_S(static_cast<N_Vector>(state)), NV_DATA_S(static_cast<N_Vector>(rate)));
    N_VConst(1.0, differential);
    NV_Ith_S(static_cast<N_Vector>(differential), Motion::size - 1) = 0.0;
    const IdaMemory memory(IDACreate(context));
    const Matrix matrix(SUNDenseMatrix(Motion::size, Motion::size, context));
    const LinearSolver linear(SUNLinSol_Dense(state, matrix, context));
    IDAInit(memory, residual, 0.0, state, rate);
    IDASStolerances(memory, tolerance, tolerance);
    IDASetErrHandlerFn(memory, be_silent, nullptr);
    IDASetMaxNumSteps(memory, unlimited);
    IDASetStopTime(memory, time);
    IDASetLinearSolver(memory, linear, matrix);
    IDASetJacFn(memory, jacobian);
    IDASetId(memory, differential);
    IDASetSuppressAlg(memory, SUNTRUE);
    double t = 0.0;
    const double* u = NV_DATA_S(static_cast<N_Vector>(state));
    while (t < time) {
      if (IDASolve(memory, time, &t, state, rate, IDA_ONE_STEP) < 0 || !go_on(t, u)) return {};
    }
    return {u[0], u[1], u[2]};
  }
};

template <class Motion, class WithMultiplier>
Contestants all() {
  Contestants list;
  list.push_back(std::make_unique<Cvode<Motion>>("SUNDIALS CVODE, Adams", CV_ADAMS));
  list.push_back(std::make_unique<Cvode<Motion>>("SUNDIALS CVODE, BDF", CV_BDF));
  list.push_back(std::make_unique<Ida<WithMultiplier>>("SUNDIALS IDA, index 1"));
  return list;
}

/// Where nobody has written a Jacobian.
template <class Motion>
Contestants adams_alone() {
  Contestants list;
  list.push_back(std::make_unique<Cvode<Motion>>("SUNDIALS CVODE, Adams", CV_ADAMS));
  return list;
}

Contestants joined(Contestants first, Contestants second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

}  // namespace

Contestants sundials_particle() { return all<ParticleMotion, ParticleWithMultiplier>(); }
Contestants sundials_sleigh() { return all<SleighMotion, SleighWithMultiplier>(); }

Contestants sundials_oscillators() { return adams_alone<SixOscillators>(); }
Contestants sundials_rattleback() { return adams_alone<RattlebackMotion>(); }

Contestants competitors_particle() { return joined(odeint_particle(), sundials_particle()); }
Contestants competitors_sleigh() { return joined(odeint_sleigh(), sundials_sleigh()); }
Contestants competitors_oscillators() { return joined(odeint_oscillators(), sundials_oscillators()); }
Contestants competitors_rattleback() { return joined(odeint_rattleback(), sundials_rattleback()); }

}  // namespace rattleback::bench
