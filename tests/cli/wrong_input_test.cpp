// Wrong inputs as users type them. Each must end with the right exit status and a message that says where it is wrong,
// what was found, and what to do.

#include <sys/wait.h>

#include <cstdlib>
#include <ostream>
#include <vector>

#include "command.hpp"
#include "tests/places.hpp"

namespace {

using namespace rattleback::test;
namespace fs = std::filesystem;

/// The request or the model is wrong; the numerics failed; files or system.
constexpr int files_or_system = 4;

const std::string run_it = "rattleback run m.toml --step 0.1 --steps 10 --quiet";

struct WrongInput {
  std::string label;
  std::string model = "";        ///< what stands in m.toml, if anything
  std::string before = "";       ///< shell commands that prepare the directory
  std::string command = run_it;  ///< what the user types
  int status = wrong_request;
  std::vector<std::string> says = {};   ///< place, cause, remedy: what the message must contain
  std::vector<std::string> never = {};  ///< what would mislead
  std::string afterwards = "true";      ///< a shell command that must succeed at the end
};

void PrintTo(const WrongInput& wrong, std::ostream* out) { *out << wrong.label; }

/// A model that is right up to its third line, where the text goes on.
std::string particle(const std::string& rest) {
  return "coordinates = [\"x\", \"y\", \"z\"]\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2) - x^2\"\n" + rest;
}

/// A model in one coordinate.
std::string line(const std::string& lagrangian, const std::string& rest = "") {
  return "coordinates = [\"x\"]\nlagrangian = \"" + lagrangian + "\"\n" + rest;
}

const std::string long_run = "rattleback run quadratic-particle -m rk4 --steps 2000000000 --every 1000000 --quiet";

/// Starts a run that would take minutes, and kills it as soon as it can be resumed.
std::string unfinished(const std::string& file) {
  return long_run + " -o " + file + " & pid=$!\nfor i in $(seq 500); do [ -e " + file +
         ".checkpoint ] && break; sleep 0.01; done\nkill -9 $pid; wait $pid\n";
}

// ---------------------------------------------------------------------------------------------------------------------
// The command line

const std::vector<WrongInput> command_line{
    {.label = "no_command", .command = "rattleback", .says = {"a command is missing", "rattleback --help"}},
    {.label = "unknown_command",
     .command = "rattleback fly",
     .says = {"there is no command 'fly'", "rattleback --help"}},
    {.label = "misspelt_command",
     .command = "rattleback cmopare quadratic-particle",
     .says = {"there is no command 'cmopare'", "did you mean 'compare'?"}},
    {.label = "no_model", .command = "rattleback run", .says = {"model is", "rattleback models"}},
    {.label = "no_model_to_show", .command = "rattleback show", .says = {"model is", "rattleback models"}},
    {.label = "unknown_option",
     .command = "rattleback models --colour",
     .says = {"'--colour'", "rattleback models --help"}},
    {.label = "misspelt_option",
     .command = "rattleback run quadratic-particle --stpe 0.1",
     .says = {"'--stpe'", "did you mean '--step'?"}},
    {.label = "option_of_another_command",
     .command = "rattleback compare quadratic-particle -o a.csv",
     .says = {"-o", "rattleback compare --help"},
     .afterwards = "! test -e a.csv"},
    {.label = "two_models",
     .command = "rattleback show quadratic-particle rolling-disk",
     .says = {"rolling-disk", "rattleback show --help"}},
    {.label = "latex_and_json",
     .command = "rattleback show quadratic-particle --latex --json",
     .says = {"--latex and --json", "give one"}},

    {.label = "step_zero",
     .command = "rattleback run quadratic-particle --step 0",
     .says = {"--step must be positive", "found 0"}},
    {.label = "step_negative",
     .command = "rattleback run quadratic-particle --step -0.1",
     .says = {"--step must be positive", "found -0.1"}},
    {.label = "step_nan",
     .command = "rattleback run quadratic-particle --step nan",
     .says = {"--step must be", "found nan"}},
    {.label = "step_infinite",  // inf is positive: that cannot be the complaint alone
     .command = "rattleback run quadratic-particle --step inf",
     .says = {"--step must be", "finite", "found inf"}},
    {.label = "step_no_number",
     .command = "rattleback run quadratic-particle --step abc",
     .says = {"--step", "abc", "must be a number"}},
    {.label = "step_without_value",
     .command = "rattleback run quadratic-particle --step",
     .says = {"--step", "H", "missing"}},
    {.label = "step_twice",
     .command = "rattleback run quadratic-particle --step 0.1 --step 0.2",
     .says = {"--step", "once"}},
    {.label = "steps_zero",
     .command = "rattleback run quadratic-particle --steps 0",
     .says = {"--steps must be positive", "found 0"}},
    {.label = "steps_fraction",
     .command = "rattleback run quadratic-particle --steps 1.5",
     .says = {"--steps", "1.5", "integer"}},
    {.label = "steps_beyond_counting",  // not 2⁶³ - 1 steps instead, which never end
     .command = "rattleback run quadratic-particle -m rk4 --steps 99999999999999999999 --quiet",
     .says = {"--steps", "99999999999999999999"}},
    {.label = "steps_and_time",
     .command = "rattleback run quadratic-particle --steps 10 --time 3",
     .says = {"--steps", "--time", "give one"}},
    {.label = "time_zero",
     .command = "rattleback run quadratic-particle --time 0",
     .says = {"--time must be positive", "found 0"}},
    {.label = "time_shorter_than_a_step",
     .command = "rattleback run quadratic-particle --time 0.01",
     .says = {"the time 0.01 is shorter than half a step of 0.2"}},
    {.label = "time_missing",
     .model = line("x'^2", "[initial]\nq = [1]\n"),
     .command = "rattleback run m.toml --step 0.1",
     .says = {"m has no time of its own", "give one with --time"}},
    {.label = "step_missing",
     .model = line("x'^2", "[initial]\nq = [1]\n"),
     .command = "rattleback run m.toml --steps 10",
     .says = {"m has no step of its own", "give one with --step"}},
    {.label = "every_zero",
     .command = "rattleback run quadratic-particle --every 0",
     .says = {"--every must be positive", "found 0"}},

    {.label = "q0_too_short",
     .command = "rattleback run quadratic-particle --q0 1,2",
     .says = {"--q0 has 2 entries, expected 3", "one for each of x, y, z"}},
    {.label = "v0_too_long",
     .command = "rattleback run quadratic-particle --v0 1,2,3,4",
     .says = {"--v0 has 4 entries, expected 3", "one for each of x, y, z"}},
    {.label = "q0_no_number",  // the place is that in the text that was typed
     .command = "rattleback run quadratic-particle --q0 1,a,3",
     .says = {"--q0:1:3", "unknown name 'a'", "1,a,3"}},
    {.label = "v0_empty_entry",
     .command = "rattleback run quadratic-particle --v0 1,,3",
     .says = {"--v0:1:3", "empty", "1,,3"}},

    {.label = "unknown_parameter",
     .command = "rattleback run chaplygin-sleigh --set friction=1",
     .says = {"chaplygin-sleigh.toml has no parameter 'friction'", "it has m, I, a, g"}},
    {.label = "misspelt_parameter",
     .model = line("mass*x'^2", "[parameters]\nmass = 1\n"),
     .command = "rattleback show m.toml --set amss=1",
     .says = {"m.toml has no parameter 'amss'", "did you mean 'mass'?"}},
    {.label = "parameter_of_a_model_without_any",
     .command = "rattleback show quadratic-particle --set m=1",
     .says = {"quadratic-particle.toml has no parameter 'm'", "it has none"}},
    {.label = "set_without_equals",
     .command = "rattleback run chaplygin-sleigh --set m:2",
     .says = {"--set needs NAME=VALUE", "found 'm:2'"}},
    {.label = "set_without_name",
     .command = "rattleback run chaplygin-sleigh --set =2",
     .says = {"--set needs NAME=VALUE", "found '=2'"}},
    {.label = "set_without_value",
     .command = "rattleback run chaplygin-sleigh --set m=",
     .says = {"--set", "m=", "NAME=VALUE"}},
    {.label = "set_no_number",
     .command = "rattleback run chaplygin-sleigh --set m=heavy",
     .says = {"--set m", "'heavy'", "number"}},
    {.label = "set_not_finite",
     .command = "rattleback run chaplygin-sleigh --set m=nan",
     .says = {"--set m", "nan", "finite number"},
     .never = {"did you mean 'tan'?"}},
    {.label = "set_divided_by_zero",
     .command = "rattleback run chaplygin-sleigh --set m=1/0",
     .says = {"--set m:1:2", "division by zero", "1/0"}},
    {.label = "set_overflow",
     .command = "rattleback run chaplygin-sleigh --set m=1e400",
     .says = {"--set m:1:1", "1e400", "outside the range"}},
    {.label = "set_a_mass_to_zero",
     .command = "rattleback run chaplygin-sleigh --set m=0",
     .says = {"the Lagrangian is not regular", "(x: ", "is a mass or a moment of inertia zero?"}},

    {.label = "unknown_method",
     .command = "rattleback run quadratic-particle -m leapfrog",
     .says = {"there is no method 'leapfrog'", "reference", "rk4-index0"}},
    {.label = "misspelt_method",
     .command = "rattleback run quadratic-particle -m refernce",
     .says = {"there is no method 'refernce'", "did you mean 'reference'?"}},
    {.label = "misspelt_method_among_others",
     .command = "rattleback compare quadratic-particle -m rk4,rk5",
     .says = {"there is no method 'rk5'", "did you mean 'rk4'?"}},
    {.label = "no_method",
     .command = "rattleback compare quadratic-particle -m ''",
     .says = {"there is no method ''", "reference"}},
    {.label = "several_methods_for_one_run",
     .command = "rattleback run quadratic-particle -m rk4,reference",
     .says = {"there is no method 'rk4,reference'", "rattleback compare"}},
    {.label = "option_of_a_method_with_another",
     .command = "rattleback run quadratic-particle -m rk4:order=3",
     .says = {"the method rk4 has no option 'order'", "there is project"}},
    {.label = "misspelt_option_of_a_method",
     .command = "rattleback run quadratic-particle -m reference:tolerence=1e-9",
     .says = {"the method reference has no option 'tolerence'", "did you mean 'tolerance'?"}},
    {.label = "option_of_a_method_without_value",
     .command = "rattleback run quadratic-particle -m reference:tolerance",
     .says = {"tolerance needs a value", "tolerance=..."}},
    {.label = "bad_value_of_an_option",
     .command = "rattleback run quadratic-particle -m reference:tolerance=tight",
     .says = {"tolerance must be a number between 1e-15 and 0.01", "found 'tight'"}},
    {.label = "value_of_an_option_out_of_range",
     .command = "rattleback run quadratic-particle -m reference:tolerance=1",
     .says = {"tolerance must be a number between 1e-15 and 0.01", "found '1'"}},
};

// ---------------------------------------------------------------------------------------------------------------------
// Which model

const std::vector<WrongInput> model_files{
    {.label = "unknown_model",
     .command = "rattleback show hovercraft",
     .says = {"there is no model 'hovercraft'", "rattleback models"}},
    {.label = "misspelt_model",
     .command = "rattleback run quadratic-particel",
     .says = {"there is no model 'quadratic-particel'", "did you mean 'quadratic-particle'?"}},
    {.label = "missing_model_file",
     .command = "rattleback show nothing.toml",
     .status = files_or_system,
     .says = {"there is no file nothing.toml", "rattleback models"}},
    {.label = "name_of_the_catalogue_as_a_file",
     .command = "rattleback show snakeboard.toml",
     .status = files_or_system,
     .says = {"there is no file snakeboard.toml", "'snakeboard'"}},
    {.label = "directory_as_a_model",
     .before = "mkdir m.toml",
     .status = files_or_system,
     .says = {"m.toml is a directory, expected a file"}},
    {.label = "file_as_a_directory",
     .before = "touch m",
     .command = "rattleback show m/m.toml",
     .status = files_or_system,
     .says = {"m/m.toml"}},
    {.label = "empty_file",
     .before = ": > m.toml",
     .says = {"m.toml: ", "'coordinates' is missing", "a model needs coordinates and a lagrangian"}},
    {.label = "not_utf8",  // Latin-1
     .before = R"(printf 'name = "caf\351"\ncoordinates = ["x"]\n' > m.toml)",
     .says = {"m.toml:1:1", "UTF-8", "save"}},
    {.label = "binary_file",  // the beginning of a picture
     .before = R"(printf '\211PNG\r\n\032\n' > m.toml)",
     .says = {"m.toml:1:", "UTF-8"}},
    {.label = "zeros", .before = "head -c 3000 /dev/zero > m.toml", .says = {"m.toml:1:1: ", "\\u0000"}},
    {.label = "huge_file",
     .before = "head -c 5000000 /dev/zero | tr '\\000' '#' > m.toml",
     .says = {"m.toml", "5000000 bytes", "the limit is"}},
    {.label = "result_as_a_model",
     .before = "rattleback run quadratic-particle -m rk4 --steps 3 -o m.csv --quiet; mv m.csv m.toml",
     .says = {"m.toml:1:"}},
};

// ---------------------------------------------------------------------------------------------------------------------
// The text of a model

const std::vector<WrongInput> model_texts{
    {.label = "a_measure_by_a_false_symmetry",
     .model = line("0.5*x'^2 - 0.5*x^2", "[initial]\nq = [1]\nv = [0]\n[symmetry]\nfibre = [\"x\"]\n"),
     .command = run_it + " -m dla --observe measure",
     .says = {"a declared symmetry is not one", "translation of x"}},
    {.label = "toml_list_not_closed",
     .model = "coordinates = [\"x\"\nlagrangian = \"x'^2\"\n",
     .says = {"m.toml:2:1: ", "expected comma or closing ']'"}},
    {.label = "toml_string_not_closed",
     .model = "coordinates = [\"x\"]\nlagrangian = \"x'^2\n",
     .says = {"m.toml:2:", "quote"}},
    {.label = "expression_without_quotes",
     .model = "coordinates = [\"x\"]\nlagrangian = 0.5*x'^2\n",
     .says = {"m.toml:2:", "in quotes"}},
    {.label = "toml_key_twice",
     .model = line("x'^2", "coordinates = [\"x\", \"y\"]\n"),
     .says = {"m.toml:3:", "'coordinates'", "redefine"}},
    {.label = "toml_section_twice",
     .model = line("x'^2", "[initial]\nq = [1]\n[initial]\nv = [1]\n"),
     .says = {"m.toml:5:", "'initial'", "redefine"}},
    {.label = "coordinates_missing",
     .model = "lagrangian = \"1\"\n",
     .says = {"m.toml: ", "the key 'coordinates' is missing", "a model needs coordinates and a lagrangian"}},
    {.label = "lagrangian_missing",
     .model = "coordinates = [\"x\"]\n",
     .says = {"m.toml: ", "the key 'lagrangian' is missing", "a model needs coordinates and a lagrangian"}},
    {.label = "initial_position_missing",
     .model = particle("[initial]\nv = [1, 0, 0]\n"),
     .says = {"m.toml:3:1: ", "q is missing in [initial]"}},
    {.label = "initial_state_missing",
     .model = particle(""),
     .says = {"m has no initial state", "--q0 and --v0", "[initial]"}},

    {.label = "unknown_key",
     .model = particle("flavour = 3\n"),
     .says = {"m.toml:3:1: ", "unknown key 'flavour' in a model", "the keys are name, description"}},
    {.label = "unknown_key_in_initial",
     .model = particle("[initial]\nposition = [1, 0, 0]\n"),
     .says = {"m.toml:4:1: ", "unknown key 'position' in [initial]", "the keys are q, v"}},
    {.label = "unknown_key_in_run",
     .model = particle("[run]\nduration = 3\n"),
     .says = {"m.toml:4:1: ", "unknown key 'duration' in [run]", "the keys are step, time"}},
    {.label = "unknown_key_in_symmetry",
     .model = particle("[symmetry]\nalgebra = \"se(2)\"\n"),
     .says = {"m.toml:4:1: ", "unknown key 'algebra' in [symmetry]", "the keys are fibre, group, acts_on"}},
    {.label = "exact_solution_of_an_unknown_coordinate",
     .model = particle("[exact]\nw = \"t\"\n"),
     .says = {"m.toml:4:1: ", "unknown key 'w' in [exact]", "the keys are x, y, z"}},
    {.label = "misspelt_key",
     .model = "coordinates = [\"x\"]\nlagrangain = \"x'^2\"\n",
     .says = {"m.toml:2:1: ", "unknown key 'lagrangain'", "did you mean 'lagrangian'?"}},
    {.label = "misspelt_key_in_run",
     .model = particle("[run]\nstpe = 0.1\n"),
     .says = {"m.toml:4:1: ", "unknown key 'stpe' in [run]", "did you mean 'step'?"}},

    {.label = "number_for_text",
     .model = "coordinates = [\"x\"]\nlagrangian = 3\n",
     .says = {"m.toml:2:14: ", "lagrangian must be a text in quotes, found a number"}},
    {.label = "number_for_the_name",
     .model = "name = 3\n" + line("x'^2"),
     .says = {"m.toml:1:8: ", "name must be a text in quotes, found a number"}},
    {.label = "text_for_list",
     .model = "coordinates = \"x\"\nlagrangian = \"x'^2\"\n",
     .says = {"m.toml:1:15: ", "coordinates must be a list in brackets, found a text"}},
    {.label = "text_for_list_of_constraints",
     .model = particle("constraints = \"z' - y*x'\"\n"),
     .says = {"m.toml:3:15: ", "constraints must be a list in brackets, found a text"}},
    {.label = "number_among_texts",
     .model = "coordinates = [\"x\", 3]\nlagrangian = \"x'^2\"\n",
     .says = {"m.toml:1:21: ", "a coordinate must be a text in quotes, found a number"}},
    {.label = "number_for_section",
     .model = particle("parameters = 3\n"),
     .says = {"m.toml:3:14: ", "parameters must be a table, written as a section [parameters], found a number"}},
    {.label = "list_for_section",
     .model = particle("[[initial]]\nq = [1, 0, 0]\n"),
     .says = {"m.toml:3:1: ", "written as a section [initial], found a list"}},
    {.label = "truth_for_number",
     .model = particle("[parameters]\nm = true\n"),
     .says = {"m.toml:4:5: ", "the parameter m must be a number, found true or false"}},
    {.label = "list_for_number",
     .model = particle("[parameters]\nm = [1, 2]\n"),
     .says = {"m.toml:4:5: ", "the parameter m must be a number, found a list"}},
    {.label = "text_for_position",
     .model = particle("[initial]\nq = \"1, 0, 0\"\n"),
     .says = {"m.toml:4:5: ", "q must be a list in brackets, found a text"}},
    {.label = "date_for_position",
     .model = particle("[initial]\nq = [0, 1979-05-27, 0]\n"),
     .says = {"m.toml:4:9: ", "an entry of q must be a number, found a date or time"}},
    {.label = "number_for_conserved_quantity",
     .model = particle("[conserved]\nmomentum = 3\n"),
     .says = {"m.toml:4:12: ", "the conserved quantity momentum must be a text in quotes, found a number"}},
    {.label = "negative_step_of_the_model",
     .model = particle("[run]\nstep = -1\n"),
     .says = {"m.toml:4:8: ", "step must be positive, found -1"}},

    {.label = "no_coordinates",
     .model = "coordinates = []\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:15: ", "a system needs at least one coordinate"}},
    {.label = "coordinate_twice",
     .model = "coordinates = [\"x\", \"x\"]\nlagrangian = \"x'^2\"\n",
     .says = {"m.toml:1:21: ", "the coordinate x occurs twice", "rename or remove one"}},
    {.label = "coordinate_named_like_a_function",
     .model = "coordinates = [\"sin\"]\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:16: ", "'sin' cannot be the name of a coordinate", "none of pi, sum and the functions"}},
    {.label = "coordinate_named_pi",
     .model = "coordinates = [\"pi\"]\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:16: ", "'pi' cannot be the name of a coordinate", "none of pi"}},
    {.label = "coordinate_named_sum",  // the rule must cover the name it refuses
     .model = "coordinates = [\"sum\"]\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:16: ", "'sum' cannot be the name of a coordinate", "none of pi, sum"}},
    {.label = "coordinate_named_like_a_velocity",
     .model = "coordinates = [\"x'\"]\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:16: ", "'x'' cannot be the name of a coordinate",
              "names are Latin and Greek letters, digits and _"}},
    {.label = "coordinate_with_a_letter_that_is_none",  // é is a letter, too: which ones may stand in names?
     .model = "coordinates = [\"é\"]\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:16: ", "'é' cannot be the name of a coordinate", "Greek"}},
    {.label = "coordinate_that_colours_the_terminal",  // no control character of a file may reach the terminal
     .model = "coordinates = [\"\\u001b[31mred\"]\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:16: ", "contains a control character", "remove it"}},
    {.label = "coordinate_named_like_a_parameter",
     .model = particle("[parameters]\nx = 1\n"),
     .says = {"m.toml:4:", "the parameter x has the name of a coordinate", "rename one"}},
    {.label = "coordinate_t_with_exact_solutions",
     .model = "coordinates = [\"t\", \"y\"]\nlagrangian = \"t'^2 + y'^2\"\n[exact]\ny = \"y + t*y'\"\n",
     .says = {"m.toml:1:16: ", "no coordinate may be called t", "it stands for time"}},
    {.label = "parameter_named_like_a_function",
     .model = particle("[parameters]\nexp = 1\n"),
     .says = {"m.toml:4:", "'exp' cannot be the name of a parameter", "none of pi, sum and the functions"}},
    {.label = "parameter_not_finite",
     .model = particle("[parameters]\nm = inf\n"),
     .says = {"m.toml:4:5: ", "the parameter m is inf", "it must be a finite number"}},
    {.label = "parameter_computed_not_finite",
     .model = particle("[parameters]\nk = 0\nm = \"1/k\"\n"),
     .says = {"m.toml:5:5: ", "the parameter m is inf", "it must be a finite number"}},
    {.label = "parameter_before_its_definition",
     .model = particle("[parameters]\na = \"2*b\"\nb = 1\n"),
     .says = {"m.toml:4:8: ", "unknown name 'b'", "before"}},
    {.label = "conserved_quantity_that_breaks_the_table",  // its name is the head of a column
     .model = particle("[conserved]\n\"a,b\" = \"x\"\n[initial]\nq = [1, 0, 0]\n"),
     .says = {"m.toml:4:", "'a,b' cannot be the name of"}},

    {.label = "unknown_symbol",
     .model = line("0.5*x'^2 - stiffness*x^2"),
     .says = {"m.toml:2:26: ", "unknown name 'stiffness'", "[parameters]"}},
    {.label = "misspelt_symbol",
     .model = "coordinates = [\"theta\"]\nlagrangian = \"0.5*theta'^2 - cos(tehta)\"\n",
     .says = {"m.toml:2:34: ", "unknown name 'tehta'", "did you mean 'theta'?"}},
    {.label = "unknown_symbol_on_the_third_line_of_a_text",
     .model = "coordinates = [\"x\"]\nlagrangian = \"\"\"\n  0.5*x'^2\n  - stiffness*x^2\"\"\"\n",
     .says = {"m.toml:4:5: ", "unknown name 'stiffness'"}},
    {.label = "unknown_function",
     .model = line("x'^2 - cosine(x)"),
     .says = {"m.toml:2:22: ", "'cosine' is not a function", "the functions are"}},
    {.label = "velocity_of_a_parameter",
     .model = line("0.5*m*x'^2 - m'*x", "[parameters]\nm = 1\n"),
     .says = {"m.toml:2:28: ", "'m' has no velocity", "it is not a coordinate"}},
    {.label = "second_derivative",
     .model = line("x''^2"),
     .says = {"m.toml:2:15: ", "x''", "only first derivatives may occur"}},
    {.label = "product_without_star",
     .model = line("x'^2 - 2x"),
     .says = {"m.toml:2:23: ", "an operator is missing before 'x'", "a product is written with *"}},
    {.label = "bracket_not_closed",
     .model = line("0.5*(x'^2 - x"),
     .says = {"m.toml:2:19: ", "this ( is never closed"}},
    {.label = "empty_expression", .model = line(""), .says = {"m.toml:2:15: ", "the expression is empty"}},
    {.label = "division_by_the_constant_zero",
     .model = line("x'^2 + x/0"),
     .says = {"m.toml:2:23: ", "division by zero"}},
    {.label = "nested_too_deep",
     .model = line(std::string(100000, '(') + "x" + std::string(100000, ')')),
     .says = {"m.toml:2:", "nested deeper than 256 levels", "name parts of it with definitions"}},
    {.label = "giant_sum",
     .model = line("x'^2 + sum(i = 1..999999999, x)"),
     .says = {"m.toml:2:", "the range 1..999999999 is too long", "1..999999999"}},
    {.label = "giant_list_of_coordinates",  // refused at the limit, not after millions of them
     .model = "coordinates = [\"[i = 1..999999999] x[i]\"]\nlagrangian = \"1\"\n",
     .says = {"m.toml:1:", "the range 1..999999999 is too long", "1..999999999"}},
    {.label = "bound_of_a_range_not_an_integer",
     .model = "coordinates = [\"[i = 1..n] x[i]\"]\nlagrangian = \"sum(i = 1..n, x[i]'^2)\"\n[parameters]\nn = 2.5\n",
     .says = {"m.toml:1:25: ", "a bound of a range must be an integer", "2.5"}},
    {.label = "bound_of_a_range_too_large",  // it is an integer, that is not what is wrong
     .model = line("sum(i = 1..3000000000, x'^2)"),
     .says = {"m.toml:2:26: ", "3000000000"},
     .never = {"must be an integer"}},
    {.label = "empty_range",
     .model = "coordinates = [\"x\", \"[i = 3..1] y[i]\"]\nlagrangian = \"x'^2\"\n",
     .says = {"m.toml:1:22: ", "the range 3..1 is empty"}},

    {.label = "constraint_not_linear",
     .model = particle("constraints = [\"z' - y*x'\", \"x*y' + 3*x'*y' - y\"]\n"),
     .says = {"m.toml:3:29: ", "constraint 2 is not linear in the velocities", "its term 3*x'*y'",
              "A(q) v + b(q) = 0"}},
    {.label = "constraint_without_velocity",
     .model = particle("constraints = [\"x - y\"]\n"),
     .says = {"m.toml:3:16: ", "constraint 1 contains no velocity: x - y", "belongs to the holonomic constraints"}},
    {.label = "constraint_as_an_equation",
     .model = particle("constraints = [\"z' = y*x'\"]\n"),
     .says = {"m.toml:3:", "an equation is written as left - right"}},
    {.label = "holonomic_with_velocity",
     .model = particle("holonomic = [\"x - y'\"]\n"),
     .says = {"m.toml:3:14: ", "holonomic constraint 1 contains y', a velocity", "belongs to the constraints"}},
    {.label = "holonomic_without_coordinate",
     .model = particle("holonomic = [\"m - 1\"]\n[parameters]\nm = 1\n"),
     .says = {"m.toml:3:14: ", "holonomic constraint 1 contains no coordinate"}},

    {.label = "symmetry_that_is_no_coordinate",
     .model = particle("[symmetry]\nfibre = [\"phi\"]\n"),
     .says = {"m.toml:4:10: ", "'phi' in fibre is not a coordinate", "the coordinates are x, y, z"}},
    {.label = "misspelt_symmetry",
     .model = "coordinates = [\"theta\"]\nlagrangian = \"theta'^2\"\n[symmetry]\nfibre = [\"tehta\"]\n",
     .says = {"m.toml:4:10: ", "'tehta' in fibre is not a coordinate", "did you mean 'theta'?"}},
    {.label = "misspelt_angle",
     .model = "coordinates = [\"theta\"]\nangles = [\"tehta\"]\nlagrangian = \"theta'^2\"\n",
     .says = {"m.toml:2:11: ", "'tehta' in angles is not a coordinate", "did you mean 'theta'?"}},
    {.label = "unknown_group",
     .model = particle("[symmetry]\ngroup = \"SU(2)\"\n"),
     .says = {"m.toml:4:9: ", "the group 'SU(2)' is not known", "there are SE(2) and SO(3)",
              "or list a fibre of coordinates or generators"}},
    {.label = "group_that_acts_on_nothing",
     .model = particle("[symmetry]\ngroup = \"SE(2)\"\n"),
     .says = {"m.toml:4:9: ", "SE(2) needs acts_on = [x, y, angle]"}},
    {.label = "group_that_acts_on_too_little",
     .model = particle("[symmetry]\ngroup = \"SE(2)\"\nacts_on = [\"x\", \"y\"]\n"),
     .says = {"m.toml:5:11: ", "SE(2) acts on three coordinates [x, y, angle], found 2"}},
    {.label = "position_of_wrong_dimension",
     .model = particle("[initial]\nq = [1]\n"),
     .says = {"m.toml:4:5: ", "q has 1 entries, expected 3", "one for each of x, y, z"}},
    {.label = "velocity_of_wrong_dimension",
     .model = particle("[initial]\nq = [1, 0, 0]\nv = [1, 0, 0, 0]\n"),
     .says = {"m.toml:5:5: ", "v has 4 entries, expected 3", "one for each of x, y, z"}},
};

