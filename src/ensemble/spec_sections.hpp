#pragma once

#include "rattleback/ensemble/ensemble_file.hpp"
#include "spec_file.hpp"

namespace rattleback {

// Sections of the file of an ensemble. All of them throw ModelError.

/// [[vary]]; the stream is for its random numbers, if it has any.
Axis read_axis(const SpecFile& file, const toml::table& axis, const Model& model, RandomStream stream);

/// [keep]: what is kept of a trajectory besides its last node.
void read_keep(const SpecFile& file, Ensemble& ensemble);

/// [[section]], after those that the ensemble has already.
void read_section(const SpecFile& file, const toml::table& section, Ensemble& ensemble);

/// [[histogram]] and [[volume]]: quantities of the ensemble, at times or sections that it has.
Histogram read_histogram(const SpecFile& file, const toml::table& table, const Ensemble& ensemble);
Volume read_volume(const SpecFile& file, const toml::table& table, const Ensemble& ensemble);

}  // namespace rattleback
