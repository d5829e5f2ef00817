#include "rattleback/model/written.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model_sections.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback {
namespace {

/// The texts between semicolons, on one line each.
std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> list(1);
  for (const char c : text) {
    std::string& last = list.back();
    if (c == ';') {
      list.emplace_back();
    } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
      last += c;
    } else if (!last.empty() && last.back() != ' ') {
      last += ' ';
    }
  }
  for (std::string& s : list) s.erase(s.find_last_not_of(' ') + 1);
  return list;
}

WrittenFormula formula_of(const std::string& name, const std::string& text) {
  WrittenFormula formula{.name = name, .where = sentences(text)};
  formula.text = formula.where.back();
  formula.where.pop_back();
  std::string& first = formula.where.empty() ? formula.text : formula.where.front();
  const auto close = first.find(']');
  if (is_repeated(first)) {
    formula.range = first.substr(1, close - 1);
    first.erase(0, first.find_first_not_of(' ', close + 1));
  }
  return formula;
}

/// Expressions in which definitions and inputs keep their names.
class Reader {
 public:
  explicit Reader(const Model& model) : model_(model), text_(model.text, model.name + ".toml") {}

  WrittenModel read() {
    WrittenModel result;
    ParameterValues values;
    for (const Parameter& p : model_.system.parameter_list()) values[p.name] = p.value;
    InputTexts inputs;  // those that are no numbers
    for (const NamedExpression& input : model_.inputs) inputs.emplace(input.name, "");
    text_.read_declarations(values, inputs);
    const ModelText::Names momenta = momentum_names(text_);
    text_.read_definitions(momenta);
    names_ = text_.timed_names();
    names_.insert(names_.end(), momenta.begin(), momenta.end());
    read_definitions(result.definitions);
    for (const NamedExpression& input : model_.inputs) {
      text_.define(input.name, name(input.name, input.expression));
    }
    if (const toml::node* node = text_.root().get("lagrangian")) {
      result.lagrangian = formula_of("L", text_.text_of(*node, "lagrangian"));
      result.lagrangian->value = text_.expression(*node, "lagrangian", names_);
      result.energy = energy(std::get<Expression>(result.lagrangian->value));
      shorten(result.lagrangian->value, {model_.system.lagrangian()});
    }
    read_rows("constraints", model_.system.constraints(), result.constraints);
    result.constraint_matrix = constraint_matrix(result.constraints);
    read_rows("holonomic", model_.system.holonomic(), result.holonomic);
    if (const toml::table* forces = text_.table("forces")) {
      define_multipliers();
      const std::vector<Expression> meant = model_.system.named_forces();
      for (const auto& [i, value] : text_.by_coordinate(*forces, "[forces]", "the applied force on", names_)) {
        const std::size_t numbers = text_.space().numbers;
        const bool turns = i >= numbers;  // a component of a torque
        const std::string& q =
            turns ? text_.rotations()[(i - numbers) / Rotation::velocities].name : text_.coordinates()[i].name();
        if (turns && (i - numbers) % Rotation::velocities > 0) {
          std::get<Vector>(result.forces.back().value).push_back(value);
          continue;
        }
        result.forces.push_back(formula_of(q, text_.text_of(*forces->get(q), q)));
        result.forces.back().value = turns ? Tensor(Vector{value}) : Tensor(value);
        if (!turns) shorten(result.forces.back().value, {meant[i]});
      }
    }
    return result;
  }

 private:
  void define_multipliers() {
    ModelText::Names rows;
    for (std::size_t k = 0; k < model_.system.row_count(); ++k) rows.push_back(model_.system.given_name(k));
    text_.define_multipliers(
        rows, [&](std::size_t k) { return rows[k].empty() ? multiplier_symbol(k) : Expression::symbol(rows[k]); });
  }

  /// A symbol for what is more than a number or a symbol.
  Expression name(const std::string& name, const Expression& meaning) {
    if (meaning.is_constant() || meaning.is_symbol()) return meaning;
    const Expression symbol = Expression::symbol(name);
    names_.push_back(name);
    bool moves = false;
    bool has_velocity = false;
    for (const Expression& s : free_symbols(meaning)) {
      const auto is_one_of = [&](const Vector& symbols) { return std::ranges::find(symbols, s) != symbols.end(); };
      has_velocity = has_velocity || s.name().back() == '\'' || is_one_of(model_.system.velocities());
      moves = moves || std::ranges::find(names_, s.name() + "'") != names_.end() || s == time_symbol() ||
              is_one_of(model_.system.coordinates());
    }
    if (has_velocity) {
      homogeneous_ = homogeneous_ && tidy(energy_of(meaning, model_.system.velocities())).is_constant(0.0);
      velocities_.push_back(symbol);
    } else if (moves) {
      names_.push_back(name + "'");
      velocities_.push_back(Expression::symbol(name + "'"));
    }
    return symbol;
  }

