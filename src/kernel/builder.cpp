#include "builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "execute.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

/// Integer powers up to this one are multiplied out.
constexpr double largest_multiplied_power = 64.0;

constexpr std::size_t block_of_sum = 8;
constexpr std::size_t longest_sum_in_blocks = 64;

/// Whether an operation on these numbers made no rounding error.
bool is_exact(Opcode op, double a, double b, double result) {
  switch (op) {
    case Opcode::add: return result - a == b && result - b == a;
    case Opcode::subtract: return a - result == b && result + b == a;
    case Opcode::multiply: return std::fma(a, b, -result) == 0.0;
    case Opcode::divide: return std::fma(result, b, -a) == 0.0;
    case Opcode::negate:
    case Opcode::absolute:
    case Opcode::minimum:
    case Opcode::sign:
    case Opcode::least:
    case Opcode::largest:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::select: return true;
    default: return false;
  }
}

}  // namespace

std::size_t InstructionHash::operator()(const Instruction& i) const {
  std::uint64_t h = static_cast<std::uint64_t>(i.op);
  for (const Value v : {i.a, i.b, i.c}) h = (h ^ v) * 0x9e3779b97f4a7c15U, h ^= h >> 29;
  return h;
}

Value Builder::emit(Instruction instruction, int level, const Sample& sample) {
  if (replayed_) {
    const auto known = numbering_.find(instruction);
    if (known == numbering_.end() || known->second > *replayed_) throw Different();
    if (known->second == *replayed_) ++*replayed_;
    return known->second;
  }
  const auto [position, is_new] = numbering_.emplace(instruction, static_cast<Value>(code_.size()));
  if (is_new) {
    keep_working();
    code_.push_back(instruction);
    level_.push_back(level);
    sample_.push_back(sample);
  }
  return position->second;
}

Builder::Sample Builder::sample_of(const Instruction& i) const {
  Sample sample;
  for (std::size_t s = 0; s < samples; ++s) {
    const double numbers[] = {sample_[i.a][s], sample_[i.b][s], sample_[i.c][s]};
    sample[s] = execute<double>({i.op, 0, 1, 2}, nullptr, nullptr, nullptr, numbers);
  }
  return sample;
}

Value Builder::operation(Opcode op, Value a, Value b, Value c) {
  const Instruction instruction{op, a, b, c};
  const Value operands[] = {a, b, c};
  bool constant_operands = true;
  int level = 0;
  for (int k = 0; k < operand_count(op); ++k) {
    constant_operands = constant_operands && is_constant(operands[k]);
    level = std::max(level, level_[operands[k]]);
  }
  const Sample sample = sample_of(instruction);
  const bool may_fold = folding_ == Constants::folded || is_exact(op, sample_[a][0], sample_[b][0], sample[0]);
  if (constant_operands && std::isfinite(sample[0]) && may_fold) return constant(sample[0]);
  return emit(instruction, level, sample);
}

Value Builder::constant(double value) {
  const auto [position, is_new] =
      constant_index_.emplace(std::bit_cast<std::uint64_t>(value), static_cast<std::uint32_t>(constants_.size()));
  if (is_new) constants_.push_back(value);
  Sample sample;
  sample.fill(value);
  return emit({Opcode::constant, position->second}, 0, sample);
}

Value Builder::input(std::uint32_t index, int level, const Sample& sample, std::size_t family) {
  const Value v = emit({Opcode::input, index}, level, sample);
  family_[v] = family;
  return v;
}

Value Builder::variable(std::uint32_t index, int level, const Sample& sample) {
  return emit({Opcode::variable, index}, level, sample);
}

Value Builder::add(Value a, Value b) {
  if (is_constant(a, 0.0)) return b;
  if (is_constant(b, 0.0)) return a;
  if (code_[b].op == Opcode::negate) return subtract(a, code_[b].a);
  if (code_[a].op == Opcode::negate) return subtract(b, code_[a].a);
  return operation(Opcode::add, std::min(a, b), std::max(a, b));
}