// ---------------------------------------------------------------------------------------------------------------------
// Where the motion cannot start, or cannot go on

const std::string circle =
    "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(x'^2 + y'^2)\"\nholonomic = [\"x^2 + y^2 - 1\"]\n";

const std::vector<WrongInput> motions{
    {.label = "zero_mass",
     .model = "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(x'^2 + m*y'^2)\"\n[parameters]\nm = 0\n[initial]\nq = "
              "[0, 0]\n",
     .says = {"the Lagrangian is not regular", "(y: ", "no inertia", "is a mass or a moment of inertia zero?"}},
    {.label = "inconsistent_velocity",
     .model = particle("constraints = [\"z' - y*x'\"]\n[initial]\nq = [0, 1, 0]\nv = [1, 0, 0]\n"),
     .says = {"the initial data violate the constraints", "constraint 1 (0 = z' - x'*y): the velocity gives -1",
              "v = [0.5, 0, 0.5]", "--v0", "--project"}},
    {.label = "inconsistent_velocity_on_the_command_line",
     .command = "rattleback run quadratic-particle --v0 0,1,2",
     .says = {"the velocity gives 2", "v = [0, 1, 0]", "--v0", "--project"}},
    {.label = "inconsistent_position",
     .model = circle + "[initial]\nq = [2, 0]\nv = [0, 1]\n",
     .says = {"the initial data violate the constraints",
              "holonomic constraint 1 (0 = x^2 + y^2 - 1): the position gives 3", "q = [1, 0]", "--q0", "--project"}},
    {.label = "constraint_that_no_position_satisfies",  // there is no state that --project could use
     .model = "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(x'^2 + y'^2)\"\nholonomic = [\"x^2 + y^2 + "
              "1\"]\n[initial]\nq = [1, 0]\n",
     .says = {"the position gives 2", "No consistent state was found"},
     .never = {"let --project use it"}},
    {.label = "rank_deficient_at_the_start_only",  // the first constraint depends on none before it: it vanishes
     .model = particle("constraints = [\"x*y' - y*x'\", \"z' - x*x'\"]\n[initial]\nq = [0, 0, 0]\n"),
     .says = {"rank 1 at q = [0, 0, 0] and 2 elsewhere", "constraint 1", "vanishes", "start from another position"}},
    {.label = "dependent_at_the_start_only",
     .model = particle("constraints = [\"z' - y*x'\", \"z' - 2*y*x' + y*y'\"]\n[initial]\nq = [1, 0, 0]\n"),
     .says = {"rank 1 at q = [1, 0, 0] and 2 elsewhere", "constraint 2", "depends on those before it",
              "start from another position"}},
    {.label = "redundant_everywhere",
     .model = particle("constraints = [\"z' - y*x'\", \"2*z' - 2*y*x'\"]\n[initial]\nq = [1, 2, 3]\n"),
     .says = {"constraint 2 (0 = 2*z' - 2*x'*y) is redundant", "everywhere", "remove it"}},
    {.label = "more_constraints_than_coordinates",
     .model = line("x'^2", "constraints = [\"x'\", \"x*x'\"]\n[initial]\nq = [1]\n"),
     .says = {"constraint 2", "is redundant", "remove it"}},
    {.label = "logarithm_of_a_negative_number",
     .model = line("0.5*x'^2 + log(x)", "[initial]\nq = [-1]\n"),
     .says = {"the initial state is outside the domain of the model", "log(x)",
              "change the initial data or the parameters"}},
    {.label = "division_by_zero_at_the_start",
     .model = line("0.5*x'^2 + 1/x", "[initial]\nq = [0]\n"),
     .says = {"the initial state is outside the domain of the model", "1/x",
              "change the initial data or the parameters"}},
    {.label = "constraint_undefined_at_the_start",
     .model = particle("constraints = [\"x'/y\"]\n[initial]\nq = [0, 0, 0]\n"),
     .says = {"the initial state is outside the domain of the model", "x'/y is",
              "change the initial data or the parameters"}},

    // The particle falls into x = 0 at t = 1/√2.
    {.label = "reference_into_a_singularity",
     .model = line("0.5*x'^2 + 1/x^2", "[initial]\nq = [1]\n"),
     .command = "rattleback run m.toml -m reference --step 0.01 --time 10 -o a.csv --quiet",
     .status = numerics_failed,
     .says = {"the run failed in step 71 of 1000, from t = 0.7 with h = 0.01", "t = 0.707", "singularity",
              "Everything up to there is in a.csv"},
     .afterwards = "test $(wc -l < a.csv) -eq 72 && tail -1 a.csv | grep -q '^0.7' && ! test -e a.csv.checkpoint"},
    {.label = "reference_into_a_singularity_as_hdf5",
     .model = line("0.5*x'^2 + 1/x^2", "[initial]\nq = [1]\n"),
     .command = "rattleback run m.toml -m reference --step 0.01 --time 10 -o a.h5 --quiet",
     .status = numerics_failed,
     .says = {"the run failed in step 71", "Everything up to there is in a.h5"},
     .afterwards = "test -s a.h5 && ! test -e a.h5.rows && ! test -e a.h5.checkpoint"},
    {.label = "rk4_out_of_the_domain",
     .model = line("0.5*x'^2 - sqrt(x)", "[initial]\nq = [1]\nv = [-1]\n"),
     .command = "rattleback run m.toml -m rk4 --step 0.3 --steps 1000 -o a.csv --quiet",
     .status = numerics_failed,
     .says = {"the run failed in step 3 of 1000, from t = 0.6", "the equation of motion of x", "infinite or undefined",
              "Everything up to there is in a.csv"},
     .afterwards = "test $(wc -l < a.csv) -eq 4"},
    {.label = "rk4_to_infinity",  // t = 2 is the last row that is finite: the step from there fails, the fifth
     .model = line("0.5*x'^2 + 0.25*x^4", "[initial]\nq = [1]\nv = [1]\n"),
     .command = "rattleback run m.toml -m rk4 --step 0.5 --steps 1000 -o a.csv --quiet",
     .status = numerics_failed,
     .says = {"the run failed in step 5 of 1000, from t = 2 with h = 0.5", "smaller step",
              "Everything up to there is in a.csv"},
     .afterwards = "test $(wc -l < a.csv) -eq 6 && tail -1 a.csv | grep -q '^2,'"},
    {.label = "compare_with_one_that_fails",
     .model = line("0.5*x'^2 + 1/x^2", "[initial]\nq = [1]\n"),
     .command = "rattleback compare m.toml -m rk4,reference --step 0.01 --time 10 --quiet",
     .status = numerics_failed,
     .says = {"not all methods reached the end", "reference failed in step 71 of 1000", "singularity"}},
};

