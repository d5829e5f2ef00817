// `rattleback models`: the catalogue.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "request.hpp"

namespace rattleback::cli {
namespace {

void list_models(const OutputOptions& output) {
  nlohmann::json document = nlohmann::json::array();
  for (const std::string& name : catalogue()) {
    const Model model = load_model(name);
    const System& s = model.system;
    document.push_back({{"name", name},
                        {"title", model.title},
                        {"description", model.description},
                        {"source", model.source},
                        {"coordinates", s.dimension()},
                        {"constraints", s.constraints().size()},
                        {"holonomic", s.holonomic().size()},
                        {"affine", s.is_affine()},
                        {"exact", !s.exact().empty()}});
    if (output.talks()) {
      std::string kind = fmt::format("{} coordinates, {} constraint{}", s.dimension(), s.constraints().size(),
                                     s.constraints().size() == 1 ? "" : "s");
      if (s.is_affine()) kind += " (affine)";
      if (!s.holonomic().empty()) kind += fmt::format(", {} holonomic", s.holonomic().size());
      fmt::print("{:<28} {}; {}\n", name, model.title, kind);
    }
  }
  if (output.json) fmt::print("{}\n", document.dump(2));
  if (output.talks()) fmt::print("\n'rattleback show NAME' tells more about one.\n");
}

}  // namespace

Command models_command() {
  Command command{"models", "Lists the catalogue of systems"};
  auto output = std::make_shared<OutputOptions>();
  output->add_to(command);
  command.examples = {"rattleback models"};
  command.action = [output] { list_models(*output); };
  return command;
}

}  // namespace rattleback::cli