Value Builder::subtract(Value a, Value b) {
  if (is_constant(b, 0.0)) return a;
  if (is_constant(a, 0.0)) return negate(b);
  if (a == b) return constant(0.0);
  if (code_[b].op == Opcode::negate) return add(a, code_[b].a);
  if (code_[a].op == Opcode::negate) return negate(add(code_[a].a, b));
  if (const auto reversed = numbering_.find({Opcode::subtract, b, a});
      reversed != numbering_.end() && reversed->second < end()) {
    return operation(Opcode::negate, reversed->second);  // signs are folded into what uses them
  }
  return operation(Opcode::subtract, a, b);
}

Value Builder::multiply(Value a, Value b) {
  if (is_constant(a, 0.0) || is_constant(b, 0.0)) return constant(0.0);
  if (is_constant(a, 1.0)) return b;
  if (is_constant(b, 1.0)) return a;
  if (is_constant(a, -1.0)) return negate(b);
  if (is_constant(b, -1.0)) return negate(a);
  if (code_[b].op == Opcode::negate) std::swap(a, b);
  if (code_[a].op == Opcode::negate) {  // the sign goes to what is known early, or outwards
    const Value positive = code_[a].a;
    return level_[b] < level_[positive] ? multiply(positive, negate(b)) : negate(multiply(positive, b));
  }
  return operation(Opcode::multiply, std::min(a, b), std::max(a, b));
}

Value Builder::divide(Value a, Value b) {
  if (is_constant(a, 0.0)) return a;
  if (is_constant(b, 1.0)) return a;
  if (is_constant(b, -1.0)) return negate(a);
  if (code_[b].op == Opcode::negate) return negate(divide(a, code_[b].a));
  if (code_[a].op == Opcode::negate) return negate(divide(code_[a].a, b));
  // What divides is known earlier than what is divided: its reciprocal is computed early.
  if (level_[b] < level_[a]) return multiply(a, reciprocal(b));
  return operation(Opcode::divide, a, b);
}

Value Builder::negate(Value a) {
  if (code_[a].op == Opcode::negate) return code_[a].a;
  return operation(Opcode::negate, a);
}

Value Builder::absolute(Value a) {
  if (code_[a].op == Opcode::absolute) return a;
  if (code_[a].op == Opcode::negate) return absolute(code_[a].a);
  return operation(Opcode::absolute, a);
}

Value Builder::call(Opcode op, Value a, Value b) { return operation(op, a, b); }

Value Builder::select(Value condition, Value a, Value b) {
  if (is_constant(condition)) return constant_of(condition) != 0.0 ? a : b;
  return a == b ? a : operation(Opcode::select, condition, a, b);
}

Value Builder::power(Value base, std::uint64_t exponent) {
  if (exponent == 1) return base;
  if (exponent % 2 == 1) return multiply(base, power(base, exponent - 1));
  const Value half = power(base, exponent / 2);
  return multiply(half, half);
}

void Builder::take_as_given(Value v) {
  magnitude_[v] = absolute(v);
  if (code_[v].op == Opcode::negate) magnitude_[code_[v].a] = magnitude_[v];
}

Value Builder::lower(const Expression& e, Bindings& scope) {
  const Graph graph({&e, 1});
  new_sums_.clear();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (scope.find(graph[i]) != nullptr) continue;
    for (const Term& t : graph[i].operands()) {
      if (graph[i].kind() == Kind::product && t.weight < 0.0) ++divisor_uses_[t.expression];
      if (t.expression.kind() == Kind::sum && scope.find(t.expression) == nullptr) ++new_sums_[t.expression];
    }
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (scope.find(graph[i]) == nullptr) scope.values_[graph[i]] = lower_node(graph[i], scope);
  }
  return *scope.find(e);
}

