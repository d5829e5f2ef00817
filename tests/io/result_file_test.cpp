// Result files: what is in them, and that nothing is lost.

#include "rattleback/io/result_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/checksum.hpp"
#include "rattleback/method/registry.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback {
namespace result_file_test {

namespace fs = std::filesystem;
using test::content;

/// A folder of its own for each test.
class ResultFiles : public testing::Test {
 protected:
  std::string in(const std::string& name) const { return folder_ / name; }

  /// The mobile robot with its conserved quantities, or another model, RK4, every third of `steps` steps.
  struct Setup {
    explicit Setup(Model of = load_model("mobile-robot")) : model(std::move(of)) {
      description.space = model.system.space();
    }
    Model model;
    Problem problem{model.system, model.system.parameter_values(), *model.initial, 0.2};
    RunDescription description{"1.2.3", model.name, model.title, model.text,    model.system.parameter_list(),
                               "rk4",   0.2,        3,           *model.initial};
  };

  RunResult run_into(ResultFile& file, std::int64_t steps, const std::atomic<bool>* stop = nullptr) {
    const auto stepper = make_stepper("rk4", setup_.problem);
    RunOptions options;
    options.steps = steps;
    options.every = 3;
    options.recorder = &file;
    options.interrupt = stop;
    return run(*stepper, setup_.problem, options, file.resumed());
  }

  ResultFile open(const std::string& name, ResultFile::Start start = ResultFile::Start::fresh) {
    return ResultFile(in(name), setup_.model.system, setup_.description, start);
  }

  test::TemporaryFolder folder_;
  Setup setup_;
};

std::vector<double> read_dataset(hid_t file, const char* name, std::vector<hsize_t>& shape) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

std::string read_text(hid_t object, hid_t type, bool attribute) {
  std::string text(H5Tget_size(type), '\0');
  if (attribute) {
    H5Aread(object, type, text.data());
  } else {
    H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
  }
  return text.c_str();
}

std::string text_attribute(hid_t file, const char* name) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  const std::string text = read_text(attribute, type, true);
  H5Tclose(type);
  H5Aclose(attribute);
  return text;
}

TEST_F(ResultFiles, csv_has_a_header_and_all_digits) {
  ResultFile file = open("a.csv");
  file.finish(run_into(file, 10));
  std::istringstream lines(content(in("a.csv")));
  std::string header;
  std::getline(lines, header);
  EXPECT_EQ(header.substr(0, header.find(",p_")), "time,x,y,theta,psi,x',y',theta',psi'");
  EXPECT_NE(header.find(",multiplier_1,multiplier_2,energy,constraint_1,constraint_2,"), std::string::npos) << header;
  const Trajectory expected =
      integrate(setup_.model.system, "rk4", {setup_.problem.start.q, setup_.problem.start.v, 0.2, 10, 3});
  std::size_t row = 0;
  for (std::string line; std::getline(lines, line); ++row) {
    std::istringstream cells(line);
    std::string cell;
    std::vector<double> values;
    while (std::getline(cells, cell, ',')) values.push_back(std::stod(cell));
    ASSERT_LT(row, expected.nodes.size());
    EXPECT_EQ(values[0], expected.time[row]);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(values[1 + i], expected.nodes[row].q[i]) << "to the last bit";
      EXPECT_EQ(values[5 + i], expected.nodes[row].v[i]);
    }
    EXPECT_EQ(values[15], expected.energy[row]);
  }
  EXPECT_EQ(row, 4U);
  EXPECT_FALSE(fs::exists(in("a.csv.checkpoint"))) << "a run that has ended leaves only its result";
}

TEST_F(ResultFiles, hdf5_holds_what_is_needed_to_repeat_the_run) {
  ResultFile result_file = open("a.h5");
  result_file.finish(run_into(result_file, 10));
  const hid_t file = H5Fopen(in("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const Trajectory expected =
      integrate(setup_.model.system, "rk4", {setup_.problem.start.q, setup_.problem.start.v, 0.2, 10, 3});
  std::vector<hsize_t> shape;
  EXPECT_EQ(read_dataset(file, "time", shape), expected.time);
  EXPECT_EQ(shape, std::vector<hsize_t>{4});
  const auto q = read_dataset(file, "q", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{4, 4}));
  EXPECT_EQ(std::vector<double>(q.end() - 4, q.end()), expected.nodes.back().q);
  EXPECT_EQ(read_dataset(file, "energy", shape), expected.energy);
  read_dataset(file, "multipliers", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{4, 2}));
  EXPECT_EQ(text_attribute(file, "method"), "rk4");
  EXPECT_EQ(text_attribute(file, "program"), "rattleback 1.2.3");
  EXPECT_EQ(text_attribute(file, "outcome"), "finished");
  const hid_t model = H5Dopen2(file, "model", H5P_DEFAULT);
  const hid_t type = H5Dget_type(model);
  const std::string text = read_text(model, type, false);
  H5Tclose(type);
  H5Dclose(model);
  H5Fclose(file);
  EXPECT_EQ(text, setup_.model.text);
  EXPECT_EQ(read_model(text, "again.toml").system.lagrangian(), setup_.model.system.lagrangian());
  EXPECT_FALSE(fs::exists(in("a.h5.rows")));
  EXPECT_FALSE(fs::exists(in("a.h5.checkpoint")));
}

