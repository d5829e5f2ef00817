// The inverse problem as its users meet it: `analyse`, `analyse --lagrangian`, `show --free`, the methods free and
// free-modified.

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.hpp"

namespace inverse_test {

using namespace rattleback::test;
using nlohmann::json;

constexpr const char* particle_lagrangian = "\"0.5*x'^2 + 0.5*sqrt(1 + x^2)*(y'^2/x' + z'^2/(x*x'))\"";

json inverse(const Workplace& desk, const std::string& model) {
  return desk.document("analyse " + model).at("inverse_problem");
}

TEST(InverseProblem, of_the_catalogue_is_what_the_documents_say) {
  const Workplace desk;
  const std::map<std::string, std::vector<std::string>> members{
      {"free-particle", {"y", "x", "z"}},       {"free-particle-x", {"x", "y", "z"}},
      {"sinusoidal-particle", {"x", "y", "z"}}, {"knife-edge", {"phi", "x", "y"}},
      {"rolling-disk", {"phi", "theta", "x"}},  {"two-wheeled-carriage --set l=0", {"theta", "psi1", "x"}}};
  for (const auto& [model, names] : members) {
    SCOPED_TRACE(model);
    const json d = inverse(desk, model);
    EXPECT_EQ(d.at("class").at("r1"), names[0]);
    EXPECT_EQ(d.at("class").at("r2"), names[1]);
    EXPECT_EQ(d.at("class").at("s")[0], names[2]);
    EXPECT_EQ(d.at("free_lagrangians").size(), d.at("class").at("N_is_constant").get<bool>() ? 2U : 1U);
    for (const json& f : d.at("free_lagrangians")) EXPECT_LE(f.at("residual"), 1e-12);
    for (const json& s : d.at("systems")) {
      const std::string name = s.at("name");
      if (!name.starts_with("the associated")) continue;
      EXPECT_EQ(s.at("regular_multiplier").get<bool>(), name == "the associated system (5)") << name;
    }
  }
  for (const char* model : {"knife-edge-incline", "mobile-robot", "quadratic-particle", "harmonic-particle-x"}) {
    SCOPED_TRACE(model);
    const json d = inverse(desk, model);
    EXPECT_TRUE(d.at("free_lagrangians").empty());
    EXPECT_EQ(d.at("systems").back().at("name"), "the associated system (14)");
    EXPECT_FALSE(d.at("systems").back().at("regular_multiplier").get<bool>());
  }
  for (const char* model : {"snakeboard", "chaplygin-sleigh", "veselova", "cart-pendulum", "ball-on-turntable"}) {
    SCOPED_TRACE(model);
    const json d = inverse(desk, model);
    EXPECT_TRUE(d.at("class").is_null());
    EXPECT_FALSE(d.at("reason").get<std::string>().empty());
  }
}

TEST(InverseProblem, of_equations_of_ones_own_is_asked_by_forces) {
  const Workplace desk;
  desk.add("separate",
           "coordinates = ['x', 'y']\nlagrangian = \"0.5*(x'^2 + y'^2)\"\n"
           "[forces]\nx = \"-0.3*x' - x\"\ny = \"-2*y\"\n");
  EXPECT_TRUE(contains(desk("analyse separate.toml").out, "not excluded: the Helmholtz conditions leave 2 of 3"));
  desk.add("own", "coordinates = ['x', 'y']\nlagrangian = \"0.5*(x'^2 + y'^2) - x*y\"\n");
  const Answer own = desk("analyse own.toml");
  EXPECT_EQ(own.status, 0);
  EXPECT_TRUE(contains(own.out, "there are no constraints: it is that of its own"));
}

TEST(InverseProblem, is_solved_by_the_own_lagrangian_where_constraints_exert_no_force) {
  const Workplace desk;
  desk.add("lines",
           "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n"
           "constraints = [\"z' - y*x' + x*y'\"]\n[initial]\nq = [1, 0, 0]\nv = [0, 1, -1]\n");
  const std::string text = desk("analyse lines.toml").out;
  EXPECT_TRUE(contains(text, "yes, its own: the forces of the constraints vanish")) << text;
  EXPECT_TRUE(contains(text, "no other free Lagrangian is known"));
  EXPECT_TRUE(inverse(desk, "lines.toml").at("own_lagrangian").at("is_free_lagrangian").get<bool>());
  for (const char* model : {"free-particle-x", "rolling-disk", "chaplygin-sleigh"}) {
    EXPECT_FALSE(inverse(desk, model).at("own_lagrangian").at("is_free_lagrangian").get<bool>()) << model;
  }
}

TEST(GivenLagrangian, is_answered_by_text_json_and_status) {
  const Workplace desk;
  const Answer right = desk(std::string("analyse free-particle-x --lagrangian ") + particle_lagrangian);
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_TRUE(contains(right.out, "every motion of the system satisfies its Euler-Lagrange equations"));
  EXPECT_TRUE(contains(right.out, "its Hessian is infinite where x = 0 or x' = 0"));
  EXPECT_TRUE(contains(right.out, "are not those of the associated system (4)"));

  const Answer wrong = desk("analyse free-particle-x --lagrangian \"0.5*(x'^2 + y'^2 + z'^2)\"");
  EXPECT_EQ(wrong.status, answer_is_no);
  EXPECT_TRUE(contains(wrong.out, "the system does not move by its Euler-Lagrange equations"));
  EXPECT_TRUE(contains(wrong.err, "no regular free Lagrangian"));

  const Answer singular = desk("analyse free-particle-x --lagrangian \"0.5*x'^2\"");
  EXPECT_EQ(singular.status, answer_is_no);
  EXPECT_TRUE(contains(singular.out, "singular: the smallest singular value of its Hessian is 0.0e+00"));

  const json d = desk.document(std::string("analyse free-particle-x --lagrangian ") + particle_lagrangian);
  EXPECT_TRUE(d.at("given_lagrangian").at("is_free_lagrangian").get<bool>());
  EXPECT_EQ(d.at("given_lagrangian").at("poles"), (json{"x", "x'"}));
  const Answer no = desk("analyse free-particle-x --lagrangian \"x'^2\" --json");
  EXPECT_EQ(no.status, answer_is_no);
  EXPECT_FALSE(json::parse(no.out).at("given_lagrangian").at("is_free_lagrangian").get<bool>());
  const Answer quiet = desk("analyse free-particle-x --quiet --lagrangian \"x'^2\"");
  EXPECT_EQ(quiet.status, answer_is_no);
  EXPECT_TRUE(quiet.out.empty());
}

TEST(GivenLagrangian, that_is_none_gets_the_place) {
  const Workplace desk;
  const auto refused = [&](const std::string& text, const std::vector<std::string>& says) {
    const Answer a = desk("analyse free-particle-x --lagrangian \"" + text + "\"");
    EXPECT_EQ(a.status, wrong_request) << text;
    for (const std::string& part : says) EXPECT_TRUE(contains(a.err, part));
  };
  refused("0.5*x'^2 +", {"--lagrangian:1:"});
  refused("0.5*(x'^2", {"--lagrangian:1:"});
  refused("0.5*w'^2", {"--lagrangian:1:5: unknown name 'w'"});
  refused("inertia*x'^2", {"unknown name 'inertia'", "coordinates, velocities and parameters"});
  refused("x''^2", {"--lagrangian:1:"});
  refused("", {"--lagrangian"});
  const Answer both = desk("analyse free-particle-x --latex --lagrangian \"x'^2\"");
  EXPECT_EQ(both.status, wrong_request);
}

TEST(GivenLagrangian, that_is_singular_is_not_called_the_lagrangian_of_equations) {
  const Workplace desk;
  for (const char* text : {"3", "x'", "0.5*x'^2"}) {
    const Answer a = desk(std::string("analyse free-particle-x --lagrangian \"") + text + "\"");
    EXPECT_EQ(a.status, answer_is_no);
    EXPECT_TRUE(contains(a.out, "the associated system (4) satisfies its equations"));
    EXPECT_FALSE(a.out.find("its equations are those of the associated system (4)") != std::string::npos);
  }
}

TEST(InverseProblem, of_systems_without_any_dependence_on_positions_is_answered) {
  const Workplace desk;
  desk.add("flat",
           "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\nconstraints = [\"z' + 2*y'\"]\n");
  const Answer a = desk("analyse flat.toml");
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(contains(a.out, "the constraints depend on no coordinate: they are integrable"));
  EXPECT_TRUE(contains(a.out, "no coordinate is left when all translations are divided out"));
}

// Symbols of the answer are not those of the model.
TEST(ShowFree, avoids_names_of_the_model) {
  const Workplace desk;
  desk.add(
      "names",
      "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + C_y*y'^2 + z'^2)\"\n"
      "constraints = [\"z' + x*y'*p_x\"]\n[parameters]\nC_y = 2\np_x = 3\n[initial]\nq = [1, 0, 0]\nv = [1, 1, -3]\n");
  const std::string hamiltonian = desk.document("show names.toml --free").at("free_lagrangians")[0].at("hamiltonian");
  EXPECT_TRUE(contains(hamiltonian, "p_x_ + "));
  EXPECT_TRUE(contains(hamiltonian, "C_y_"));
}

TEST(ShowFree, prints_lagrangians_hamiltonians_and_constraints) {
  const Workplace desk;
  const Answer text = desk("show rolling-disk --free");
  EXPECT_EQ(text.status, 0);
  for (const char* part :
       {"Free Lagrangian (6)", "Free Lagrangian (7)", "0 = C_theta*p_x + C_x*p_theta", "A_x = -R*cos(phi)"})
    EXPECT_TRUE(contains(text.out, part));
  const Answer latex = desk("show rolling-disk --free --latex");
  EXPECT_TRUE(contains(latex.out, "\\tilde{H} &= "));
  const json d = desk.document("show rolling-disk --free");
  EXPECT_EQ(d.at("free_lagrangians").size(), 2U);
  EXPECT_EQ(d.at("free_lagrangians")[0].at("constants").size(), 3U);
  EXPECT_EQ(d.at("free_lagrangians")[1].at("constants").size(), 2U);
  const Answer none = desk("show mobile-robot --free");
  EXPECT_EQ(none.status, answer_is_no);
  EXPECT_TRUE(contains(none.err, "potential"));
}

// What --free prints is a model like any other: del integrates it to where free does.
TEST(ShowFree, says_no_by_its_exit_status_when_it_is_quiet) {
  const Workplace desk;
  EXPECT_EQ(desk("show chaplygin-sleigh --free --quiet").status, 1);
  EXPECT_EQ(desk("show knife-edge --free --quiet").status, 0);
  EXPECT_EQ(desk("analyse cart-pendulum --latex --quiet").status, 1);
}

TEST(ShowFree, lagrangians_are_models_themselves) {
  const Workplace desk;
  const json d = desk.document("show free-particle-x --free");
  const std::string lagrangian = d.at("free_lagrangians")[0].at("lagrangian");
  desk.add("written", "coordinates = ['x', 'y', 'z']\nlagrangian = \"" + lagrangian +
                          "\"\n[parameters]\nC_y = 0.01\nC_z = 0.01\n");
  const std::string start = " --q0 1,0,0 --v0 1,1,-1 --step 0.05 --time 2";
  const json written = desk.document("run written.toml -m del" + start);
  const json free = desk.document("run free-particle-x -m free:C=0.01:start=momentum" + start);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(written.at("q")[i], free.at("q")[i].get<double>(), 1e-11);
}

/// The column "from reference", which docs/inverse.md quotes.
void expect_errors(const std::string& model, const std::vector<double>& free, const std::vector<double>& dla) {
  const Workplace desk;
  const char* const alphas[] = {":alpha=0", ":alpha=0.2", ":alpha=0.3333", "", ":alpha=0.6667", ":alpha=0.8"};
  std::string methods = "reference";
  for (const char* method : {",free", ",dla"}) {
    for (const char* alpha : alphas) methods += std::string(method) + alpha;
  }
  const json d = desk.document("compare " + model + " -m " + methods + " --step 0.1 --time 10");
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(d.at("methods")[1 + k].at("from_reference"), free[k], 0.02 * free[k]) << model << alphas[k];
    EXPECT_NEAR(d.at("methods")[7 + k].at("from_reference"), dla[k], 0.02 * dla[k]) << model << alphas[k];
  }
}

