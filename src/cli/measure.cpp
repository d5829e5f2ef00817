// `rattleback measure`: how well methods preserve an invariant measure.

#include "rattleback/answer/measure.hpp"

#include <fmt/format.h>

#include <memory>

#include "answers.hpp"
#include "commands.hpp"

namespace rattleback::cli {
namespace {

struct MeasureOptions {
  ProblemOptions problem;
  OutputOptions output;
  answer::MeasureRequest request;
  std::optional<std::string> cloud;
  double radius = answer::MeasureRequest::Cloud().radius;
  std::string weights = std::string(word_of(answer::MeasureRequest::Cloud().weights));
};

CloudShape shape_of(const std::string& cloud) {
  if (cloud == "600-cell") return {};
  if (cloud.ends_with(".csv")) return {.file = cloud};
  try {
    return {.count = integer_from_text(cloud, "--cloud")};
  } catch (const Error&) {
    throw RequestError(
        fmt::format("--cloud must be 600-cell, a file ending with .csv, or a number of points; found '{}'", cloud));
  }
}

HullWeights weights_of(const std::string& weights) {
  if (const auto value = from_word<HullWeights>(weights)) return *value;
  throw RequestError(fmt::format("--weights must be {}, found '{}'", alternatives<HullWeights>(), weights));
}

void measure(const MeasureOptions& o) {
  answer::MeasureRequest request = o.request;
  const HullWeights weights = weights_of(o.weights);
  if (o.cloud) request.cloud = {.shape = shape_of(*o.cloud), .radius = o.radius, .weights = weights};
  request.problem = o.problem.request();
  deliver(attend(o.output, [&](const answer::Hooks& hooks) { return answer::measure(request, hooks); }), o.output);
}

}  // namespace

Command measure_command() {
  Command command{"measure", "How well methods preserve the invariant measure of a system"};
  auto o = std::make_shared<MeasureOptions>();
  o->problem.add_to(command);
  add_methods_option(command, o->request.methods);
  command.add({.names = "--ell",
               .value = "L,...",
               .help = "Also the modified measures up to these powers of h, of pthdel and conformal",
               .target = &o->request.ells,
               .list = true});
  command.add({.names = "--cloud",
               .value = "600-cell|N|FILE",
               .help = "The volume of a cloud: 600-cell, a number of points on a sphere, or points of a file",
               .target = &o->cloud,
               .values = {Values::Kind::word, {"600-cell"}, {".csv"}}});
  command.add({.names = "--radius", .value = "R", .help = "The radius of the cloud", .target = &o->radius});
  command.add({.names = "--weights",
               .value = "WEIGHTS",
               .help = "How the density is averaged over the hull of the cloud: simplices, or ball",
               .target = &o->weights,
               .values = {Values::Kind::word, {"simplices", "ball"}}});
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
  command.notes = {
      "A method that does not apply is a row with the reason; the command fails if none applies.",
      "Without --cloud: from the tangent map along the trajectory of the start.",
      "A file for --cloud is a table (.csv). Its first line names the coordinates of phase space, x,y,p_x,p_y for the "
      "particle, in any order; each further line is a point, as seen from the start, in units of --radius.",
      "simplices: between the facets and the mean of the points, each with the mean density of its corners. ball: the "
      "density of the centre counts 2/(n+2), its mean over the points n/(n+2), which are exact for a ball; the points "
      "must be at the distance 1."};
  command.examples = {
      "rattleback measure harmonic-particle -m conformal:TT,pthdel --ell 2,4 --step 0.25 --time 20",
      "rattleback measure harmonic-particle -m conformal:M --ell 2,4 --cloud 600-cell --step 0.25 --time 20 -o c.csv",
      "rattleback measure harmonic-particle -m reference --cloud points.csv --weights ball --step 0.25 --time 30"};
  command.action = [o] { measure(*o); };
  return command;
}

}  // namespace rattleback::cli