  static void shorten(Tensor& value, const std::vector<Expression>& meant) {
    Vector entries(entries_of(value).begin(), entries_of(value).end());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (operation_count(meant[i]) <= operation_count(entries[i])) entries[i] = meant[i];
    }
    value = with_entries(value, std::move(entries));
  }

  void read_definitions(std::vector<WrittenFormula>& list) {
    const Definitions all = text_.definitions();
    text_.forget_definitions();
    for (const Definition& d : all.list()) {
      if (d.text.empty()) {  // a rotation
        text_.define(d);
        continue;
      }
      WrittenFormula formula = formula_of(d.header(), d.text);
      if (d.is_function()) {
        text_.define(d);
      } else {
        formula.value = text_.tensor(d.text, d.name, names_);
        const auto meant = entries_of(d.value);
        shorten(formula.value, {meant.begin(), meant.end()});
        const auto* matrix = std::get_if<Matrix>(&d.value);
        Vector symbols;
        for (std::size_t i = 0; i < meant.size(); ++i) {
          const std::string index = std::holds_alternative<Expression>(d.value) ? ""
                                    : matrix == nullptr
                                        ? fmt::format("[{}]", i + 1)
                                        : fmt::format("[{},{}]", i / matrix->columns + 1, i % matrix->columns + 1);
          symbols.push_back(name(d.name + index, meant[i]));
        }
        text_.define({d.name, {}, {}, with_entries(d.value, std::move(symbols)), {}});
      }
      list.push_back(std::move(formula));
    }
  }

  void read_rows(const char* key, const std::vector<Expression>& meant, std::vector<WrittenFormula>& list) {
    const toml::node* node = text_.root().get(key);
    if (node == nullptr) return;
    std::size_t row = 0;
    const auto add = [&](const toml::node& item, const std::string& name) {
      list.push_back(formula_of(name, text_.text_of(item, key)));
      Vector entry = text_.entry(item, key, names_);
      const std::size_t count = entry.size();
      list.back().value = std::move(entry);
      const auto first = meant.begin() + static_cast<std::ptrdiff_t>(row);
      shorten(list.back().value, {first, first + static_cast<std::ptrdiff_t>(count)});
      row += count;
    };
    for (const toml::node& item : text_.array_of(*node, key)) {
      if (!item.is_table()) {
        add(item, "");
        continue;
      }
      for (const auto& [name, expression] : ModelText::in_order(*item.as_table())) add(*expression, name);
    }
  }

  SparseMatrix constraint_matrix(const std::vector<WrittenFormula>& constraints) const {
    Vector rows;
    for (const WrittenFormula& formula : constraints)
      std::ranges::copy(entries_of(formula.value), std::back_inserter(rows));
    SparseMatrix matrix = model_.system.constraint_matrix();
    for (auto& entry : matrix.entries) {
      const auto row = static_cast<std::size_t>(entry.row);
      if (row >= rows.size()) continue;  // holonomic
      const auto is_velocity = [&](const Expression& s) {
        return std::ranges::find(velocities_, s) != velocities_.end();
      };
      if (std::ranges::any_of(free_symbols(rows[row]), is_velocity)) continue;
      const Expression named = gradient(rows[row], model_.system.velocities())[static_cast<std::size_t>(entry.column)];
      if (operation_count(named) < operation_count(entry.value)) entry.value = named;
    }
    return matrix;
  }

  /// By Euler's theorem: names of degree 1 in the velocities are as good as velocities.
  std::optional<Expression> energy(const Expression& lagrangian) {
    if (!homogeneous_ || model_.system.depends_on_time()) return std::nullopt;
    Vector all = velocities_;
    all.insert(all.end(), model_.system.velocities().begin(), model_.system.velocities().end());
    const Expression named = energy_of(lagrangian, all);
    return operation_count(named) < operation_count(model_.system.energy()) ? named : model_.system.energy();
  }

  const Model& model_;
  ModelText text_;
  ModelText::Names names_;
  std::vector<Expression> velocities_;  ///< among the names
  bool homogeneous_ = true;
};

}  // namespace

WrittenModel written(const Model& model) { return model.text.empty() ? WrittenModel{} : Reader(model).read(); }

}  // namespace rattleback