Value Builder::lower_node(const Expression& e, Bindings& scope) {
  const auto operand = [&](std::size_t k) { return *scope.find(e.operands()[k].expression); };
  switch (e.kind()) {
    case Kind::constant: return constant(e.value());
    case Kind::symbol: throw ExpressionError("'" + e.name() + "' is not among the inputs of the program");
    case Kind::function: return lower_call(e, scope);
    case Kind::power: {
      const Expression& exponent = e.operands()[1].expression;
      const double n = exponent.is_constant() ? exponent.value() - 0.5 : -1.0;
      if (n >= 1.0 && n == std::trunc(n) && n <= largest_multiplied_power) {  // x^(n+½) = xⁿ √x
        return multiply(call(Opcode::sqrt, operand(0)), power(operand(0), static_cast<std::uint64_t>(n)));
      }
      return call(Opcode::pow, operand(0), operand(1));
    }
    case Kind::sum: return lower_sum(e, scope);
    case Kind::product: return lower_product(e, scope);
  }
  throw ExpressionError("an expression of unknown kind");
}

/// c·v, with c multiplied to the part of v that is known early.
Value Builder::scale(double c, Value v) {
  const Instruction i = code_[v];
  if (i.op == Opcode::multiply && c != 1.0) {
    const bool a_is_early = level_[i.a] < level_[v];
    if (a_is_early || level_[i.b] < level_[v]) {
      return a_is_early ? multiply(scale(c, i.a), i.b) : multiply(i.a, scale(c, i.b));
    }
  }
  return multiply(constant(c), v);
}

Value Builder::add_in_order(std::vector<std::pair<Value, double>> terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [&](const auto& a, const auto& b) { return level_[a.first] < level_[b.first]; });
  // A leading minus costs an instruction; another term of the same level may go first instead.
  const auto plus = std::find_if(terms.begin(), terms.end(), [](const auto& t) { return t.second > 0.0; });
  if (plus != terms.end() && level_[plus->first] == level_[terms.front().first])
    std::rotate(terms.begin(), plus, plus + 1);
  const auto signed_term = [&](const auto& t) {
    const Value scaled = scale(std::abs(t.second), t.first);
    return t.second < 0.0 ? negate(scaled) : scaled;
  };
  if (terms.size() > longest_sum_in_blocks) {
    std::vector<Value> all;
    for (const auto& t : terms) all.push_back(signed_term(t));
    return sum(all);
  }
  // Long sums in blocks, added pairwise: shorter chains of dependent additions, smaller errors.
  std::vector<Value> partial((terms.size() + block_of_sum - 1) / block_of_sum, constant(0.0));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto& [value, weight] = terms[k];
    Value& total = partial[k / block_of_sum];
    const Value scaled = scale(std::abs(weight), value);
    total = weight < 0.0 ? subtract(total, scaled) : add(total, scaled);
  }
  return add_pairwise(std::move(partial));
}

Value Builder::add_pairwise(std::vector<Value> partial) {
  while (partial.size() > 1) {
    std::vector<Value> next;
    for (std::size_t i = 0; i < partial.size(); i += 2) {
      next.push_back(i + 1 < partial.size() ? add(partial[i], partial[i + 1]) : partial[i]);
    }
    partial = std::move(next);
  }
  return partial[0];
}

/// Equal for values that the same operations compute, as far as one looks.
std::uint64_t Builder::kind_of(Value v, int depth) const {
  const Instruction& i = code_[v];
  std::uint64_t h = static_cast<std::uint64_t>(i.op) + 1;
  if (i.op == Opcode::input) h ^= family_.at(v);
  const int n = depth == 0 ? 0 : operand_count(i.op);
  for (int k = 0; k < n; ++k) {
    h = (h ^ kind_of(k == 0 ? i.a : k == 1 ? i.b : i.c, depth - 1)) * 0x9e3779b97f4a7c15U;
    h ^= h >> 29;
  }
  return h;
}

