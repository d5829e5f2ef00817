// Words that people bring from other languages, and what they are here.

#include "advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rattleback {
namespace {

struct Advice {
  std::string_view words;  ///< between spaces
  std::string_view text;
};

constexpr const char* condition_form = "a value that depends on a condition is written if(x > 0, a, b)";
constexpr const char* time_derivative_form = "a time derivative is written with a prime: x', or (x + y)'";

constexpr auto foreign_functions = std::to_array<Advice>({
    {" ln ", "the natural logarithm is log(...)"},
    {" log10 lg ", "write log(...)/log(10)"},
    {" log2 ld ", "write log(...)/log(2)"},
    {" arcsin asn ", "write asin(...)"},
    {" arccos acs ", "write acos(...)"},
    {" arctan arctg atg ", "write atan(...)"},
    {" arctan2 ", "write atan2(y, x)"},
    {" arsinh arcsinh ", "write asinh(...)"},
    {" tg ", "write tan(...)"},
    {" sec ", "write 1/cos(...)"},
    {" csc cosec ", "write 1/sin(...)"},
    {" cot ctg ", "write cos(...)/sin(...)"},
    {" pow power ", "a power is written with ^: x^2"},
    {" square sqr ", "a square is written x^2"},
    {" fabs ", "write abs(...)"},
    {" sgn signum ", "write sign(...)"},
    {" fmin minimum ", "write min(...)"},
    {" fmax maximum ", "write max(...)"},
    {" heaviside step where piecewise select ifelse iif ", condition_form},
    {" floor ceil round mod fmod ", "there is none: it jumps again and again; a table of an input may (docs/driven.md)"},
    {" table lookup interp interp1 ", "tables are declared in [inputs] (docs/driven.md)"},
    {" dt ddt der diff deriv derivative ", time_derivative_form},
});

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::optional<std::string> advice_about_function(std::string_view name) {
  const std::string word = " " + lower(name) + " ";
  for (const Advice& a : foreign_functions) {
    if (a.words.find(word) != std::string_view::npos) return std::string(a.text);
  }
  return std::nullopt;
}

std::optional<std::string> advice_about_name(const std::string& name,
                                             const std::function<bool(const std::string&)>& is_known) {
  if (name.size() > 64) return std::nullopt;
  const auto velocity_of = [&](std::string_view base) -> std::optional<std::string> {
    if (base.empty() || !is_known(std::string(base) + "'")) return std::nullopt;
    return fmt::format("the velocity of {0} is written {0}'", base);
  };
  const std::string_view word = name;
  for (const std::string_view end : {"_dot", "dot", "_t", "_d", "dt"}) {
    if (!word.ends_with(end)) continue;
    std::string_view base = word.substr(0, word.size() - end.size());
    if (end == "dt" && base.starts_with('d')) base.remove_prefix(1);  // dxdt
    if (auto found = velocity_of(base)) return found;
  }
  for (const std::string_view begin : {"dot_", "dot", "d", "v_", "v"}) {
    if (!word.starts_with(begin)) continue;
    if (auto found = velocity_of(word.substr(begin.size()))) return found;
  }
  if (name == "d" || name == "dt") return time_derivative_form;
  if (name == "else" || name == "then" || name == "elif") return condition_form;
  if (name == "true" || name == "false") return "conditions are comparisons, as in if(x > 0, a, b)";
  if (name == "e" || name == "euler") return "Euler's number is exp(1)";
  std::string capital = name;
  if (capital[0] >= 'a' && capital[0] <= 'z') capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
  for (const std::string& other : {lower(name), capital}) {
    if (other != name && is_known(other)) return fmt::format("did you mean '{}'?", other);
  }
  return std::nullopt;
}

}  // namespace rattleback
