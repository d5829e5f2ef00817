#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "rattleback/expr/matrix.hpp"

namespace rattleback {

/// A function of vectors and matrices.
struct TensorFunction {
  std::string_view name;
  std::size_t fewest;       ///< arguments
  std::size_t most;         ///< 0: any number
  std::string_view takes;   ///< "two vectors", for messages
  std::string_view advice;  ///< for those who meant something else
  bool of_derivative;       ///< its second argument is the time derivative of the first
  std::size_t (*cost)(const std::vector<Tensor>& arguments);
  /// Throws ExpressionError; without a value if the arguments are of other shapes.
  std::optional<Tensor> (*apply)(const std::vector<Tensor>& arguments);
};

std::span<const TensorFunction> tensor_functions();
const TensorFunction* find_tensor_function(std::string_view name);

/// The one whose first argument is the name of a function: contact_support(h, u).
inline constexpr std::string_view support_call = "contact_support";

}  // namespace rattleback
