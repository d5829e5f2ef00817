#pragma once

#include <array>
#include <optional>

#include "model_text.hpp"
#include "rattleback/model/conformal.hpp"
#include "rattleback/model/start.hpp"
#include "rattleback/model/view.hpp"

namespace rattleback {

// Sections of a model file, one reader for each. All of them throw ModelError; what is not there changes nothing.

/// [symmetry]; `places` are those of the symmetries and of the sections that are added.
void read_symmetry(const ModelText& text, SystemDefinition& definition, ModelText::Places& places,
                   ModelText::Places& section_places);

/// The names of the momenta that [conformal] declares.
ModelText::Names momentum_names(const ModelText& text);

/// [conformal]: a conformally Hamiltonian system instead of a Lagrangian.
std::optional<ConformalDefinition> read_conformal(const ModelText& text);

/// [inputs], some of which may be replaced: names that the sections after it may use.
std::vector<NamedExpression> read_inputs(ModelText& text, InputTexts replaced);

/// [events]; `places` are those of their functions.
std::vector<Event> read_events(const ModelText& text, ModelText::Places& places);

struct InitialSection {
  State state;
  SomeNumbers given;  ///< velocities by name: the others were solved for; empty if all were given
};

/// [initial]; momenta may be given where the model is a conformal one.
std::optional<InitialSection> read_initial(const ModelText& text, const std::optional<ConformalDefinition>& conformal,
                                           const System& system);

/// An entry of [initial] for a rotation.
RotationMatrix read_attitude(const ModelText& text, const toml::node& node, const std::string& what);

/// [view]: how the motion is drawn. Rotations in it are checked at the initial state, if there is one.
View read_view(const ModelText& text, const State* initial);
/// [picture]: a view of one upright body.
std::optional<View> read_picture(const ModelText& text);
/// slope of either of them.
std::array<double, 2> read_slope(const ModelText& text, const toml::table& section);

}  // namespace rattleback
