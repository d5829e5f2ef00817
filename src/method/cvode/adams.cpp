// CVODE behind the interface of adams.hpp: a library of its own, the only code of methods that includes SUNDIALS.

#include "../adams.hpp"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <new>

namespace rattleback {
namespace {

void ignore_message(int, const char*, const char*, char*, void*) {}

const char* what_happened(int flag) {
  switch (flag) {
    case CV_ERR_FAILURE: return "its error stays too large however small the steps are";
    case CV_CONV_FAILURE: return "its equations have no solution however small the steps are";
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return "there are no accelerations, however small the steps are";
    case CV_TOO_CLOSE: return "its steps become too small to change t";
    case CV_TOO_MUCH_ACC: return "rounding errors exceed its tolerance";
    default: return "its numbers are not finite any more";
  }
}

class Cvode final : public Integrator {
 public:
  explicit Cvode(const MotionEquations& problem) : problem_(problem) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(static_cast<sunindextype>(problem.size), context_);
    interpolated_ = N_VClone(y_);
    N_VConst(0.0, y_);
    memory_ = CVodeCreate(CV_ADAMS, context_);
    solver_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    const bool begun = memory_ != nullptr && solver_ != nullptr && CVodeInit(memory_, &rates, 0.0, y_) == CV_SUCCESS &&
                       CVodeSetErrHandlerFn(memory_, &ignore_message, nullptr) == CV_SUCCESS &&
                       CVodeWFtolerances(memory_, &weights) == CV_SUCCESS &&
                       CVodeSetUserData(memory_, &problem_) == CV_SUCCESS &&
                       CVodeSetMaxStep(memory_, problem.longest_step) == CV_SUCCESS &&
                       CVodeSetNonlinearSolver(memory_, solver_) == CV_SUCCESS;
    if (!begun) throw std::bad_alloc();
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;
  ~Cvode() override {
    CVodeFree(&memory_);
    SUNNonlinSolFree(solver_);
    N_VDestroy(interpolated_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  void restart(double t, const double* y) override {
    std::copy_n(y, problem_.size, N_VGetArrayPointer(y_));
    CVodeReInit(memory_, t, y_);
    t_ = t;
    last_step_ = 0.0;
  }

  const char* step(double towards) override {
    const int flag = CVode(memory_, towards, y_, &t_, CV_ONE_STEP);
    if (flag < 0) return what_happened(flag);
    CVodeGetLastStep(memory_, &last_step_);
    return nullptr;
  }

  double time() const override { return t_; }
  double last_step() const override { return last_step_; }
  const double* state() const override { return N_VGetArrayPointer(y_); }

  bool interpolate(double t, double* y) override {
    if (CVodeGetDky(memory_, t, 0, interpolated_) != CV_SUCCESS) return false;
    std::copy_n(N_VGetArrayPointer(interpolated_), problem_.size, y);
    return true;
  }

 private:
  static int rates(realtype t, N_Vector state, N_Vector slopes, void* given) {
    const auto& problem = *static_cast<const MotionEquations*>(given);
    return problem.rates(t, N_VGetArrayPointer(state), N_VGetArrayPointer(slopes), problem.self) ? 0 : 1;
  }

  static int weights(N_Vector state, N_Vector weights, void* given) {
    const auto& problem = *static_cast<const MotionEquations*>(given);
    problem.weights(N_VGetArrayPointer(state), N_VGetArrayPointer(weights), problem.self);
    return 0;
  }

  MotionEquations problem_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  N_Vector interpolated_ = nullptr;
  void* memory_ = nullptr;
  SUNNonlinearSolver solver_ = nullptr;
  double t_ = 0.0;
  double last_step_ = 0.0;
};

Integrator* make(const MotionEquations& problem) { return new Cvode(problem); }

}  // namespace
}  // namespace rattleback

extern "C" [[gnu::visibility("default")]] rattleback::AdamsFactory rattleback_adams(std::uint64_t layout) {
  return layout == rattleback::adams_layout() ? &rattleback::make : nullptr;
}