// ---------------------------------------------------------------------------------------------------------------------
// Files of results, and runs that go on

const std::string short_run = "rattleback run quadratic-particle -m rk4 --steps 10 --quiet";

const std::vector<WrongInput> results{
    {.label = "unknown_format",
     .command = short_run + " -o a.txt",
     .says = {"the format of -o 'a.txt' is not known", "must end with .h5, .hdf5 or .csv"},
     .afterwards = "! test -e a.txt"},
    {.label = "no_format",
     .command = short_run + " -o a",
     .says = {"the format of -o 'a' is not known", "must end with .h5, .hdf5 or .csv"}},
    {.label = "output_without_name",  // an empty variable of a script must not lose the results
     .command = short_run + " -o ''",
     .says = {"-o"}},
    {.label = "output_into_no_directory",
     .command = short_run + " -o nowhere/a.csv",
     .status = files_or_system,
     .says = {"cannot write to nowhere/a.csv", "No such file or directory", "does the directory exist?"}},
    {.label = "output_into_no_directory_as_hdf5",
     .command = short_run + " -o nowhere/a.h5",
     .status = files_or_system,
     .says = {"cannot write to nowhere/a.h5", "No such file or directory", "does the directory exist?"}},
    {.label = "output_is_a_directory",
     .before = "mkdir a.csv",
     .command = short_run + " -o a.csv",
     .status = files_or_system,
     .says = {"a.csv is a directory, expected a file"}},
    {.label = "output_through_a_file",
     .before = "touch a",
     .command = short_run + " -o a/b.csv",
     .status = files_or_system,
     .says = {"cannot write to a/b.csv", "Not a directory"}},
    {.label = "full_disk_csv",  // nothing was saved that --resume could continue
     .before = "ln -s /dev/full a.csv",
     .command = short_run + " -o a.csv",
     .status = files_or_system,
     .says = {"cannot write to a.csv", "No space left on device", "free some space"},
     .never = {"--resume"}},
    {.label = "full_disk_hdf5",
     .before = "ln -s /dev/full a.h5.rows",
     .command = short_run + " -o a.h5",
     .status = files_or_system,
     .says = {"cannot write to a.h5.rows", "No space left on device", "free some space"},
     .never = {"--resume"}},
    {.label = "full_disk_at_the_end_of_hdf5",  // here everything is saved but the last file
     .before = "ln -s /dev/full a.h5.new",
     .command = short_run + " -o a.h5",
     .status = files_or_system,
     .says = {"cannot write to a.h5", "No space left on device", "free some space", "--resume"},
     .afterwards = "test -s a.h5.rows && test -s a.h5.checkpoint"},
    {.label = "full_disk_checkpoint",
     .before = "ln -s /dev/full a.csv.checkpoint.new",
     .command = short_run + " -o a.csv",
     .status = files_or_system,
     .says = {"cannot write to a.csv.checkpoint", "No space left on device", "free some space"},
     .never = {"--resume"}},
    {.label = "full_disk_during_resume",  // the checkpoint stays, and --resume is the remedy
     .before = unfinished("a.csv") + "ln -s /dev/full a.csv.checkpoint.new",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"cannot write to a.csv.checkpoint", "No space left on device", "free some space",
              "continue it with --resume"},
     .afterwards = "test -s a.csv.checkpoint"},
    {.label = "full_standard_output",  // a cut table must not pass for a whole one
     .command = "rattleback models > /dev/full",
     .status = files_or_system,
     .says = {"standard output", "No space left on device"}},
    {.label = "full_standard_output_of_a_run",
     .command = "rattleback run quadratic-particle -m rk4 --steps 10 --json > /dev/full",
     .status = files_or_system,
     .says = {"standard output", "No space left on device"}},

    {.label = "fresh_run_over_an_unfinished_one",
     .before = unfinished("a.csv") + "cp a.csv.rows kept.rows; cp a.csv.checkpoint kept.checkpoint",
     .command = short_run + " -o a.csv",
     .says = {"a.csv.checkpoint belongs to an unfinished run", "--resume", "--force"},
     .afterwards = "cmp a.csv.rows kept.rows && cmp a.csv.checkpoint kept.checkpoint"},
    {.label = "output_of_a_run_that_is_under_way",
     .before = long_run +
               " -o a.csv & echo $! > pid; for i in $(seq 500); do [ -e a.csv.checkpoint ] && break; sleep 0.01; done",
     .command = short_run + " -o a.csv --force",
     .status = files_or_system,
     .says = {"a.csv.rows is being written by another run"},
     .afterwards = "kill -9 $(cat pid) && test -s a.csv.checkpoint"},
    {.label = "resume_without_output",
     .command = short_run + " --resume",
     .says = {"--resume needs the file of the run that is to be resumed", "-o FILE"}},
    {.label = "resume_and_force",
     .command = short_run + " -o a.csv --resume --force",
     .says = {"--resume continues and --force starts anew", "give one"}},
    {.label = "nothing_to_resume",
     .command = short_run + " -o a.csv --resume",
     .says = {"there is no checkpoint a.csv.checkpoint to resume from", "start without --resume"},
     .afterwards = "! test -e a.csv"},
    {.label = "resume_what_is_finished",
     .before = short_run + " -o a.csv",
     .command = short_run + " -o a.csv --resume",
     .says = {"there is no checkpoint a.csv.checkpoint", "a finished run leaves none"},
     .afterwards = "test $(wc -l < a.csv) -eq 12"},
    {.label = "resume_with_another_step",
     .before = unfinished("a.csv"),
     .command = long_run + " -o a.csv --resume --step 0.1",
     .says = {"a.csv.checkpoint belongs to another run", "its step was 0.2, now it is 0.1", "use the same options",
              "--force"},
     .afterwards = "test -s a.csv.checkpoint"},
    {.label = "resume_with_another_method",
     .before = unfinished("a.h5"),
     .command = "rattleback run quadratic-particle -m reference --steps 2000000000 --every 1000000 -o a.h5 --resume",
     .says = {"a.h5.checkpoint belongs to another run", "its method was rk4, now it is reference",
              "use the same options", "--force"}},
    {.label = "resume_with_another_start",
     .before = unfinished("a.csv"),
     .command = long_run + " -o a.csv --resume --q0 2,0,0",
     .says = {"a.csv.checkpoint belongs to another run", "initial position", "was 1, now it is 2",
              "use the same options", "--force"}},
    {.label = "resume_with_another_model",
     .before = unfinished("a.csv"),
     .command = "rattleback run chaplygin-sleigh -m rk4 --steps 2000000000 --every 1000000 -o a.csv --resume",
     .says = {"its model was quadratic-particle, now it is chaplygin-sleigh", "use the same options", "--force"}},
    {.label = "resume_after_the_model_has_changed",
     .model = particle("[initial]\nq = [1, 0, 0]\nv = [0, 1, 0]\n"),
     .before = "rattleback run m.toml -m rk4 --step 0.1 --steps 2000000000 --every 1000000 -o a.csv --quiet & pid=$!\n"
               "for i in $(seq 500); do [ -e a.csv.checkpoint ] && break; sleep 0.01; done\nkill -9 $pid; wait $pid\n"
               "sed -i 's/- x^2/- 2*x^2/' m.toml",
     .command = "rattleback run m.toml -m rk4 --step 0.1 --steps 2000000000 --every 1000000 -o a.csv --quiet --resume",
     .says = {"a.csv.checkpoint belongs to another run", "model has changed", "--force"}},
    {.label = "checkpoint_cut",
     .before = unfinished("a.csv") + "head -c 700 a.csv.checkpoint > cut; mv cut a.csv.checkpoint",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"the checkpoint a.csv.checkpoint is damaged", "its checksum is wrong", "--force"}},
    {.label = "checkpoint_with_one_byte_changed",
     .before = unfinished("a.csv") + "sed -i 's/\"step_size\": 0.2/\"step_size\": 0.3/' a.csv.checkpoint",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"the checkpoint a.csv.checkpoint is damaged", "its checksum is wrong", "--force"}},
    {.label = "checkpoint_that_is_none",
     .before = "echo Dear diary > a.csv.checkpoint; touch a.csv",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"the checkpoint a.csv.checkpoint is damaged", "its first line is not that of a checkpoint", "--force"}},
    {.label = "checkpoint_empty",
     .before = ": > a.csv.checkpoint; touch a.csv",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"the checkpoint a.csv.checkpoint is damaged", "its first line is not that of a checkpoint", "--force"}},
    {.label = "checkpoint_is_a_directory",
     .before = "mkdir a.csv.checkpoint",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"a.csv.checkpoint", "directory"},
     .never = {"basic_filebuf"}},
    {.label = "rows_cut",
     .before = unfinished("a.csv") + "head -c 50 a.csv.rows > cut; mv cut a.csv.rows",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"a.csv.rows has 50 bytes", "were recorded when the checkpoint was written", "--force"}},
    {.label = "rows_cut_hdf5",
     .before = unfinished("a.h5") + ": > a.h5.rows",
     .command = long_run + " -o a.h5 --resume",
     .status = files_or_system,
     .says = {"a.h5.rows has 0 bytes", "were recorded when the checkpoint was written", "--force"}},
    {.label = "rows_lost",  // looking for them must not create them
     .before = unfinished("a.csv") + "rm a.csv.rows",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"a.csv.rows is missing", "--force"},
     .afterwards = "! test -e a.csv.rows"},
    {.label = "rows_edited",
     .before = unfinished("a.csv") + "sed -i '2s/^0,/7,/' a.csv.rows; cp a.csv.rows kept.rows",
     .command = long_run + " -o a.csv --resume",
     .status = files_or_system,
     .says = {"a.csv.rows was changed since the checkpoint was written", "checksum", "put the file back", "--force"},
     .afterwards = "cmp a.csv.rows kept.rows"},
    {.label = "rows_edited_hdf5",
     .before = unfinished("a.h5") + "printf X | dd of=a.h5.rows bs=1 seek=3 conv=notrunc 2>/dev/null",
     .command = long_run + " -o a.h5 --resume",
     .status = files_or_system,
     .says = {"a.h5.rows was changed since the checkpoint was written", "checksum", "put the file back", "--force"}},
};

