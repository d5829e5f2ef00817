#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/base/words.hpp"
#include "rattleback/expr/definitions.hpp"
#include "rattleback/model/start.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// A model file that cannot be used. what() is the whole message: file, line and column, what is wrong,
/// the line with a caret, and a suggestion where there is one.
class ModelError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// Values that replace those of a model's parameters.
using ParameterValues = std::map<std::string, double>;
/// Expressions that replace those of a model's inputs, or names of files with tables, which end with .csv.
using InputTexts = std::map<std::string, std::string>;

struct View;

/// A model file: a mechanical system and what belongs to it (docs/models.md).
struct Model {
  std::string name;  ///< in the catalogue, or the file's name without its ending
  std::string title;
  std::string description;
  std::string source;  ///< where it comes from: a citation
  std::string text;    ///< the file
  System system;
  std::vector<std::string> angles;
  std::optional<State> initial;
  std::optional<double> step;  ///< what a run takes by default
  std::optional<double> time;
  /// How it is drawn (model/view.hpp), as it says itself or else as its positions suggest; null if there is nothing.
  std::shared_ptr<const View> view = {};
  Definitions definitions = {};  ///< in coordinates, velocities and parameters: names for expressions about the model
  /// The initial velocities that the model gives, if it does so by name: the others follow from the constraints.
  SomeNumbers given_velocities = {};
  /// What [inputs] gives names to; the expressions of the system have them put in.
  std::vector<NamedExpression> inputs = {};
};

/// Reads a model from the text of its file; `file` is named in errors. Files that it names are looked for in `folder`,
/// or where `file` is.
Model read_model(std::string_view text, const std::string& file, const ParameterValues& parameters = {},
                 const InputTexts& inputs = {}, const std::string& folder = {});

/// For people and for checkpoints: the formula of an input, and what identifies the tables in it.
std::string input_text(const Expression& input);
/// Whether such a text is about tables, which it has only the checksums of.
bool names_table(const std::string& text);

/// To read expressions of the motion: of coordinates, velocities, parameters, t, definitions and inputs. `definitions`
/// is filled with what these stand for, and must live as long as the options.
ParseOptions options_of_motion(const Model& model, const std::string& source, Definitions& definitions);

/// Reads a model of the catalogue, or a file.
Model load_model(const std::string& name_or_file, const ParameterValues& parameters = {},
                 const InputTexts& inputs = {});

/// The names of all models of the catalogue, which is found beside the program or where an installation
/// puts it.
std::vector<std::string> catalogue();

/// A number written as an expression, as in 2*pi/5; the values may be used by name. `what` is named in errors.
double number_from_text(std::string_view text, const std::string& what, const ParameterValues& values = {});
/// Several of them, separated by commas.
std::vector<double> numbers_from_text(std::string_view text, const std::string& what,
                                      const ParameterValues& values = {});
/// The same by name: psi=-5,phi=0.
std::map<std::string, double> named_numbers_from_text(std::string_view text, const std::string& what,
                                                      const ParameterValues& values = {});

/// One entry for each coordinate of a system; `what` is named in errors about names that are none.
SomeNumbers velocities_by_name(const System& system, const std::map<std::string, double>& named,
                               const std::string& what);
/// The same of positions, which replace those of `near`. The answer is for completed_positions: which directions are
/// given.
SomeNumbers positions_by_name(const System& system, const std::map<std::string, double>& named, const std::string& what,
                              std::vector<double>& near);

}  // namespace rattleback
