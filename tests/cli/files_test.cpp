// Files that requests name: what is not an older result stays, unless --force says otherwise, and places that cannot be
// written to are found out before anything is computed.

#include <filesystem>

#include "command.hpp"

namespace rattleback::test {
namespace files_test {

/// A command and one of the files that it writes.
struct Door {
  std::string label;
  std::string command;
  std::string file;
};

std::ostream& operator<<(std::ostream& out, const Door& door) { return out << door.label; }

const std::string particle = "measure harmonic-particle -m pthdel --step 0.25 --steps 2 --quiet ";
const std::string edge = " knife-edge --quiet -m rk4 ";

class Doors : public testing::TestWithParam<Door> {
 protected:
  Doors() {
    desk_.add(
        "skate",
        "title = \"A knife edge\"\n[data.rk4]\nmodel = \"knife-edge\"\nmethod = \"rk4\"\nstep = 0.1\nsteps = 3\n");
  }
  std::string path() const { return desk_ / GetParam().file; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path()).parent_path());
    std::ofstream(path()) << text;
  }
  Workplace desk_;
};

TEST_P(Doors, keep_what_is_not_an_older_result) {
  for (const std::string text : {"precious", "time,height,precious\nhere,it,is\n", "method,time,of,day\n1,2,3,4\n",
                                 "<!DOCTYPE html>\n<title>precious</title>\n", "# Reproduced papers, by me\n"}) {
    write(text);
    const Answer a = desk_(GetParam().command);
    EXPECT_EQ(a.status, wrong_request) << a.err;
    for (const char* part : {" exists and is not a", "move it away", "--force"}) EXPECT_TRUE(contains(a.err, part));
    EXPECT_EQ(content(path()), text);
  }
  const Answer forced = desk_(GetParam().command + " --force");
  EXPECT_EQ(forced.status, 0) << forced.err;
  const std::string made = content(path());
  EXPECT_EQ(made.find("precious"), std::string::npos);
  const Answer again = desk_(GetParam().command);
  EXPECT_EQ(again.status, 0) << "an older result: " << again.err;
  write("");
  EXPECT_EQ(desk_(GetParam().command).status, 0) << "an empty file";
}

TEST_P(Doors, notice_a_folder_in_the_place_of_a_file) {
  std::filesystem::create_directories(path());
  const Answer a = desk_(GetParam().command);
  EXPECT_EQ(a.status, 4);
  EXPECT_TRUE(contains(a.err, " is a directory, expected a file"));
}

INSTANTIATE_TEST_SUITE_P(
    Files, Doors,
    testing::Values(Door{"run_csv", "run" + edge + "--steps 2 -o a.csv", "a.csv"},
                    Door{"run_h5", "run" + edge + "--steps 2 -o a.h5", "a.h5"},
                    Door{"run_report", "run" + edge + "--steps 2 --report a.html", "a.html"},
                    Door{"compare_report", "compare" + edge + "--steps 2 --report a.html", "a.html"},
                    Door{"converge_report", "converge" + edge + "--to 40 --count 3 --report a.html", "a.html"},
                    Door{"measure", particle + "-o a.csv", "a.csv"},
                    Door{"measure_cloud", particle + "--cloud 8 -o a.csv", "a.csv"},
                    Door{"points", particle + "--cloud 8 --points a.csv", "a.csv"},
                    Door{"markdown", "reproduce skate.toml --quiet --markdown a.md", "a.md"},
                    Door{"reproduce_page", "reproduce skate.toml --quiet", "reproduced/skate.html"},
                    Door{"reproduce_h5", "reproduce skate.toml --quiet", "reproduced/own/skate.h5"},
                    Door{"reproduce_csv", "reproduce skate.toml --quiet --csv", "reproduced/own/skate/rk4.csv"}),
    [](const auto& door) { return door.param.label; });

/// Work that would take hours is not begun.
TEST(Places, are_looked_at_before_the_work) {
  const Workplace desk;
  const std::string endless = " harmonic-particle --step 0.001 --steps 1000000000000 ";
  for (const std::string& command :
       {"run" + endless + "-o nowhere/a.csv", "run" + endless + "--report nowhere/a.html",
        "measure" + endless + "-m pthdel -o nowhere/a.csv",
        "measure" + endless + "-m pthdel --cloud 8 --points nowhere/a.csv",
        "compare" + endless + "--report nowhere/a.html", std::string("reproduce all --markdown nowhere/a.md"),
        std::string("reproduce all -o /proc/nowhere")}) {
    const Answer a = desk(command);
    EXPECT_EQ(a.status, 4) << command << "\n" << a.err;
  }
  const Answer same = desk("measure" + endless + "-m pthdel --cloud 8 -o a.csv --points a.csv");
  EXPECT_EQ(same.status, wrong_request);
  EXPECT_TRUE(contains(same.err, "-o and --points are both 'a.csv'"));
}

}  // namespace files_test
}  // namespace rattleback::test
