#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "request.hpp"

namespace rattleback::cli {

struct BenchOptions {
  std::vector<std::string> tables;
  double time = 1e6;
  double limit = 60;
  std::string heyoka;
  OutputOptions output;
};

/// `rattleback bench` without what it does: the command launches it, and a program of its own performs it.
Command describe_bench(BenchOptions& options);

}  // namespace rattleback::cli
