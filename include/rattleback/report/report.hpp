#pragma once

#include <string>
#include <vector>

namespace rattleback::report {

// What a report consists of; web/src/report.ts says the same to the page. Texts may contain formulas between dollar
// signs and `code`.

struct Axis {
  std::string label;
  bool logarithmic = false;
};

struct Series {
  std::string name;
  std::string style = "line";  ///< line, points or both
  bool dashed = false;
  std::vector<std::vector<double>> coordinates;  ///< x, y and, in space, z; NaN where there is no number
};

struct Figure {
  std::string title;
  std::string caption;
  std::string kind = "line";  ///< line, path or space
  std::vector<Axis> axes;
  std::vector<Series> series;
};

struct Track {
  std::string name;
  std::vector<double> t, x, y, z, heading, roll, energy;
};

struct Animation {
  std::string title;
  std::string body;
  double size = 1.0;
  std::vector<double> slope;
  std::vector<Track> tracks;
};

struct Claim {
  std::string says;
  std::string place;
  std::string quantity;
  std::string measured;
  std::string expected;
  std::string verdict;
  std::string note;
};

struct Run {
  std::string name;
  std::string system;
  std::string method;
  std::vector<std::string> settings;
  std::string failure;
};

struct System {
  std::string name;
  std::string title;
  std::string lagrangian;  ///< LaTeX, like the constraints
  std::vector<std::string> constraints;
  std::vector<std::string> parameters;
};

struct Experiment {
  std::string id;
  std::string title;
  std::string place;
  std::string text;
  std::vector<System> systems = {};
  std::vector<Run> runs = {};
  std::vector<Claim> claims = {};
  std::vector<Figure> figures = {};
  std::vector<Animation> animations = {};
  std::vector<std::string> files = {};
};

struct Chapter {
  std::string id;
  std::string title;
  std::string citation;
  std::string text;
  std::vector<Experiment> experiments = {};
};

struct Report {
  std::string kind;  ///< reproduce, run, compare or converge
  std::string title;
  std::string text;
  std::string program;
  std::string command;
  std::vector<Chapter> chapters = {};
};

/// Writes the report as one HTML page that needs nothing else. Throws FileError, also if Rattleback was built without
/// its pages.
void write_page(const Report& report, const std::string& path);

}  // namespace rattleback::report
