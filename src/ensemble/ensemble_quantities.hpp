#pragma once

#include <functional>

#include "../io/hdf5_writer.hpp"
#include "rattleback/ensemble/ensemble_result.hpp"

namespace rattleback {

/// Calls its argument with every result there is, in the order of the members.
using EachResult = std::function<void(const std::function<void(const MemberResult&)>&)>;

/// Histograms and volumes of an ensemble, and what does not exist. `statistics` are the names of formulas and of what
/// observers observe.
EnsembleQuantities ensemble_quantities(const EnsembleFile& file, const std::vector<std::string>& statistics,
                                       const EachResult& each);

void write_quantities(const Hdf5Writer& writer, const EnsembleQuantities& quantities);

}  // namespace rattleback
