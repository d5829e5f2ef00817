#include "rattleback/io/stored_run.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>

#include "columns.hpp"
#include "hdf5_result.hpp"
#include "hdf5_writer.hpp"
#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

/// Reads one file; everything that is not as ResultFile writes it is an exception.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path)
      : path_(path), file_(handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "the file")) {}

  std::vector<std::string> datasets() const {
    H5G_info_t info{};
    check(H5Gget_info(file_, &info), "the list of its contents");
    std::vector<std::string> names;
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      const auto length = H5Lget_name_by_idx(file_, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
      check(length, "the list of its contents");
      std::string name(static_cast<std::size_t>(length), '\0');
      H5Lget_name_by_idx(file_, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size() + 1, H5P_DEFAULT);
      const Hdf5Handle object = handle(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose, name);
      if (H5Iget_type(object) == H5I_DATASET) names.push_back(std::move(name));  // the others are groups
    }
    return names;
  }
  bool has(const char* attribute) const { return H5Aexists(file_, attribute) > 0; }
  bool has_group(const char* name) const { return H5Lexists(file_, name, H5P_DEFAULT) > 0; }

  std::vector<std::string> texts(hid_t owner, const char* name) const {
    if (H5Aexists(owner, name) <= 0) return {};
    const Hdf5Handle attribute = handle(H5Aopen(owner, name, H5P_DEFAULT), H5Aclose, name);
    const Hdf5Handle type = handle(H5Aget_type(attribute), H5Tclose, name);
    const Hdf5Handle space = handle(H5Aget_space(attribute), H5Sclose, name);
    const std::size_t width = fixed_width(type, name);
    const auto count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
    std::string all(width * count, '\0');
    check(H5Aread(attribute, type, all.data()), name);
    std::vector<std::string> list;
    for (std::size_t i = 0; i < count; ++i) list.emplace_back(all.substr(i * width, width).c_str());
    return list;
  }
  std::vector<std::string> texts(const char* name) const { return texts(file_, name); }
  std::string text(const char* name) const {
    const auto list = texts(name);
    return list.empty() ? std::string() : list.front();
  }
  std::vector<double> numbers(const char* name) const {
    if (!has(name)) return {};
    const Hdf5Handle attribute = handle(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose, name);
    const Hdf5Handle space = handle(H5Aget_space(attribute), H5Sclose, name);
    std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0)));
    check(H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()), name);
    return values;
  }
  double number(const char* name, double otherwise = 0.0) const {
    const auto values = numbers(name);
    return values.size() == 1 ? values[0] : otherwise;
  }

  std::string text_dataset(const char* name) const {
    const Hdf5Handle set = dataset(name);
    const Hdf5Handle type = handle(H5Dget_type(set), H5Tclose, name);
    std::string text(fixed_width(type, name), '\0');
    const Hdf5Handle space = handle(H5Dget_space(set), H5Sclose, name);
    if (H5Sget_simple_extent_npoints(space) != 1) wrong(name);
    check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), name);
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }
  std::vector<std::string> labels(const std::string& name) const { return texts(dataset(name), "labels"); }

  /// The columns of a dataset of rows, one after the other.
  std::vector<std::vector<double>> columns(const std::string& name, std::size_t width) const {
    const Hdf5Handle set = dataset(name);
    const Hdf5Handle space = handle(H5Dget_space(set), H5Sclose, name);
    hsize_t size[2] = {0, 1};
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank != 1 && rank != 2) wrong(name);
    H5Sget_simple_extent_dims(space, size, nullptr);
    if (size[1] != width) wrong(name);
    const auto rows = static_cast<std::size_t>(size[0]);
    require_memory(2.0 * sizeof(double) * static_cast<double>(rows) * static_cast<double>(width),
                   fmt::format("reading {}", path_), "record fewer samples with `every`");
    std::vector<double> values(rows * width);
    check(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
    if (width == 1) return {std::move(values)};
    std::vector<std::vector<double>> result(width, std::vector<double>(rows));
    for (std::size_t j = 0; j < width; ++j) {
      for (std::size_t i = 0; i < rows; ++i) result[j][i] = values[i * width + j];
    }
    return result;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw FileError(fmt::format("{} cannot be read: {} is not as Rattleback writes it", path_, what));
  }
  void check(std::int64_t status, const std::string& what) const {
    if (status < 0) wrong(what);
  }
  Hdf5Handle handle(hid_t id, Hdf5Handle::Closer closer, const std::string& what) const {
    Hdf5Handle made(id, closer);
    check(id, what);
    return made;
  }
  Hdf5Handle dataset(const std::string& name) const {
    return handle(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose, name);
  }
  std::size_t fixed_width(hid_t type, const char* name) const {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) wrong(name);
    return H5Tget_size(type);
  }

  std::string path_;
  Hdf5Handle file_;
};

