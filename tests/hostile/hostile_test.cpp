// Any file is read, or refused with a sentence: no signal, no hang, no words of our tools. RATTLEBACK_FAULTS makes so
// many times as many files; the seed is printed, and RATTLEBACK_SEED gives another one.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <set>

#include "mutation.hpp"
#include "rattleback/base/error.hpp"
#include "rattleback/ensemble/ensemble_file.hpp"
#include "rattleback/experiment/experiment.hpp"
#include "rattleback/experiment/quantity.hpp"
#include "rattleback/experiment/statement.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/method/method_spec.hpp"
#include "rattleback/model/model.hpp"
#include "tests/cli/command.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback {
namespace hostile_test {

using test::content;
using test::internal_wording;
using test::Mutation;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}
const std::uint64_t seed = from_environment("RATTLEBACK_SEED", 1);
const std::uint64_t times = from_environment("RATTLEBACK_FAULTS", 1);

std::vector<std::string> files_in(const std::string& folder) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_file(folder))) {
    if (entry.is_regular_file()) paths.insert(entry.path().string());
  }
  std::vector<std::string> texts;
  for (const std::string& path : paths) texts.push_back(content(path));
  return texts;
}

/// Reads many changed texts; what is thrown must be an error of ours, in plain words.
void expect_sentences(const std::vector<std::string>& texts, std::size_t count, const auto& read) {
  std::printf("seed %llu, %llu texts\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(count * times));
  Mutation mutation(seed, texts);
  for (std::size_t k = 0; k < count * times; ++k) {
    const std::string text = mutation(texts[mutation.below(texts.size())]);
    const std::clock_t begin = std::clock();
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(internal_wording(error.what(), text), "") << error.what() << "\n---\n" << text;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not an error of ours: " << error.what() << "\n---\n" << text;
    }
    EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC) << text;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(HostileFile, is_a_model_or_refused) {
  expect_sentences(files_in("models"), 2000, [](const std::string& text) { read_model(text, "hostile.toml"); });
}

TEST(HostileFile, is_an_ensemble_or_refused) {
  expect_sentences(files_in("tests/fuzz/corpus/ensemble"), 1000,
                   [](const std::string& text) { read_ensemble(text, "hostile.toml"); });
}

TEST(HostileFile, is_an_experiment_or_refused) {
  expect_sentences(files_in("experiments"), 1000,
                   [](const std::string& text) { read_experiment(text, "hostile.toml"); });
}

TEST(HostileFile, is_a_list_of_statements_or_refused) {
  const std::vector<Experiment> experiments = experiments_of("me");
  expect_sentences({content(test::source_file("experiments/me/statements.toml"))}, 200,
                   [&](const std::string& text) { read_statements(text, "hostile.toml", experiments); });
}

TEST(HostileText, is_a_method_or_refused) {
  expect_sentences({"dla:midpoint:order=4", "gni:alpha=0.3", "pthdel:order=4", "rk4", "reference:tol=1e-9",
                    "conformal:TT:sym_m2", "free:bal", "hdel:trapezoidal"},
                   5000, [](const std::string& text) { const MethodSpec spec = text; });
}

TEST(HostileText, is_a_quantity_or_refused) {
  expect_sentences(files_in("tests/fuzz/corpus/quantity"), 5000, [](const std::string& text) { parse_quantity(text); });
}

struct CommandCase {
  const char* name;
  const char* arguments;  ///< FILE is the file
  const char* corpus;
};
void PrintTo(const CommandCase& c, std::ostream* out) { *out << c.name; }

class HostileCommand : public testing::TestWithParam<CommandCase> {};

TEST_P(HostileCommand, ends_with_a_sentence) {
  const std::vector<std::string> texts = files_in(GetParam().corpus);
  Mutation mutation(seed, texts);
  const test::Workplace place;
  std::string arguments = GetParam().arguments;
  arguments.replace(arguments.find("FILE"), 4, "hostile.toml");
  for (std::size_t k = 0; k < 6 * times; ++k) {
    const std::string text = mutation(texts[mutation.below(texts.size())]);
    place.add("hostile", text);
    // Ten seconds of the processor, however many others want it; one that sleeps is found out later.
    const test::Result result = test::shell("cd '" + place.path() + "' && ulimit -t 10 && timeout -k 1 60 " +
                                            test::rattleback_command() + " " + arguments + " >out.txt 2>err.txt");
    const std::string err = content(place / "err.txt");
    EXPECT_LE(result.status, 4) << arguments << "\n"
                                << err << "\n---\n"
                                << text;  // 124 and 152 are hangs, 139 is a signal
    EXPECT_EQ(internal_wording(err, text), "") << arguments << "\n" << err << "\n---\n" << text;
    EXPECT_EQ(result.status == 0, err.find("rattleback: ") == std::string::npos) << arguments << "\n" << err;
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hostile, HostileCommand,
    testing::Values(CommandCase{"show", "show FILE", "models"}, CommandCase{"analyse", "analyse FILE", "models"},
                    CommandCase{"free", "show FILE --free", "models"},
                    CommandCase{"run", "run FILE --steps 5 -o x.h5 --force", "models"},
                    CommandCase{"dla", "run FILE -m dla --steps 5 --observe reversibility --json", "models"},
                    CommandCase{"compare", "compare FILE -m dla,gni,rk4 --steps 5", "models"},
                    CommandCase{"converge", "converge FILE -m dla --time 0.1 --fewest 2 --most 8", "models"},
                    CommandCase{"measure", "measure FILE -m conformal,dla --steps 5", "models"},
                    CommandCase{"modified", "modified FILE -m dla --order 2", "models"},
                    CommandCase{"ensemble", "ensemble FILE -o x.h5 --force", "tests/fuzz/corpus/ensemble"},
                    CommandCase{"reproduce", "reproduce FILE -o reproduced", "tests/fuzz/corpus/experiment"}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace hostile_test
}  // namespace rattleback
