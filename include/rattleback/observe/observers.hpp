#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rattleback/flow/run.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

struct ObserverInfo {
  std::string name;
  std::string summary;
};

/// All observers, in the order in which they are listed to people.
std::span<const ObserverInfo> observers();

/// Throws MethodError if there is no such observer.
void check_observer(std::string_view name);

/// Throws MethodError if there is no such observer, or nothing for it to observe in this system under this method.
std::unique_ptr<Observer> make_observer(std::string_view name, const DerivedMethod& method, const Problem& problem);
std::unique_ptr<Observer> make_observer(std::string_view name, const MethodSpec& method, const Problem& problem);
/// What has no such name is an expression of the motion, in the names of the model: NAME=EXPRESSION, or an expression
/// that is its own name. The components of a vector have a column each.
std::unique_ptr<Observer> make_observer(std::string_view text, const DerivedMethod& method, const Problem& problem,
                                        const Model& model);
/// Throws MethodError if it is no observer, and cannot be such an expression.
void check_observer_or_quantity(std::string_view text);

}  // namespace rattleback
