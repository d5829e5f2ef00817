#pragma once

// IDA for residuals that somebody wrote down by hand: nothing of the simulator is in it.

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

namespace rattleback::test {

/// F(t, y, y') → values, one for each unknown.
using Residual = std::function<void(double t, const double* y, const double* rate, double* values)>;

/// y at t, from y at 0, of which the last `algebraic` components, like all derivatives, are only guessed.
inline std::vector<double> solve_with_ida(const Residual& residual, std::vector<double> start, std::size_t algebraic,
                                          double t) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  const auto size = static_cast<sunindextype>(start.size());
  N_Vector y = N_VMake_Serial(size, start.data(), context);
  N_Vector rate = N_VNew_Serial(size, context);
  N_Vector differential = N_VNew_Serial(size, context);
  N_VConst(0.0, rate);
  N_VConst(1.0, differential);
  std::fill_n(N_VGetArrayPointer(differential) + start.size() - algebraic, algebraic, 0.0);
  SUNMatrix matrix = SUNDenseMatrix(size, size, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void* memory = IDACreate(context);
  const auto check = [](int flag) {
    if (flag < 0) throw std::runtime_error("IDA returned " + std::to_string(flag));
  };
  const auto call = [](realtype at, N_Vector now, N_Vector rates, N_Vector values, void* user) {
    (*static_cast<const Residual*>(user))(at, N_VGetArrayPointer(now), N_VGetArrayPointer(rates),
                                          N_VGetArrayPointer(values));
    return 0;
  };
  check(IDAInit(memory, call, 0.0, y, rate));
  check(IDASetUserData(memory, const_cast<Residual*>(&residual)));
  check(IDASStolerances(memory, 1e-12, 1e-12));
  check(IDASetLinearSolver(memory, solver, matrix));
  check(IDASetId(memory, differential));
  check(IDASetSuppressAlg(memory, SUNTRUE));
  check(IDASetMaxNumSteps(memory, 1'000'000));
  check(IDACalcIC(memory, IDA_YA_YDP_INIT, 1e-3));
  check(IDASetStopTime(memory, t));
  double reached = 0.0;
  check(IDASolve(memory, t, &reached, y, rate, IDA_NORMAL));
  IDAFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  for (N_Vector vector : {y, rate, differential}) N_VDestroy(vector);
  SUNContext_Free(&context);
  return start;
}

}  // namespace rattleback::test
