// `rattleback reproduce`: the experiments of papers, with the papers' claims beside what is measured.

#include "rattleback/answer/reproduce.hpp"

#include <fmt/format.h>

#include <memory>

#include "answers.hpp"
#include "commands.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

struct ReproduceOptions {
  answer::ReproduceRequest request;
  OutputOptions output;
  bool list = false;
};

void reproduce(const ReproduceOptions& o) {
  if (o.list) return print(answer::experiments(), o.output);
  answer::ReproduceRequest request = o.request;
  request.command = command_line();
  Attendance attendance(o.output);
  const auto answer = answer::reproduce(request, attendance.hooks(), [&](const answer::ExperimentAnswer& done) {
    attendance.remove_bar();
    if (o.output.talks()) say(to_text(done));
  });
  if (o.output.json) say_json(to_json(answer));
  if (o.output.talks()) say(summary_text(answer));
  if (const auto error = complaint(answer)) throw *error;
}

}  // namespace

Command reproduce_command() {
  Command command{"reproduce", "The experiments of papers, with their claims beside what is measured"};
  auto o = std::make_shared<ReproduceOptions>();
  command.add(
      {.names = "what",
       .value = "PAPER...",
       .help = "all, papers (cm, ev, me, fe, gv), experiments of --list, or files of your own; all if nothing is given",
       .target = &o->request.what,
       .values = {Values::Kind::experiment}});
  command.add({.names = "-o,--output",
               .value = "FOLDER",
               .help = "The folder for the page and the data",
               .target = &o->request.output,
               .values = {Values::Kind::folder}});
  command.add({.names = "--markdown",
               .value = "FILE",
               .help = "Also writes statements and claims as a page of documentation",
               .target = &o->request.markdown,
               .values = {Values::Kind::file, {".md"}}});
  command.add({.names = "--csv", .help = "Data as CSV files instead of HDF5", .target = &o->request.csv});
  add_force_option(command, o->request.force);
  command.add({.names = "--list", .help = "Only lists the experiments", .target = &o->list});
  o->output.add_to(command);
  command.notes = {
      "Each claim is confirmed, corrected (confirmed after a correction) or contradicted, with the reason on the page; "
      "failed means that it did not come out as it should: then the exit status is 1.",
      "Of a whole paper the page also has a table of everything that it states, shows or asks, each with the verdict "
      "that follows from the claims, or the reason why there is none."};
  command.examples = {"rattleback reproduce all", "rattleback reproduce me gv -o papers --csv",
                      "rattleback reproduce my-experiment.toml"};
  command.action = [o] { reproduce(*o); };
  return command;
}

}  // namespace rattleback::cli
