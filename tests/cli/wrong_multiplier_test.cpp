// Names of constraints that stand for multipliers where they cannot.

#include "wrong_input.hpp"

namespace rattleback::test {
namespace wrong_multiplier_test {

WrongInput wrong_multiplier(const std::string& label, const std::string& rest, std::vector<std::string> says) {
  return {.label = "multiplier_" + label, .model = particle(rest), .says = std::move(says)};
}
const std::string slipping = "constraints = [{ slip = \"z' - y*x'\" }]\n";

const std::vector<WrongInput> multipliers{
    wrong_multiplier("in_a_constraint", "constraints = [{ slip = \"z' - slip*x'\" }]\n",
                     {"m.toml:3:31: ", "'slip' is a constraint: its multiplier may stand in [forces] only"}),
    wrong_multiplier("in_a_definition", slipping + "[definitions]\nN = \"abs(slip)\"\n",
                     {"m.toml:5:10: ", "'slip' is a constraint: its multiplier may stand in [forces] only"}),
    wrong_multiplier("in_the_text_of_a_function", slipping + "[definitions]\n\"rub(v)\" = \"abs(slip)*v\"\n",
                     {"m.toml:5:17: ", "'slip' is a constraint", "or be given to a function there"}),
    wrong_multiplier("in_an_input", slipping + "[inputs]\nbrake = \"abs(slip)\"\n",
                     {"m.toml:5:14: ", "'slip' is a constraint: its multiplier may stand in [forces] only"}),
    wrong_multiplier("in_an_event", slipping + "[events]\noff = { when = \"slip\" }\n",
                     {"m.toml:5:17: ", "'slip' is a constraint: its multiplier may stand in [forces] only"}),
    wrong_multiplier("in_a_conserved_quantity", slipping + "[conserved]\nforce = \"slip[1]\"\n",
                     {"m.toml:5:10: ", "'slip' is a constraint: its multiplier may stand in [forces] only"}),
    wrong_multiplier("in_a_start", slipping + "[initial]\nq = [\"slip\", 0, 0]\n",
                     {"m.toml:5:7: ", "'slip' is a constraint: its multiplier may stand in [forces] only"}),
    wrong_multiplier("rate", slipping + "[forces]\nx = \"-slip'\"\n",
                     {"m.toml:5:7: ", "the multiplier of a constraint, whose rate of change is not known"}),
    wrong_multiplier("rate_of_what_contains_it", slipping + "[forces]\nx = \"n = slip*y; n'\"\n",
                     {"m.toml:5:18: ", "the multiplier of a constraint, whose rate of change is not known"}),
    wrong_multiplier("component", "constraints = [{ slip = \"[z' - y*x', x' - y']\" }]\n[forces]\nx = \"-slip[3]\"\n",
                     {"m.toml:5:11: ", "the index 3 is not between 1 and 2"}),
    wrong_multiplier("vector", "constraints = [{ slip = \"[z' - y*x', x' - y']\" }]\n[forces]\nx = \"-slip*x'\"\n",
                     {"m.toml:5:6: ", "a scalar is expected here, found a vector of 2 components"}),
    wrong_multiplier("component_of_a_scalar", slipping + "[forces]\nx = \"-slip[1]*x'\"\n",
                     {"m.toml:5:7: ", "unknown name 'slip1'; did you mean 'slip'?"}),
    wrong_multiplier("by_number", "constraints = [\"z' - y*x'\"]\n[forces]\nx = \"-lambda1*x'\"\n",
                     {"m.toml:5:7: ", "'lambda1' is not known", "goes by the constraint's name",
                      "constraints = [{ slip = \"...\" }]"}),
    wrong_multiplier("by_index", slipping + "[forces]\nx = \"-λ[1]*x'\"\n",
                     {"m.toml:5:7: ", "'λ' is not known", "goes by the constraint's name"}),
    wrong_multiplier("by_column",
                     "constraints = [{ slip = \"[z' - y*x', x' - y']\" }]\n[forces]\nx = \"multiplier_slip2\"\n",
                     {"m.toml:5:6: ", "'multiplier_slip2' is a column of results; here this multiplier is slip[2]"}),
    wrong_multiplier("misspelt", slipping + "[forces]\nx = \"-slp*x'\"\n",
                     {"m.toml:5:7: ", "unknown name 'slp'; did you mean 'slip'?"}),
    wrong_multiplier("defined_again", slipping + "[forces]\nx = \"slip = 2; slip*x'\"\n",
                     {"m.toml:5:6: ", "'slip' has a meaning already"}),
    wrong_multiplier("called", slipping + "[forces]\nx = \"slip(x)\"\n",
                     {"m.toml:5:6: ", "'slip' is not a function", "a product is written slip*(...)"}),
    wrong_multiplier("named_like_a_coordinate", "constraints = [{ x = \"z' - y*x'\" }]\n",
                     {"m.toml:3:22: ", "the constraint x has a name that is taken", "rename it"}),
    wrong_multiplier("named_like_a_parameter", "constraints = [{ m = \"z' - y*x'\" }]\n[parameters]\nm = 1\n",
                     {"m.toml:3:22: ", "the constraint m has a name that is taken", "rename it"}),
    wrong_multiplier("named_like_a_definition", "constraints = [{ W = \"z' - y*x'\" }]\n[definitions]\nW = \"x\"\n",
                     {"m.toml:3:22: ", "the constraint W has a name that is taken", "rename it"}),
    wrong_multiplier("named_like_an_input", "holonomic = [{ u = \"z - y\" }]\n[inputs]\nu = \"sin(t)\"\n",
                     {"m.toml:3:20: ", "the constraint u has a name that is taken", "rename it"}),
    wrong_multiplier("named_like_time", "constraints = [{ t = \"z' - y*x'\" }]\n",
                     {"m.toml:3:22: ", "the constraint t has a name that is taken", "or the time; rename it"}),
    wrong_multiplier("of_two_constraints", slipping + "holonomic = [{ slip = \"[x, y]\" }]\n",
                     {"m.toml:4:23: ", "two constraints are called slip; rename one"}),
};

INSTANTIATE_TEST_SUITE_P(Multiplier, WrongInputs, testing::ValuesIn(multipliers), label_of);

}  // namespace wrong_multiplier_test
}  // namespace rattleback::test