TEST_F(ResultFiles, an_interrupted_run_resumes_to_the_same_bytes) {
  for (const char* ending : {".csv", ".h5", " with a rotation.csv", " with a rotation.h5"}) {
    if (std::string_view(ending).starts_with(" "))
      setup_ = Setup(load_model(test::source_file("tests/method/rotating/heavy-top.toml")));
    const std::string whole = std::string("whole") + ending;
    const std::string parts = std::string("parts") + ending;
    ResultFile uninterrupted = open(whole);
    uninterrupted.finish(run_into(uninterrupted, 1000));
    {
      ResultFile first = open(parts);
      run_into(first, 400);  // its checkpoint is written, but it is never finished: as if killed
      first.record({0, 1e9, {}, {}, {}, {}, 0.0, {}, {}, {}});  // rows after the checkpoint do not count
    }
    EXPECT_THROW(open(parts), ResumeError) << "an unfinished run is not overwritten";
    ResultFile second = open(parts, ResultFile::Start::resume);
    ASSERT_NE(second.resumed(), nullptr);
    EXPECT_EQ(second.resumed()->step, 400);
    second.finish(run_into(second, 1000));
    EXPECT_EQ(content(in(whole)), content(in(parts))) << ending;
  }
}

// A rotation has nine positions, three velocities, and columns that depend on those before.
TEST_F(ResultFiles, an_interrupted_run_with_rotations_resumes_to_the_same_bytes) {
  setup_ = Setup(
      read_model("rotations = [\"R\"]\nlagrangian = \"0.5*dot(R.omega, diag(1, 2, 3)*R.omega)\"\n"
                 "[initial]\nq = { R = { axis = [1, 2, 3], angle = 1 } }\nv = { R = [0.1, 2, 0.3] }\n",
                 "body.toml"));
  ResultFile uninterrupted = open("whole.csv");
  uninterrupted.finish(run_into(uninterrupted, 60));
  {
    ResultFile first = open("parts.csv");
    run_into(first, 24);
  }
  ResultFile second = open("parts.csv", ResultFile::Start::resume);
  second.finish(run_into(second, 60));
  EXPECT_EQ(content(in("whole.csv")), content(in("parts.csv")));
  setup_.description.start.v[1] += 1.0;
  {
    ResultFile first = open("other.csv");
    run_into(first, 24);
  }
  setup_.description.start.v[1] -= 1.0;
  try {
    open("other.csv", ResultFile::Start::resume);
    FAIL();
  } catch (const ResumeError& error) {
    EXPECT_NE(std::string(error.what()).find("its initial velocity 2 was 3, now it is 2"), std::string::npos)
        << error.what();
  }
}

