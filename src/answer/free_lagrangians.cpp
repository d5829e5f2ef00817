#include "rattleback/answer/free_lagrangians.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "inverse.hpp"
#include "json.hpp"
#include "near.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {

FreeLagrangiansAnswer free_lagrangians(const FreeLagrangiansRequest& request, const Hooks& hooks) {
  const Interruptible interruptible(hooks.interrupt);
  const auto patience = hooks.patience();
  Model model = request.model.load(request.parameters);
  const System& s = model.system;
  SteeredSearch search = find_steered(s, s.parameter_values(), state_to_look_at(model));
  if (search.found && !search.found->potential_is_constant) {
    search.reason = "it has a potential, with which none is known";
    search.found.reset();
  }
  FreeLagrangiansAnswer answer{std::move(model), std::move(search.found), {}, {}};
  if (!answer.steered) {
    answer.reason = search.reason;
    return answer;
  }
  const auto put = [&](FreeForm form) {
    answer.list.push_back({form, free_lagrangian(answer.model.system, *answer.steered, form)});
  };
  put(FreeForm::both_scaled);
  if (answer.steered->density_is_constant) put(FreeForm::constant_density);
  return answer;
}

std::optional<Error> complaint(const FreeLagrangiansAnswer& answer) {
  if (answer.steered) return {};
  return Error(Error::Kind::answer_is_no,
               fmt::format("{}: no free Lagrangian is known: {}", answer.model.name, answer.reason));
}

std::string to_text(const FreeLagrangiansAnswer& answer) {
  if (const auto no = complaint(answer)) return fmt::format("{}\n", no->what());
  const System& s = answer.model.system;
  std::string out = fmt::format("{} ({})\n\n", answer.model.title, answer.model.name);
  out += class_text(s, *answer.steered);
  for (const auto& [form, free] : answer.list) {
    add(out, "\nFree Lagrangian {}\n  L = {}\n", form_number(form), formula(free.system.lagrangian()));
    add(out, "  H = {}\n", formula(free.hamiltonian));
    for (const Expression& c : free.constraints) add(out, "  0 = {}\n", formula(c));
  }
  add(out, "\nThe constants C are any numbers other than 0, to be put in where L is used; {}' must not vanish.\n",
      s.coordinates()[answer.steered->steering].name());
  return out;
}

std::string to_latex(const FreeLagrangiansAnswer& answer) {
  std::vector<std::string> lines;
  for (const auto& [form, free] : answer.list) {
    lines.push_back("\\tilde{L} &= " + to_latex(free.system.lagrangian()));
    lines.push_back("\\tilde{H} &= " + to_latex(free.hamiltonian));
    for (const Expression& c : free.constraints) lines.push_back("0 &= " + to_latex(c));
  }
  return aligned(answer.model.title, lines);
}

std::string to_json(const FreeLagrangiansAnswer& answer) {
  nlohmann::json document{{"name", answer.model.name}, {"free_lagrangians", nlohmann::json::array()}};
  if (answer.steered) {
    document["class"] = class_json(answer.model.system, *answer.steered);
  } else {
    document["reason"] = answer.reason;
  }
  for (const auto& [form, free] : answer.list) {
    nlohmann::json constants = nlohmann::json::array();
    for (const Expression& c : free.constants) {
      if (c.is_symbol()) constants.push_back(c.name());
    }
    document["free_lagrangians"].push_back({{"form", static_cast<int>(form)},
                                            {"lagrangian", to_text(free.system.lagrangian())},
                                            {"hamiltonian", to_text(free.hamiltonian)},
                                            {"constraints", texts(free.constraints)},
                                            {"constants", constants}});
  }
  return text_of(document);
}

}  // namespace rattleback::answer