Value Builder::sum(const std::vector<Value>& terms) {
  constexpr int depth = 4;
  std::vector<std::vector<Value>> alike;
  std::unordered_map<std::uint64_t, std::size_t> kinds;
  for (const Value v : terms) {
    const auto [kind, is_new] = kinds.emplace(kind_of(v, depth), alike.size());
    if (is_new) alike.emplace_back();
    alike[kind->second].push_back(v);
  }
  std::vector<Value> partial;
  std::vector<Value> others;
  for (const std::vector<Value>& group : alike) {
    const std::size_t in_vectors = group.size() < 2 * block_of_sum ? 0 : group.size() / block_of_sum * block_of_sum;
    std::vector<Value> sums(in_vectors == 0 ? 0 : block_of_sum, constant(0.0));
    for (std::size_t k = 0; k < group.size(); ++k) {
      if (k >= in_vectors) {
        others.push_back(group[k]);
      } else {
        sums[k % block_of_sum] = add(sums[k % block_of_sum], group[k]);
      }
    }
    if (in_vectors > 0) partial.push_back(add_pairwise(std::move(sums)));
  }
  for (std::size_t k = 0; k < others.size(); ++k) {
    if (k % block_of_sum == 0) partial.push_back(constant(0.0));
    partial.back() = add(partial.back(), others[k]);
  }
  return add_pairwise(std::move(partial));
}

Value Builder::lower_sum(const Expression& e, Bindings& scope) {
  std::vector<std::pair<Value, double>> terms;
  for (const Term& t : e.operands()) terms.emplace_back(*scope.find(t.expression), t.weight);
  if (e.value() != 0.0) terms.emplace_back(constant(std::abs(e.value())), e.value() < 0.0 ? -1.0 : 1.0);
  // What grew term by term is a sum of sums, the first terms innermost. Those that are used again stay what they are.
  const auto is_part = [&](const Expression& part) {
    const auto uses = new_sums_.find(part);
    return uses != new_sums_.end() && uses->second == 1;
  };
  std::vector<std::pair<Expression, double>> sums{{e, 1.0}};
  std::size_t count = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const auto [sum, factor] = sums[k];
    for (const Term& t : sum.operands()) {
      if (is_part(t.expression)) sums.emplace_back(t.expression, factor * t.weight);
    }
    count += sum.operands().size();
  }
  if (count <= longest_sum_in_blocks) return add_in_order(std::move(terms));
  terms.clear();
  for (auto s = sums.rbegin(); s != sums.rend(); ++s) {
    const auto& [sum, factor] = *s;
    if (sum.value() != 0.0) terms.emplace_back(constant(sum.value()), factor);
    for (const Term& t : sum.operands()) {
      if (!is_part(t.expression)) terms.emplace_back(*scope.find(t.expression), factor * t.weight);
    }
  }
  return add_in_order(std::move(terms));
}

Value Builder::multiply_in_order(std::vector<Value> factors) {
  if (factors.empty()) return constant(1.0);
  std::stable_sort(factors.begin(), factors.end(), [&](Value a, Value b) { return level_[a] < level_[b]; });
  Value total = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) total = multiply(total, factors[i]);
  return total;
}

Value Builder::lower_product(const Expression& e, Bindings& scope) {
  std::vector<Value> over;
  std::vector<Value> under;
  if (e.value() != 1.0) over.push_back(constant(e.value()));
  for (const Term& t : e.operands()) {
    const Value base = *scope.find(t.expression);
    const double n = std::abs(t.weight);
    const auto powered = [&](Value b) {
      if (n > largest_multiplied_power) return call(Opcode::pow, b, constant(n));
      return power(b, static_cast<std::uint64_t>(n));
    };
    if (t.weight > 0.0) {
      over.push_back(powered(base));
    } else if (divisor_uses_[t.expression] > 1) {  // one division for all of them
      over.push_back(powered(reciprocal(base)));
    } else {
      under.push_back(powered(base));
    }
  }
  if (under.empty()) return multiply_in_order(std::move(over));
  // Divisors known early become factors known early.
  const int latest =
      level_[*std::max_element(under.begin(), under.end(), [&](Value a, Value b) { return level_[a] < level_[b]; })];
  int numerator = 0;
  for (const Value v : over) numerator = std::max(numerator, level_[v]);
  if (latest < numerator) {
    over.push_back(reciprocal(multiply_in_order(std::move(under))));
    return multiply_in_order(std::move(over));
  }
  return divide(multiply_in_order(std::move(over)), multiply_in_order(std::move(under)));
}

}  // namespace rattleback