// ---------------------------------------------------------------------------------------------------------------------

/// Whether a text may go to a terminal: UTF-8 without control characters other than the end of a line.
bool is_printable(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80U   ? 1
                               : first < 0xC2U ? 0
                               : first < 0xE0U ? 2
                               : first < 0xF0U ? 3
                               : first < 0xF5U ? 4
                                               : 0;
    if (length == 0 || i + length > text.size()) return false;
    if ((first < 0x20U && first != '\n') || first == 0x7FU) return false;
    if (first == 0xC2U && static_cast<unsigned char>(text[i + 1]) < 0xA0U) return false;  // U+0080 to U+009F
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
    }
    i += length;
  }
  return true;
}

/// A directory of its own for each test; the command is found on the path under the name that users type.
class WrongInputs : public testing::TestWithParam<WrongInput> {
 protected:
  void SetUp() override { ASSERT_EQ(fs::path(rattleback::test::rattleback_command()).filename(), "rattleback"); }

  /// Runs shell commands in the directory; what never ends is ended.
  int shell(const std::string& commands, const std::string& name) const {
    std::ofstream(directory_ / (name + ".sh"))
        << "PATH='" << fs::path(rattleback::test::rattleback_command()).parent_path().string() << "':$PATH\n"
        << commands << "\n";
    const std::string in_directory = "cd '" + directory_.string() + "' && LC_ALL=C timeout 10 sh " + name + ".sh >" +
                                     name + ".stdout 2>" + name + ".stderr";
    const int status = std::system(in_directory.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  TemporaryFolder folder_;
  fs::path directory_ = folder_.path();
};

TEST_P(WrongInputs, gets_the_status_and_a_message_with_place_cause_and_remedy) {
  const WrongInput& wrong = GetParam();
  if (!wrong.model.empty()) std::ofstream(directory_ / "m.toml", std::ios::binary) << wrong.model;
  if (!wrong.before.empty()) shell(wrong.before, "before");
  const int status = shell(wrong.command, "command");
  const std::string message = content(directory_ / "command.stderr");
  SCOPED_TRACE(wrong.command + "\n" + message);

  EXPECT_EQ(status, wrong.status) << (status == 124 ? "it did not end" : "");
  for (const std::string& fragment : wrong.says) EXPECT_TRUE(contains(message, fragment));
  for (const std::string& fragment : wrong.never)
    EXPECT_FALSE(contains(message, fragment)) << "misleading: " << fragment;

  // What holds for every message: it says who speaks, once, and it is fit for a terminal and for people.
  EXPECT_TRUE(message.starts_with("rattleback: "));
  EXPECT_FALSE(contains(message, "\nrattleback: "));
  EXPECT_TRUE(is_printable(message)) << "control characters or broken UTF-8";
  EXPECT_FALSE(contains(message, "-nan")) << "a number that is none has no sign";
  if (wrong.status == wrong_request) {
    EXPECT_EQ(content(directory_ / "command.stdout"), "") << "standard output is for answers";
  }
  EXPECT_EQ(shell(wrong.afterwards, "afterwards"), 0) << wrong.afterwards;
}

std::string label_of(const testing::TestParamInfo<WrongInput>& info) { return info.param.label; }

INSTANTIATE_TEST_SUITE_P(CommandLine, WrongInputs, testing::ValuesIn(command_line), label_of);
INSTANTIATE_TEST_SUITE_P(ModelFile, WrongInputs, testing::ValuesIn(model_files), label_of);
INSTANTIATE_TEST_SUITE_P(ModelText, WrongInputs, testing::ValuesIn(model_texts), label_of);
INSTANTIATE_TEST_SUITE_P(Motion, WrongInputs, testing::ValuesIn(motions), label_of);
INSTANTIATE_TEST_SUITE_P(Result, WrongInputs, testing::ValuesIn(results), label_of);

}  // namespace
