#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rattleback/base/work.hpp"
#include "rattleback/experiment/figure.hpp"
#include "rattleback/experiment/quantity.hpp"
#include "rattleback/experiment/table.hpp"
#include "rattleback/method/method_spec.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/observe/cloud.hpp"

namespace rattleback {

/// One trajectory: a row for each node.
struct TrajectoryRecipe {
  std::int64_t steps = 0;
  std::int64_t every = 1;
  std::vector<std::string> observe = {};
  std::string against = {};  ///< another trajectory, "exact" or nothing: adds columns error and error_x, …
};

/// Runs to the same time with different steps: a row for each number of steps, with the errors there of everything that
/// a trajectory has.
struct ConvergenceRecipe {
  double time = 0.0;
  std::vector<std::int64_t> counts = {};
};

/// Volumes of a cloud of initial conditions: a row for each node.
struct CloudRecipe {
  std::int64_t steps = 0;
  std::int64_t every = 1;
  CloudShape shape = {};  ///< a file is in the folder of the experiment
  double radius = 0.01;
  HullWeights weights = HullWeights::simplices;
  std::vector<int> ells = {};
  bool keep_points = false;  ///< then: a row for each point at each of these nodes, and no volumes
};

/// Coefficients of the series of modified quantities, from their formulas: a row for each point (r, P, E).
struct ModifiedRecipe {
  Points at = {};
  int order = 2;
};

/// The inverse problem: a row for each system of second-order equations that belongs to the model, in the order of
/// `rattleback analyse`, with what its Helmholtz conditions leave.
struct InverseRecipe {
  std::size_t associated = 0;  ///< among how many associated systems it is searched for a Lagrangian
};

/// Many trajectories (docs/ensembles.md): a row for each member.
struct EnsembleRecipe {
  std::string file = {};  ///< that describes them, in the folder of the experiment
};

/// How a table of an experiment is made.
struct DataRecipe {
  std::string name = {};
  std::string folder = {};                ///< where the files are that it names
  std::string model = {};                 ///< of the catalogue, or a file
  std::optional<MethodSpec> method = {};  ///< not for the inverse problem, which has none
  ParameterValues parameters = {};
  InputTexts inputs = {};
  std::optional<State> start = {};  ///< that of the model if absent
  std::optional<double> t0 = {};    ///< time of the start, that of the model if absent
  std::optional<std::vector<double>> second_position = {};
  double step = 0.0;
  bool ends_early = false;  ///< it is known not to reach its end
  std::variant<TrajectoryRecipe, ConvergenceRecipe, CloudRecipe, ModifiedRecipe, InverseRecipe, EnsembleRecipe> kind = {};
};

/// What a paper says, in a form that can be checked.
struct Claim {
  enum class Holds : std::uint8_t {
    yes,
    after_correction,  ///< of the paper; the note says which one, and why
    no,                ///< the note has the evidence
  };
  std::string says;
  std::string place;
  Quantity quantity;
  Criterion criterion;
  Holds expected = Holds::yes;
  std::string note;
};

struct SeriesRecipe {
  std::string name;
  std::string data;
  std::vector<RowFormula> coordinates;  ///< x, y and, in space, z
  SeriesStyle style = SeriesStyle::line;
  bool dashed = false;
};

struct FigureRecipe {
  std::string title;
  std::string caption;
  FigureKind kind = FigureKind::line;
  std::vector<FigureAxis> axes;
  std::vector<SeriesRecipe> series;
};

struct AnimationRecipe {
  std::string title;
  std::vector<std::string> data;   ///< trajectories of one model
  std::vector<std::string> names;  ///< of these; those of the methods if empty
  std::string opening = {};        ///< what is said about it where a page begins with it; empty: none does
};

/// A numerical experiment of a paper, as its file describes it (docs/experiments.md).
struct Experiment {
  std::string paper;  ///< short name
  std::string name;
  std::string title;
  std::string place;  ///< which figures
  std::string text;
  std::vector<DataRecipe> data;
  std::vector<NamedQuantity> values;  ///< numbers for the formulas after them
  std::vector<Claim> claims;
  std::vector<FigureRecipe> figures;
  std::vector<AnimationRecipe> animations;
};

/// The experiment with some of its claims, which are counted from 0, and with the values and data that these need; no
/// figures.
Experiment with_claims(const Experiment& experiment, std::span<const std::size_t> claims);

struct Paper {
  std::string name;  ///< short: "cm"
  std::string title;
  std::string citation;
  std::int64_t year = 0;
  std::string text;
};

/// Reads an experiment from the text of its file, which is named in errors. The files that it names are in the folder,
/// which is that of the file if none is given.
Experiment read_experiment(std::string_view text, const std::string& file, const std::string& folder = {});
Paper read_paper(std::string_view text, const std::string& file);

/// The papers whose experiments come with Rattleback, the oldest first, and the experiments of one, in their order.
std::vector<Paper> papers();
std::vector<Experiment> experiments_of(const std::string& paper);

/// A table that was made, and by what.
struct Data {
  DataRecipe recipe;
  std::optional<Model> model;
  Table table;
  std::string failure;  ///< of a run that did not reach its end
};

struct Finding {
  Measured measured;
  std::string trouble = {};  ///< why it says nothing: a run that did not end as it should
  enum class Verdict : std::uint8_t { confirmed, corrected, contradicted, failed } verdict = Verdict::failed;
};

template <>
inline constexpr auto words<Finding::Verdict> =
    std::to_array<Word<Finding::Verdict>>({{Finding::Verdict::confirmed, "confirmed"},
                                           {Finding::Verdict::corrected, "corrected"},
                                           {Finding::Verdict::contradicted, "contradicted"},
                                           {Finding::Verdict::failed, "failed"}});

struct ExperimentResult {
  Experiment experiment;
  std::vector<Data> data;
  std::map<std::string, double> values;
  std::vector<Finding> findings;  ///< one for each claim

  const Data& of(const std::string& name) const;
};

/// Judges all claims by tables that were made already, one for each recipe.
ExperimentResult judge(const Experiment& experiment, std::vector<Data> data);

/// Makes all tables and judges all claims. Throws Interrupted. `progress` is told the name of each table before it is
/// made.
ExperimentResult perform(const Experiment& experiment, const std::atomic<bool>* interrupt = nullptr,
                         const std::function<void(const std::string&)>& progress = {});

}  // namespace rattleback
