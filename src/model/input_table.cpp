// Inputs that are given by tables of numbers.

#include "input_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <vector>

#include "../base/files.hpp"
#include "model_sections.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/number_table.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

/// The columns of a file that are read, by name; empty ones are found.
struct Columns {
  std::string time;
  std::string value;
};

struct Rows {
  std::vector<double> times;
  std::vector<double> values;
};

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = std::min(line.find(',', begin), line.size());
    cells.push_back(trimmed(line.substr(begin, comma - begin)));
    if (comma == line.size()) return cells;
    begin = comma + 1;
  }
}

std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0.0;
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || stop != cell.data() + cell.size()) return std::nullopt;
  return value;
}

std::string quoted(std::string_view cell) {
  std::string shown;
  for (const char c : cell.substr(0, 40)) shown += c >= ' ' && c < 0x7F ? c : '?';
  return cell.size() > 40 ? "'" + shown + "...'" : "'" + shown + "'";
}

/// Comma-separated lines, the first of which names the columns; lines that are empty or begin with # do not count.
class TableFile {
 public:
  TableFile(const std::string& path, const std::string& text) : path_(path), rest_(text) {}

  Rows read(const Columns& wanted, const std::string& input) {
    if (!next()) fail("there is nothing in it; the first line names the columns, as in time,value");
    const std::vector<std::string_view> names = cells_of(line_);
    if (std::ranges::all_of(names, [](std::string_view n) { return number_in(n).has_value(); })) {
      fail("the first line must name the columns, as in time,value; found numbers");
    }
    const std::size_t time = column(names, wanted.time, {"time", "t"}, "time");
    const std::size_t value = column(names, wanted.value, {input, "value"}, "value");
    if (time == value) fail(fmt::format("the column {} cannot be both time and value", quoted(names[time])));
    Rows rows;
    while (next()) {
      const std::vector<std::string_view> cells = cells_of(line_);
      if (cells.size() != names.size()) {
        fail(fmt::format("{} column{}, the first line names {}", cells.size(), cells.size() == 1 ? "" : "s",
                         names.size()));
      }
      rows.times.push_back(number(cells[time], names[time]));
      rows.values.push_back(number(cells[value], names[value]));
      if (rows.times.size() > 1 && rows.times.back() <= rows.times[rows.times.size() - 2]) {
        fail(fmt::format("times must increase: {} does not come after {}", rows.times.back(),
                         rows.times[rows.times.size() - 2]));
      }
    }
    if (rows.times.size() < 2) {
      throw ModelError(
          fmt::format("{}: a table needs two rows of numbers or more, found {}", path_, rows.times.size()));
    }
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& summary) const {
    throw ModelError(fmt::format("{}:{}: {}", path_, std::max<std::size_t>(number_, 1), summary));
  }

  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);  // a byte order mark
      if (!line_.empty() && line_.front() != '#') return true;
    }
    return false;
  }

  /// The one that is asked for; else one with a usual name, else the other one of two.
  std::size_t column(const std::vector<std::string_view>& names, const std::string& wanted,
                     const std::vector<std::string>& usual, const char* key) const {
    const auto place = [&](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    };
    const std::vector<std::string> candidates = wanted.empty() ? usual : std::vector<std::string>{wanted};
    for (const std::string& name : candidates) {
      if (place(name) < names.size()) return place(name);
    }
    if (wanted.empty() && names.size() == 2) return key == std::string_view("time") ? 0 : 1;
    std::vector<std::string> found;
    for (const std::string_view name : names) found.push_back(quoted(name));
    fail(fmt::format("there is no column {}; there are {}; {} = \"...\" says which one is meant",
                     fmt::join(candidates, " or "), fmt::join(found, ", "), key));
  }

  double number(std::string_view cell, std::string_view name) const {
    const auto value = number_in(cell);
    if (!value) fail(fmt::format("{} in column {} is not a number", quoted(cell), quoted(name)));
    if (!std::isfinite(*value)) fail(fmt::format("{} in column {} is not finite", quoted(cell), quoted(name)));
    return *value;
  }

  std::string path_;
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;  ///< of the line
};