RunDescription description_in(const Hdf5Reader& file) {
  RunDescription d;
  d.version = file.text("program");
  d.model = file.text("model");
  d.title = file.text("title");
  d.model_text = file.text_dataset("model");
  const auto names = file.texts("parameter_names");
  const auto values = file.numbers("parameter_values");
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) d.parameters.push_back({names[i], values[i]});
  d.method = file.text("method");
  d.step = file.number("step");
  d.every = static_cast<std::int64_t>(file.number("every", 1.0));
  d.start = {file.numbers("initial_q"), file.numbers("initial_v"), file.number("initial_t")};
  d.second_position = file.numbers("second_q");
  d.stop_when = file.text("stop_when");
  for (const std::string& input : file.texts("inputs")) {
    const std::size_t equals = input.find(" = ");
    if (equals != std::string::npos) d.inputs.emplace_back(input.substr(0, equals), input.substr(equals + 3));
  }
  return d;
}

/// With the inputs of the run, where these are not the model's own. Of tables the file has a checksum only.
Model model_of(const RunDescription& d, InputTexts& replaced, std::vector<std::string>& notes) {
  ParameterValues parameters;
  for (const Parameter& p : d.parameters) parameters[p.name] = p.value;
  const std::string file = d.model + ".toml";
  Model model = read_model(d.model_text, file, parameters);
  for (const NamedExpression& input : model.inputs) {
    const auto stored = std::ranges::find(d.inputs, input.name, &std::pair<std::string, std::string>::first);
    if (stored == d.inputs.end() || stored->second == input_text(input.expression)) continue;
    if (names_table(stored->second)) {
      notes.push_back(
          fmt::format("the run had the input {} = {}; the table is not in the file: the system has the input "
                      "of its model, {}",
                      input.name, stored->second, input_text(input.expression)));
    } else {
      replaced.insert(*stored);
    }
  }
  return replaced.empty() ? model : read_model(d.model_text, file, parameters, replaced);
}

/// Without that of `stop_when`, which the model does not know: it is the end of the run.
std::vector<EventRecord> events_in(const Hdf5Reader& file, const System& system, bool has_stop_when) {
  if (!file.has_group("event_list")) return {};
  const std::size_t n = system.dimension();
  const auto numbers = [&](const char* name, std::size_t width) {
    return file.columns(std::string("event_list/") + name, width);
  };
  const auto which = numbers("event", 1)[0];
  const auto time = numbers("time", 1)[0];
  const auto direction = numbers("direction", 1)[0];
  const auto q = numbers("q", system.space().shown_positions());
  const auto v = numbers("v", n);
  const auto after = numbers("v_after", n);
  const auto row = [&](const std::vector<std::vector<double>>& columns, std::size_t i) {
    std::vector<double> entries;
    for (const auto& column : columns) entries.push_back(column.at(i));
    return entries;
  };
  std::vector<EventRecord> events;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (has_stop_when && which[i] == static_cast<double>(system.events().size())) continue;
    if (!(which[i] >= 0.0 && which[i] < static_cast<double>(system.events().size()))) throw std::out_of_range("event");
    const auto event = static_cast<std::size_t>(which[i]);
    const bool is_impact = system.events()[event].action == Event::Action::set;
    events.push_back({event,
                      time.at(i),
                      direction.at(i) > 0.0,
                      {system.space().from_shown(row(q, i)), row(v, i), time.at(i)},
                      is_impact ? row(after, i) : std::vector<double>()});
  }
  return events;
}

RunOutcome outcome_named(const std::string& name) {
  for (const RunOutcome outcome : {RunOutcome::failed, RunOutcome::interrupted}) {
    if (name == outcome_name(outcome)) return outcome;
  }
  return RunOutcome::finished;
}

}  // namespace

StoredRun read_run(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw FileError(fmt::format("there is no file {}", path));
  if (!is_result_with(path, "q")) {
    throw FileError(fmt::format(
        "{} is not the result of a run: one is an HDF5 file, as `output` makes it; CSV files do not have their model",
        path));
  }
  const Hdf5Reader file(path);
  RunDescription d = description_in(file);
  InputTexts replaced;
  std::vector<std::string> notes;
  Model model = model_of(d, replaced, notes);
  d.space = model.system.space();
  if (d.start.q.size() != d.space.shown_positions())
    throw FileError(fmt::format("{} cannot be read: its initial position does not fit its model", path));
  d.start.q = d.space.from_shown(d.start.q);
  if (d.second_position.size() == d.space.shown_positions()) d.second_position = d.space.from_shown(d.second_position);
  std::vector<Column> columns = columns_of(model.system, {});
  for (const std::string& name : file.datasets()) {
    if (name == "model" || std::ranges::find(columns, name, &Column::name) != columns.end()) continue;
    d.observed.push_back({name, file.labels(name)});
    columns.push_back({name, d.observed.back().labels, ColumnKind::observed});
  }
  StoredRun run{std::move(model),
                std::move(d),
                outcome_named(file.text("outcome")),
                static_cast<std::int64_t>(file.number("steps")),
                file.number("time"),
                file.text("failure"),
                std::move(replaced),
                {},
                std::move(notes)};
  try {
    run.events = events_in(file, run.model.system, !run.description.stop_when.empty());
  } catch (const std::out_of_range&) {
    throw FileError(fmt::format("{} cannot be read: its list of events does not fit its model", path));
  }
  for (const Column& column : columns) {
    auto values = file.columns(column.name, column.width());
    auto names = labels(column);
    for (std::size_t k = 0; k < names.size(); ++k) {
      run.columns.push_back({std::move(names[k]), column.kind, std::move(values[k])});
    }
  }
  return run;
}

}  // namespace rattleback