TEST_F(ResultFiles, an_interrupted_run_has_a_readable_result_and_keeps_its_checkpoint) {
  const std::atomic<bool> stop = true;
  ResultFile file = open("a.h5");
  const RunResult result = run_into(file, 1000, &stop);
  EXPECT_EQ(result.outcome, RunOutcome::interrupted);
  file.finish(result);
  EXPECT_TRUE(fs::exists(in("a.h5.checkpoint")));
  const hid_t h5 = H5Fopen(in("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(h5, 0);
  EXPECT_EQ(text_attribute(h5, "outcome"), "interrupted");
  H5Fclose(h5);
}

TEST_F(ResultFiles, forced_runs_replace_unfinished_ones) {
  {
    ResultFile first = open("a.csv");
    run_into(first, 40);
  }
  ResultFile second = open("a.csv", ResultFile::Start::forced);
  EXPECT_EQ(second.resumed(), nullptr);
  second.finish(run_into(second, 3));
  const std::string text = content(in("a.csv"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);  // header, start, third step
}

TEST_F(ResultFiles, a_checkpoint_of_another_run_is_recognised) {
  setup_.description.inputs = {{"torque", "sin(t)"}};
  {
    ResultFile first = open("a.csv");
    run_into(first, 40);
  }
  const auto message = [&](const std::function<void(RunDescription&)>& change) {
    RunDescription other = setup_.description;
    change(other);
    try {
      ResultFile(in("a.csv"), setup_.model.system, other, ResultFile::Start::resume);
    } catch (const ResumeError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  using D = RunDescription;
  EXPECT_NE(message([](D& d) { d.method = "reference"; }).find("its method was rk4, now it is reference"),
            std::string::npos);
  EXPECT_NE(message([](D& d) { d.step = 0.1; }).find("its step was 0.2, now it is 0.1"), std::string::npos);
  EXPECT_NE(message([](D& d) { d.every = 1; }).find("interval of recording was 3, now it is 1"), std::string::npos);
  EXPECT_NE(
      message([](D& d) { d.parameters[0].value += 1; }).find("parameter " + setup_.description.parameters[0].name),
      std::string::npos);
  EXPECT_NE(message([](D& d) { d.start.v[1] = 7; }).find("initial velocity 2"), std::string::npos);
  EXPECT_NE(message([](D& d) { d.start.q[0] = 7; }).find("initial position 1"), std::string::npos);
  EXPECT_NE(message([](D& d) { d.start.t = 7; }).find("initial time was 0, now it is 7"), std::string::npos);
  EXPECT_NE(message([](D& d) { d.inputs[0].second = "cos(t)"; }).find("input torque was sin(t), now it is cos(t)"),
            std::string::npos);
  EXPECT_NE(message([](D& d) { d.model_text += " "; }).find("the file of its model has changed"), std::string::npos);
  EXPECT_NE(message([](D& d) { d.version = "2"; }).find("version of Rattleback"), std::string::npos);
  EXPECT_EQ(message([](D&) {}), "no error");
}

TEST_F(ResultFiles, any_damage_to_a_checkpoint_is_noticed) {
  {
    ResultFile first = open("a.csv");
    run_into(first, 40);
  }
  const std::string good = content(in("a.csv.checkpoint"));
  const auto write = [&](const std::string& text) { std::ofstream(in("a.csv.checkpoint"), std::ios::binary) << text; };
  for (std::size_t i = 0; i < good.size() - 1; i += 17) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    write(bad);
    EXPECT_THROW(open("a.csv", ResultFile::Start::resume), FileError) << "byte " << i;
    write(good.substr(0, i));
    EXPECT_THROW(open("a.csv", ResultFile::Start::resume), FileError) << "cut at " << i;
  }
  write(good);
  fs::resize_file(in("a.csv.rows"), 10);
  EXPECT_THROW(open("a.csv", ResultFile::Start::resume), FileError) << "the rows were cut";
}

TEST_F(ResultFiles, any_change_of_the_rows_is_noticed) {
  for (const std::string name : {"a.csv", "a.h5"}) {
    {
      ResultFile first = open(name);
      run_into(first, 40);
    }
    const std::string good = content(in(name + ".rows"));
    const auto write = [&](const std::string& text) { std::ofstream(in(name + ".rows"), std::ios::binary) << text; };
    for (std::size_t i = 0; i < good.size(); i += 97) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 1);
      write(bad);
      EXPECT_THROW(open(name, ResultFile::Start::resume), FileError) << "byte " << i;
      EXPECT_EQ(content(in(name + ".rows")), bad) << "what is refused is left alone";
    }
    write(good + "more");
    EXPECT_NO_THROW(open(name, ResultFile::Start::resume)) << "rows after the checkpoint do not count";
  }
}

TEST_F(ResultFiles, an_interrupted_table_is_there_and_is_continued) {
  const std::atomic<bool> stop = true;
  {
    ResultFile file = open("a.csv");
    file.finish(run_into(file, 1000, &stop));
  }
  EXPECT_EQ(content(in("a.csv")), content(in("a.csv.rows")));
  ResultFile rest = open("a.csv", ResultFile::Start::resume);
  rest.finish(run_into(rest, 1000));
  ResultFile whole = open("b.csv");
  whole.finish(run_into(whole, 1000));
  EXPECT_EQ(content(in("a.csv")), content(in("b.csv")));
  EXPECT_FALSE(fs::exists(in("a.csv.rows")));
}

/// Until the last moment the old result is there.
TEST_F(ResultFiles, a_result_is_replaced_at_the_end) {
  ResultFile old = open("a.csv");
  old.finish(run_into(old, 3));
  const std::string text = content(in("a.csv"));
  ResultFile file = open("a.csv");
  const RunResult result = run_into(file, 300);
  EXPECT_EQ(content(in("a.csv")), text);
  file.finish(result);
  EXPECT_NE(content(in("a.csv")), text);
}

/// How a stream of bytes is cut into pieces does not matter; each byte does.
TEST(Checksum, is_that_of_the_bytes) {
  std::string text;
  for (int k = 0; k < 200; ++k) text += static_cast<char>(k * k);
  const std::uint64_t whole = checksum_of(text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Checksum pieces;
    pieces.add(std::string_view(text).substr(0, cut / 2));
    pieces.add(std::string_view(text).substr(cut / 2, cut - cut / 2));
    pieces.add(std::string_view(text).substr(cut));
    EXPECT_EQ(pieces.value(), whole) << cut;
    if (cut == text.size()) continue;
    EXPECT_NE(checksum_of(text.substr(0, cut)), whole) << cut;
    std::string other = text;
    other[cut] = static_cast<char>(other[cut] ^ 64);
    EXPECT_NE(checksum_of(other), whole) << cut;
  }
  EXPECT_NE(checksum_of(text + std::string(1, '\0')), whole);
}

TEST_F(ResultFiles, a_file_that_is_no_result_is_not_replaced) {
  for (const char* name : {"a.csv", "a.h5"}) {
    for (const std::string text : {"precious,data\n", "time,height\n0,1\n", "time,x,x',p_x,weight\n"}) {
      std::ofstream(in(name)) << text;
      EXPECT_THROW(open(name), RequestError);
      EXPECT_EQ(content(in(name)), text);
    }
    ResultFile forced = open(name, ResultFile::Start::forced);
    forced.finish(run_into(forced, 3));
    EXPECT_NO_THROW(open(name)) << "a result of a run is replaced";
  }
  const std::string rotating = "time,x,R.w,R.x,R.y,R.z,x',R.omega1,R.omega2,R.omega3,p_x,p_R1,p_R2,p_R3,energy";
  std::ofstream(in("c.csv")) << rotating << "\n";
  EXPECT_NO_THROW(open("c.csv")) << "that of a run with a rotation, too";
  for (const char* missing : {"R.z,", "R.omega2,", "p_R3,", "energy"}) {
    std::string other = rotating;
    std::ofstream(in("d.csv")) << other.erase(other.find(missing), std::string(missing).size()) << "\n";
    EXPECT_THROW(open("d.csv"), RequestError) << missing;
  }
  const hid_t others = H5Fcreate(in("b.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(others);
  EXPECT_THROW(open("b.h5"), RequestError) << "HDF5, but not of a run";
}

TEST_F(ResultFiles, an_undefined_conserved_quantity_survives_a_checkpoint) {
  {
    ResultFile file = open("a.csv");
    RunStatistics s;
    s.initial_conserved = {std::nan(""), HUGE_VAL, -HUGE_VAL};
    s.conserved_error = {{std::nan(""), {{{0, 0.0}, ""}}}, {0.25, {{{3, 0.5}, "why"}}}, {1.5, {}}};
    s.conserved_scale = {0.0, 2.0, 3.0};
    file.checkpoint({7, {1.0}, s});
  }
  ResultFile resumed = open("a.csv", ResultFile::Start::resume);
  const RunStatistics& s = resumed.resumed()->statistics;
  EXPECT_TRUE(std::isnan(s.initial_conserved[0]) && std::isnan(s.conserved_error[0].value));
  EXPECT_EQ(s.conserved_error[0].end->at.step, 0);
  EXPECT_EQ(s.conserved_error[1].value, 0.25);
  EXPECT_EQ(s.conserved_error[1].end->at.time, 0.5);
  EXPECT_EQ(s.conserved_error[1].end->why, "why");
  EXPECT_FALSE(s.conserved_error[2].end);
  EXPECT_EQ(s.conserved_scale, (std::vector<double>{0.0, 2.0, 3.0}));
  EXPECT_EQ(s.initial_conserved[1], HUGE_VAL);
  EXPECT_EQ(s.initial_conserved[2], -HUGE_VAL);
}

TEST_F(ResultFiles, a_title_may_be_longer_than_an_old_attribute) {
  setup_.description.title.assign(100000, 'x');
  ResultFile file = open("a.h5");
  EXPECT_NO_THROW(file.finish(run_into(file, 3)));
}

TEST_F(ResultFiles, two_runs_do_not_write_to_one_file) {
  ResultFile first = open("a.csv");
  EXPECT_THROW(open("a.csv", ResultFile::Start::forced), FileError);
}

}  // namespace result_file_test
}  // namespace rattleback