Rows rows_of_file(const std::string& path, const Columns& columns, const std::string& input) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw ModelError(fmt::format("the input {}: there is no file {}", input, path));
  if (!std::filesystem::is_regular_file(status)) {
    throw ModelError(fmt::format("the input {}: {} is not a file", input, path));
  }
  const std::string text = read_file(path);
  return TableFile(path, text).read(columns, input);
}

Expression table_of_rows(const Rows& rows, const std::string& input, Interpolation interpolation) {
  return interpolated(make_number_table(input, rows.times, rows.values, interpolation), time_symbol());
}

std::vector<double> numbers_in(const ModelText& text, const toml::node& node, const std::string& what) {
  std::vector<double> numbers;
  for (const toml::node& entry : text.array_of(node, what))
    numbers.push_back(text.constant(entry, "an entry of " + what));
  return numbers;
}

Interpolation interpolation_of(const ModelText& text, const toml::table& entry, const std::string& what) {
  const toml::node* const node = entry.get("interpolation");
  return node == nullptr ? Interpolation::linear : text.choice<Interpolation>(*node, "the interpolation of " + what);
}

std::string text_in(const ModelText& text, const toml::table& entry, const char* key, const std::string& what) {
  const toml::node* const node = entry.get(key);
  return node == nullptr ? "" : text.text_of(*node, fmt::format("{} of {}", key, what));
}

}  // namespace

bool is_table_file(std::string_view text) { return trimmed(text).ends_with(".csv"); }

Expression read_input_table(const ModelText& text, const std::string& name, const toml::table& entry) {
  const std::string what = "the input " + name;
  text.check_keys(entry, {"times", "values", "file", "time", "value", "interpolation"}, "a table of an input");
  const Interpolation interpolation = interpolation_of(text, entry, what);
  const toml::node* const file = entry.get("file");
  const toml::node* const times = entry.get("times");
  const toml::node* const values = entry.get("values");
  if (file != nullptr) {
    if (times != nullptr || values != nullptr)
      text.fail(*file, fmt::format("{} has either a file or times and values, found both", what));
    const std::filesystem::path path(text.text_of(*file, "the file of " + what));
    const std::string place = path.is_absolute() ? path.string() : (text.folder() / path).string();
    const Columns columns{text_in(text, entry, "time", what), text_in(text, entry, "value", what)};
    return table_of_rows(rows_of_file(place, columns, name), name, interpolation);
  }
  if (times == nullptr || values == nullptr) {
    text.fail(entry, fmt::format("{} needs times and values, or a file: {{ times = [0, 1], values = [0, 0.3] }}, "
                                 "{{ file = \"{}.csv\" }}",
                                 what, name));
  }
  for (const char* key : {"time", "value"}) {
    if (const toml::node* const column = entry.get(key))
      text.fail(*column, fmt::format("{} names a column of a file; {} has none", key, what));
  }
  const Rows rows{numbers_in(text, *times, "the times of " + what), numbers_in(text, *values, "the values of " + what)};
  try {
    return table_of_rows(rows, name, interpolation);
  } catch (const ExpressionError& error) {
    text.fail(entry, fmt::format("{}: {}", what, error.what()));
  }
}

Expression read_table_file(const ModelText& text, const std::string& name, const toml::node* declared,
                           std::string_view path) {
  const toml::table* const entry = declared == nullptr ? nullptr : declared->as_table();
  const std::string what = "the input " + name;
  Columns columns;
  if (entry != nullptr) columns = {text_in(text, *entry, "time", what), text_in(text, *entry, "value", what)};
  return table_of_rows(rows_of_file(std::string(trimmed(path)), columns, name), name,
                       entry == nullptr ? Interpolation::linear : interpolation_of(text, *entry, what));
}

std::string input_text(const Expression& input) {
  std::string text = to_text(input);
  const Graph graph({&input, 1});
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    if (e.kind() != Kind::function || e.function() != Function::table) continue;
    const NumberTable& table = number_table(e.operands()[1].expression.value());
    const std::string_view kind = word_of(table.interpolation());
    text += fmt::format("; {}: {} rows from t = {} to {}, {}, checksum {:013x}", table.label(), table.rows(),
                        number_text(table.first()), number_text(table.last()), kind,
                        static_cast<std::uint64_t>(table.number()));
  }
  return text;
}

bool names_table(const std::string& text) { return text.find("; ") != std::string::npos; }

}  // namespace rattleback
