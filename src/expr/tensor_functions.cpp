#include "tensor_functions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "euler_angles.hpp"
#include "rattleback/expr/contact.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

using Arguments = std::vector<Tensor>;

template <class T>
const T* as(const Arguments& a, std::size_t i) {
  return std::get_if<T>(&a[i]);
}

std::size_t entry_count(const Arguments& a) {
  std::size_t total = 0;
  for (const Tensor& t : a) total += entries_of(t).size();
  return total;
}

std::size_t square_of_entries(const Arguments& a) { return entry_count(a) * entry_count(a); }

/// The derivative is tidied, which takes the time of many words.
std::size_t cost_of_tidying(const Arguments& a) { return 128 * Graph(entries_of(a[0])).size(); }

template <auto function>
std::optional<Tensor> of_two_vectors(const Arguments& a) {
  const auto* first = as<Vector>(a, 0);
  const auto* second = as<Vector>(a, 1);
  if (first == nullptr || second == nullptr) return std::nullopt;
  return function(*first, *second);
}

template <auto function>
std::optional<Tensor> of_an_angle(const Arguments& a) {
  const auto* angle = as<Expression>(a, 0);
  if (angle == nullptr) return std::nullopt;
  return function(*angle);
}

std::optional<Tensor> norm_of(const Arguments& a) {
  const auto* vector = as<Vector>(a, 0);
  if (vector == nullptr) return std::nullopt;
  return norm(*vector);
}

std::optional<Tensor> transpose_of(const Arguments& a) {
  const auto* matrix = as<Matrix>(a, 0);
  if (matrix == nullptr) return std::nullopt;
  return transpose(*matrix);
}

std::optional<Tensor> diag_of(const Arguments& a) {
  if (const auto* vector = as<Vector>(a, 0); vector != nullptr && a.size() == 1) return diag(*vector);
  Vector diagonal;
  for (const Tensor& t : a) {
    const auto* entry = std::get_if<Expression>(&t);
    if (entry == nullptr) return std::nullopt;
    diagonal.push_back(*entry);
  }
  return diag(diagonal);
}

std::optional<Tensor> angular_of(const Arguments& a) {
  const auto* rotation = as<Matrix>(a, 0);
  if (rotation == nullptr) return std::nullopt;
  return angular(*rotation, std::get<Matrix>(a[1]));
}

template <std::size_t order>
std::optional<Tensor> euler_angles_of(const Arguments& a) {
  const auto* rotation = as<Matrix>(a, 0);
  if (rotation == nullptr || rotation->rows != 3 || rotation->columns != 3) return std::nullopt;
  const auto entry = [&](std::size_t i, std::size_t j) { return (*rotation)(i, j); };
  const auto angles = euler_angles<Expression>(entry, euler_orders[order]);
  return Vector(angles.begin(), angles.end());
}

constexpr std::string_view euler_names[]{"euler_xyz", "euler_yzx", "euler_zxy", "euler_xzy", "euler_yxz", "euler_zyx",
                                         "euler_xyx", "euler_yzy", "euler_zxz", "euler_xzx", "euler_yxy", "euler_zyz"};

template <std::size_t... order>
constexpr auto euler_functions(std::index_sequence<order...>) {
  return std::array{TensorFunction{euler_names[order], 1, 1, "a rotation, which is a 3 by 3 matrix", "", false,
                                   entry_count, euler_angles_of<order>}...};
}

/// Those of a vector, some scalars and, where they may have one more argument, an axis.
template <auto function, std::size_t... scalar>
std::optional<Tensor> contact_of(const Arguments& a, std::index_sequence<scalar...>) {
  const auto* u = as<Vector>(a, 0);
  const std::array<const Expression*, sizeof...(scalar)> sizes{as<Expression>(a, scalar + 1)...};
  if (u == nullptr || std::ranges::find(sizes, nullptr) != sizes.end()) return std::nullopt;
  if constexpr (std::is_invocable_v<decltype(function), Vector, decltype(*sizes[scalar])..., Vector>) {
    const Vector second{0, 1, 0};
    const auto* axis = a.size() > sizes.size() + 1 ? as<Vector>(a, sizes.size() + 1) : &second;
    if (axis == nullptr) return std::nullopt;
    return function(*u, *sizes[scalar]..., *axis);
  } else {
    return function(*u, *sizes[scalar]...);
  }
}

template <auto function, std::size_t scalars>
std::optional<Tensor> contact_with(const Arguments& a) {
  return contact_of<function>(a, std::make_index_sequence<scalars>());
}

constexpr auto tensor_table = std::to_array<TensorFunction>({
    {"dot", 2, 2, "two vectors", "the velocity of x is written x'", false, entry_count,
     of_two_vectors<static_cast<Expression (*)(const Vector&, const Vector&)>(dot)>},
    {"cross", 2, 2, "two vectors of 3 components", "", false, entry_count, of_two_vectors<cross>},
    {"norm", 1, 1, "a vector", "", false, entry_count, norm_of},
    {"transpose", 1, 1, "a matrix", "the product of a row and a column is dot(a, b)", false, entry_count, transpose_of},
    {"diag", 1, 0, "scalars, or one vector", "", false, square_of_entries, diag_of},
    {"rotx", 1, 1, "an angle", "", false, entry_count, of_an_angle<rotx>},
    {"roty", 1, 1, "an angle", "", false, entry_count, of_an_angle<roty>},
    {"rotz", 1, 1, "an angle", "", false, entry_count, of_an_angle<rotz>},
    {"angular", 1, 1, "a rotation, which is a 3 by 3 matrix", "", true, cost_of_tidying, angular_of},
    {"contact_ellipsoid", 4, 4, "a vector and three semi-axes", "", false, entry_count,
     contact_with<contact_ellipsoid, 3>},
    {"contact_disk", 2, 3, "a vector, a radius and an axis", "", false, entry_count, contact_with<contact_disk, 1>},
    {"contact_sphere", 2, 2, "a vector and a radius", "", false, entry_count, contact_with<contact_sphere, 1>},
    {"contact_torus", 3, 4, "a vector, two radii and an axis", "", false, entry_count, contact_with<contact_torus, 2>},
});

}  // namespace

std::span<const TensorFunction> tensor_functions() {
  static const auto all = [] {
    std::vector<TensorFunction> list(tensor_table.begin(), tensor_table.end());
    std::ranges::copy(euler_functions(std::make_index_sequence<euler_orders.size()>()), std::back_inserter(list));
    return list;
  }();
  return all;
}

const TensorFunction* find_tensor_function(std::string_view name) {
  const auto found = std::ranges::find(tensor_functions(), name, &TensorFunction::name);
  return found == tensor_functions().end() ? nullptr : &*found;
}

}  // namespace rattleback
