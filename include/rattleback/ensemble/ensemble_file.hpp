#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

/// Of what an ensemble quantity is made: the last nodes, those at the times, or those on a section.
struct Gathering {
  enum class At : std::uint8_t { last, times, section };
  At at = At::last;
  std::size_t section = 0;
};

/// How often a quantity lies in which interval, over the ensemble.
struct Histogram {
  std::string name;
  Expression quantity;  ///< in the names of node_quantities
  Gathering where;
  std::size_t bins = 50;
  std::optional<double> from = {};  ///< otherwise the least and the largest value
  std::optional<double> to = {};
};

/// The volume of the convex hull of all members, in coordinates of one's own.
struct Volume {
  std::string name;
  std::vector<Expression> coordinates;
  Gathering where;
};

/// A file that describes an ensemble (docs/ensembles.md).
struct EnsembleFile {
  std::string text;
  std::string title;
  Model model;
  Ensemble ensemble;
  std::vector<Histogram> histograms;
  std::vector<Volume> volumes;
};

/// Throws ModelError; `file` is named in errors, and models are looked for beside it. Parameters have these values
/// `instead` of those of the file.
EnsembleFile read_ensemble(std::string_view text, const std::string& file, const ParameterValues& instead = {});

}  // namespace rattleback
