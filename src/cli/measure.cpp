// `rattleback measure`: how well methods preserve an invariant measure.

#include "rattleback/answer/measure.hpp"

#include <fmt/format.h>

#include <memory>

#include "answers.hpp"
#include "commands.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  ProblemOptions problem;
  OutputOptions output;
  answer::MeasureRequest request;
  std::optional<std::string> cloud;
  double radius = answer::MeasureRequest::Cloud().radius;
};

std::int64_t number_of_points(const std::string& cloud) {
  try {
    return integer_from_text(cloud, "--cloud");
  } catch (const Error&) {
    throw RequestError(fmt::format("--cloud must be 600-cell or a number of points, found '{}'", cloud));
  }
}

void measure(const Options& o) {
  answer::MeasureRequest request = o.request;
  if (o.cloud) {
    request.cloud = {.radius = o.radius};
    if (*o.cloud != "600-cell") request.cloud->count = number_of_points(*o.cloud);
  }
  request.problem = o.problem.request();
  deliver(attend(o.output, [&](const answer::Hooks& hooks) { return answer::measure(request, hooks); }), o.output);
}

}  // namespace

Command measure_command() {
  Command command{"measure", "How well methods preserve the invariant measure of a system"};
  auto o = std::make_shared<Options>();
  o->problem.add_to(command);
  add_methods_option(command, o->request.methods);
  command.add({.names = "--ell",
               .value = "L,...",
               .help = "Also the modified measures up to these powers of h, of pthdel and conformal",
               .target = &o->request.ells,
               .list = true});
  command.add({.names = "--cloud",
               .value = "600-cell|N",
               .help = "The volume of a cloud: 600-cell, or a number of points on a sphere",
               .target = &o->cloud,
               .values = {Values::Kind::word, {"600-cell"}}});
  command.add({.names = "--radius", .value = "R", .help = "The radius of the cloud", .target = &o->radius});
  command.add({.names = "--every", .value = "K", .help = "Looks at every K-th step", .target = &o->request.every});
  command.add({.names = "-o,--output",
               .value = "FILE",
               .help = "Where all values go: a file ending with .csv",
               .target = &o->request.output,
               .values = {Values::Kind::file, {".csv"}}});
  command.add({.names = "--points",
               .value = "FILE",
               .help = "Where the points of the cloud go: a file ending with .csv",
               .target = &o->request.points,
               .values = {Values::Kind::file, {".csv"}}});
  add_force_option(command, o->request.force);
  o->output.add_to(command);
  command.notes = {"Without --cloud: from the tangent map along the trajectory of the start."};
  command.examples = {
      "rattleback measure harmonic-particle -m conformal:TT,pthdel --ell 2,4 --step 0.25 --time 20",
      "rattleback measure harmonic-particle -m conformal:M --ell 2,4 --cloud 600-cell --step 0.25 --time 20 -o c.csv"};
  command.action = [o] { measure(*o); };
  return command;
}

}  // namespace rattleback::cli
