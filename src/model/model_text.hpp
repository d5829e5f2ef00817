#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rattleback/expr/definitions.hpp"
#include "rattleback/model/rotation.hpp"
#include "rattleback/model/system.hpp"
#include "toml_file.hpp"

namespace rattleback {

/// The text of a model with what it declares, parameters and coordinates: the names in which its sections are written.
class ModelText : public TomlFile {
 public:
  using Names = std::vector<std::string>;
  using Places = std::vector<const toml::node*>;

  using TomlFile::TomlFile;

  /// Reads [parameters], of which some may be replaced, and the coordinates. Inputs that are numbers and are not
  /// replaced are parameters, too.
  void read_declarations(const ParameterValues& replaced, const InputTexts& replaced_inputs);
  /// Reads [definitions], in which other names may occur besides those: momenta.
  void read_definitions(const Names& more_names);

  void set_folder(std::filesystem::path folder) { folder_ = std::move(folder); }
  /// Where files are that the model names.
  const std::filesystem::path& folder() const { return folder_; }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Expression>& coordinates() const { return coordinates_; }
  const std::vector<Rotation>& rotations() const { return rotations_; }
  Space space() const { return {coordinates_.size(), rotations_.size()}; }
  const Definitions& definitions() const { return definitions_; }
  const Places& parameter_places() const { return parameter_places_; }
  const Places& coordinate_places() const { return coordinate_places_; }

  const Names& parameter_names() const { return parameter_names_; }
  Names position_names() const;                                       ///< parameters and coordinates
  Names all_names() const;                                            ///< and velocities
  bool names_time() const { return !is_name(time_symbol().name()); }  ///< t is the time
  Names timed_names() const;  ///< and t, which is the time unless something else has this name
  /// The coordinates as messages list them: the first of many.
  Names listed_coordinates() const;

  /// A key without which there is no model.
  const toml::node& needed(const char* key) const;
  void check_name(const std::string& name, const toml::node& place, const char* what) const;
  /// The names that an entry of a list declares; it may be repeated. `what` is "a coordinate".
  std::vector<Expression> declared(const toml::node& node, const char* what) const;
  Expression expression(const toml::node& node, const std::string& what, Names names) const;
  /// Of a text that is not in the file.
  Expression expression(const std::string& text, const std::string& where, Names names) const;
  /// The same of any shape, without a place of its own.
  Tensor tensor(const std::string& text, const std::string& where, Names names) const;
  /// From now on the name stands for this, as if [definitions] said so.
  void define(const std::string& name, const Expression& meaning);
  void define(const Definition& definition) { definitions_.add(definition); }
  void forget_definitions() { definitions_ = {}; }
  /// From now on, in [forces], the names of rows stand for their multipliers. `rows` has the names of all rows, some of
  /// them empty, those of a vector as contact[1], contact[2], ...; `meaning` tells what stands for a row.
  void define_multipliers(const Names& rows, const std::function<Expression(std::size_t)>& meaning);
  /// Behind [forces].
  void forget_multipliers();
  /// An entry of a list, which may be repeated.
  std::vector<Expression> entry(const toml::node& node, const std::string& what, Names names) const;
  /// What an expression of the parameters comes to.
  double value_of(const toml::node& node, const std::string& what, const Expression& e) const;
  /// What symbols stand for at a state: parameters, positions and the time.
  std::unordered_map<Expression, double> values_at(const State& state) const;
  /// A number, or an expression of the parameters.
  double constant(const toml::node& node, const std::string& what) const;

  /// The indices of coordinates that are given by name: those of one entry, which may be repeated, and of a list.
  std::vector<std::size_t> coordinates_of(const toml::node& item, const std::string& what) const;
  std::vector<std::size_t> coordinate_list(const toml::node& node, const std::string& what) const;
  /// A table whose keys are coordinates and rotations: indices of their velocities and what stands there, in the order
  /// of the file; of a rotation, the components of a vector.
  std::vector<std::pair<std::size_t, Expression>> by_coordinate(const toml::table& entries, const std::string& where,
                                                                const std::string& what, const Names& names) const;

 private:
  void read_parameters(ParameterValues replaced, const InputTexts& replaced_inputs);
  double parameter_value(const std::string& name, const toml::node& node) const;
  void add_parameter(const std::string& name, double value, const toml::node& place);
  void read_coordinates();
  void read_rotations();
  bool is_name(const std::string& name) const;  ///< of a coordinate or a parameter
  void explain_rows();
  void explain_column(const std::string& row);
  void explain_numbers(std::size_t rows);
  std::vector<Expression> symbols(const toml::node& node, const std::string& what) const;
  ParseOptions options_of(const std::string& where, Names names) const;
  ParseOptions options_at(const toml::node& node, Names names) const;

  std::filesystem::path folder_;
  std::vector<Parameter> parameters_;
  Names parameter_names_;
  Places parameter_places_;
  std::unordered_map<Expression, double> values_;
  std::unordered_map<std::string, int> integers_;       ///< parameters that may stand in ranges and indices
  std::unordered_map<std::string, double> noninteger_;  ///< and those that may not
  std::string advice_;                                  ///< for unknown names
  std::vector<Expression> coordinates_;
  std::vector<Rotation> rotations_;
  Places coordinate_places_;
  Definitions definitions_;
  Definitions outside_forces_;
  std::unordered_set<Expression> multipliers_;                 ///< while [forces] is read
  std::unordered_map<std::string, std::string> explanations_;  ///< of names that mean something elsewhere
  std::unordered_map<std::string, std::string> outside_explanations_;
};

/// "[i = 1..n] ...": as many entries as the range has numbers.
bool is_repeated(const std::string& text);

}  // namespace rattleback
