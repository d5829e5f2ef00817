#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/experiment/statement.hpp"
#include "rattleback/model/view.hpp"

namespace rattleback {

/// The command whose answer a report is.
enum class ReportKind : std::uint8_t { reproduce, run, compare, converge };
template <>
inline constexpr auto words<ReportKind> = std::to_array<Word<ReportKind>>({{ReportKind::reproduce, "reproduce"},
                                                                           {ReportKind::run, "run"},
                                                                           {ReportKind::compare, "compare"},
                                                                           {ReportKind::converge, "converge"}});

namespace report {

// What a report consists of; web/src/report.ts says the same to the page. Texts may contain formulas between dollar
// signs and `code`.

struct Series {
  std::string name;
  SeriesStyle style = SeriesStyle::line;
  bool dashed = false;
  std::vector<std::vector<double>> coordinates;  ///< x, y and, in space, z; NaN where there is no number
};

struct Figure {
  std::string title;
  std::string caption;
  FigureKind kind = FigureKind::line;
  std::vector<FigureAxis> axes;
  std::vector<Series> series;
};

/// How the bodies of a view move, frame by frame.
struct Track {
  using Points = std::array<std::vector<double>, 3>;  ///< x, y and z
  struct Body {
    Points position = {};
    std::array<std::vector<double>, 4> rotation = {};  ///< unit quaternions w, x, y, z, each near the one before
    Points end = {};                                   ///< of a rod
  };
  struct Trace {
    Points point = {};
    Points on_body = {};  ///< in the frame of the body that the trace is on, if it is on one
  };
  std::string name;
  std::vector<double> t, energy;
  std::vector<Body> bodies = {};
  std::vector<Trace> traces = {};
};

struct Animation {
  std::string title;
  View view;
  std::vector<Track> tracks;
  std::string opening = {};  ///< what is said about it where the page begins with it; empty: it does not
};

struct ClaimEntry {
  std::string says;
  std::string place;
  std::string quantity;
  std::string measured;
  std::string expected;
  Finding::Verdict verdict = Finding::Verdict::failed;
  std::string note;
};

struct RunEntry {
  std::string name;
  std::string system;
  std::string method;
  std::vector<std::string> settings;
  std::string failure;
};

struct SystemEntry {
  std::string name;
  std::string title;
  std::string lagrangian;  ///< LaTeX, like the constraints
  std::vector<std::string> constraints;
  std::vector<std::string> parameters;
};

struct ExperimentEntry {
  std::string id;
  std::string title;
  std::string place;
  std::string text;
  std::vector<SystemEntry> systems = {};
  std::vector<RunEntry> runs = {};
  std::vector<ClaimEntry> claims = {};
  std::vector<Figure> figures = {};
  std::vector<Animation> animations = {};
  std::vector<std::string> files = {};
};

/// A statement of a paper: where it stands, what it says, and what became of it.
struct StatementEntry {
  /// Claims of one experiment.
  struct Judged {
    std::string experiment;  ///< its id
    std::size_t claims = 0;
  };
  std::string label;
  Statement::Kind kind = Statement::Kind::text;
  std::string says;
  std::optional<StatementVerdict> verdict;  ///< none if there is nothing to judge
  std::vector<Judged> judged;
  std::string reason;
  std::string note;
};

struct Chapter {
  std::string id;
  std::string title;
  std::string citation;
  std::string text;
  std::vector<ExperimentEntry> experiments = {};
  std::vector<StatementEntry> statements = {};
};

struct Report {
  ReportKind kind = ReportKind::run;
  std::string title;
  std::string text;
  std::string program;
  std::string command;
  std::vector<Chapter> chapters = {};
};

/// Writes the report as one HTML page that needs nothing else. Throws FileError, also if Rattleback was built without
/// its pages.
void write_page(const Report& report, const std::string& path);

}  // namespace report
}  // namespace rattleback