TEST(Free, depends_on_alpha_as_the_documents_say) {
  expect_errors("free-particle-x", {0.0505, 0.0298, 0.0163, 0.000415, 0.0168, 0.0298},
                {0.387, 0.230, 0.125, 0.00629, 0.138, 0.244});
  expect_errors("knife-edge", {0.0478, 0.0288, 0.0161, 0.0002, 0.0159, 0.0288},
                {0.302, 0.183, 0.102, 0.000799, 0.106, 0.191});
}

TEST(Free, methods_tell_why_they_cannot_run) {
  const Workplace desk;
  const Answer still = desk("run rolling-disk -m free --q0 0,0,0,0 --v0 1,0,1,0");
  EXPECT_EQ(still.status, wrong_request);
  EXPECT_TRUE(contains(still.err, "the velocity of phi, by which the free Lagrangian is divided, vanishes"));
  const Answer potential = desk("run mobile-robot -m free");
  EXPECT_EQ(potential.status, wrong_request);
  EXPECT_TRUE(contains(potential.err, "none is known for systems with a potential"));
  const Answer large = desk("run rolling-disk -m free-modified:C=1:alpha=0 --step 0.1 --steps 1000 -o large.csv");
  EXPECT_EQ(large.status, numerics_failed);
  EXPECT_TRUE(contains(large.err, "constants C"));
  EXPECT_GT(std::stoi(shell("wc -l < '" + (desk / "large.csv") + "'").output), 30);  // what was reached is kept
  const Answer compared = desk("compare rolling-disk -m reference,free --q0 0,0,0,0 --v0 1,0,1,0");
  EXPECT_EQ(compared.status, 0);  // the others have run
  EXPECT_TRUE(contains(compared.out, "  free       does not apply: the method cannot start here"));
  const json constants = desk.document("run knife-edge -m free --steps 3");
  EXPECT_TRUE(contains(constants.dump(), "C_x"));
  const Answer mean = desk("run rolling-disk -m free:mean=both");
  EXPECT_EQ(mean.status, wrong_request);
  EXPECT_TRUE(contains(mean.err, "mean must be one of direction, lagrangian, found 'both'"));
  const Answer option = desk("run rolling-disk -m free:c=1");
  EXPECT_EQ(option.status, wrong_request);
  EXPECT_TRUE(contains(option.err, "has no option 'c'"));
}

}  // namespace inverse_test
