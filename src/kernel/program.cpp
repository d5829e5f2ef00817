#include "rattleback/kernel/program.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../expr/expression_key.hpp"
#include "builder.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {

FusedCode fuse(const Builder& builder, std::span<const Value> roots) {
  const auto& code = builder.code();
  std::vector<int> uses(code.size(), 0);
  for (const Value v : roots) ++uses[v];
  const auto for_operands = [&](const Instruction& i, auto&& visit) {
    const int n = operand_count(i.op);
    if (n > 0) visit(i.a);
    if (n > 1) visit(i.b);
    if (n > 2) visit(i.c);
  };
  for (std::size_t v = code.size(); v-- > 0;) {
    if (uses[v] > 0) for_operands(code[v], [&](Value operand) { ++uses[operand]; });
  }

  // Which addition takes which multiplication along. A product that is needed elsewhere too is then
  // computed twice, but the fused operation costs no more than the addition and is done sooner.
  std::vector<Value> fused_into(code.size(), 0);
  for (Value v = 0; v < code.size(); ++v) {
    if (uses[v] == 0 || (code[v].op != Opcode::add && code[v].op != Opcode::subtract)) continue;
    for (const Value m : {code[v].b, code[v].a}) {
      if (code[m].op != Opcode::multiply || builder.level(m) != builder.level(v)) continue;
      if (fused_into[v] == 0 || uses[m] == 1) fused_into[v] = m + 1;
    }
  }
  for (Value v = 0; v < code.size(); ++v) {
    if (fused_into[v] == 0) continue;
    --uses[fused_into[v] - 1];
    ++uses[code[fused_into[v] - 1].a];
    ++uses[code[fused_into[v] - 1].b];
  }

  std::unordered_map<Value, std::pair<bool, bool>> angles;
  for (Value v = 0; v < code.size(); ++v) {
    if (uses[v] == 0) continue;
    if (code[v].op == Opcode::sin) angles[code[v].a].first = true;
    if (code[v].op == Opcode::cos) angles[code[v].a].second = true;
  }

  FusedCode result;
  result.renumbered.resize(code.size());
  std::unordered_map<Value, Value> sincos_of;
  std::unordered_map<Value, Value> negated;
  const auto append = [&](Instruction i, int level) {
    result.code.push_back(i);
    result.level.push_back(level);
    return static_cast<Value>(result.code.size() - 1);
  };
  const auto negate = [&](Value v) {
    const auto [position, is_new] = negated.emplace(v, 0);
    if (is_new) position->second = append({Opcode::negate, v}, result.level[v]);
    return position->second;
  };
  for (Value v = 0; v < code.size(); ++v) {
    if (uses[v] == 0) continue;
    Instruction i = code[v];
    const int level = builder.level(v);
    if (fused_into[v] != 0) {
      const Value m = fused_into[v] - 1;
      Value factor = result.renumbered[code[m].a];
      const Value other_factor = result.renumbered[code[m].b];
      Value addend = result.renumbered[m == i.b ? i.a : i.b];
      if (i.op == Opcode::subtract) (m == i.b ? factor : addend) = negate(m == i.b ? factor : addend);
      result.renumbered[v] = append({Opcode::fma, factor, other_factor, addend}, level);
      continue;
    }
    const int n = operand_count(i.op);
    if (n > 0) i.a = result.renumbered[i.a];
    if (n > 1) i.b = result.renumbered[i.b];
    if (n > 2) i.c = result.renumbered[i.c];
    if (n == 1) i.b = 0;
    const bool is_pair = (i.op == Opcode::sin || i.op == Opcode::cos) && angles[code[v].a] == std::pair(true, true);
    if (!is_pair) {
      result.renumbered[v] = append(i, level);
      continue;
    }
    const auto [position, is_new] = sincos_of.emplace(i.a, 0);
    if (is_new) position->second = append({Opcode::sincos, i.a}, level);
    result.renumbered[v] =
        i.op == Opcode::sin ? position->second : append({Opcode::cosine_of, position->second, i.a}, level);
  }
  return result;
}

Program to_program(const Builder& builder, std::size_t inputs, std::vector<Value> outputs) {
  FusedCode fused = fuse(builder, outputs);
  for (Value& v : outputs) v = fused.renumbered[v];
  return {std::move(fused.code), builder.constants(), static_cast<std::uint32_t>(inputs), std::move(outputs)};
}

namespace {

/// Equal for symbols whose names differ in digits only, as those of coordinates that are one of many.
std::size_t family_of(const Expression& symbol) {
  std::string name = symbol.name();
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  return std::hash<std::string>()(name);
}

Program derive_program(std::span<const Expression> inputs, std::span<const Expression> outputs, bool with_magnitudes) {
  Builder builder;
  Bindings scope;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_symbol()) throw ExpressionError("inputs must be symbols, found " + to_text(inputs[i]));
    if (scope.find(inputs[i]) != nullptr) throw ExpressionError("'" + inputs[i].name() + "' is an input twice");
    scope.bind(inputs[i], builder.input(static_cast<std::uint32_t>(i), 1, {}, family_of(inputs[i])));
  }
  std::vector<Value> values;
  for (const Expression& e : outputs) values.push_back(builder.lower(e, scope));
  for (std::size_t i = 0; with_magnitudes && i < outputs.size(); ++i) values.push_back(builder.magnitude(values[i]));
  return to_program(builder, inputs.size(), std::move(values));
}

/// What is watched of a system is the same in all of its runs. Large programs are not kept.
Program make_program(std::span<const Expression> inputs, std::span<const Expression> outputs, bool with_magnitudes) {
  constexpr std::size_t few = 1000;
  static auto& memo = *new Memo<ExpressionKey, Program, ExpressionKey::Hash>(64);
  if (inputs.size() + outputs.size() > few) return derive_program(inputs, outputs, with_magnitudes);
  ExpressionKey key;
  key.add(inputs);
  key.add(outputs);
  key.add(std::uint64_t{with_magnitudes});
  if (const auto known = memo.find(key)) return *known;
  const auto made = std::make_shared<const Program>(derive_program(inputs, outputs, with_magnitudes));
  if (made->code.size() <= 10 * few) memo.keep(std::move(key), made);
  return *made;
}

}  // namespace

Program make_program(std::span<const Expression> inputs, std::span<const Expression> outputs) {
  return make_program(inputs, outputs, false);
}

Program make_program_with_magnitudes(std::span<const Expression> inputs, std::span<const Expression> outputs) {
  return make_program(inputs, outputs, true);
}

std::string listing(const Program& program) {
  std::string text;
  for (std::size_t v = 0; v < program.code.size(); ++v) {
    const Instruction& i = program.code[v];
    text += fmt::format("%{} = {}", v, opcode_name(i.op));
    if (i.op == Opcode::constant) text += fmt::format(" {}", program.constants[i.a]);
    if (i.op == Opcode::input || i.op == Opcode::variable) text += fmt::format(" [{}]", i.a);
    const int n = operand_count(i.op);
    if (n > 0) text += fmt::format(" %{}", i.a);
    if (n > 1) text += fmt::format(" %{}", i.b);
    if (n > 2) text += fmt::format(" %{}", i.c);
    text += '\n';
  }
  for (std::size_t k = 0; k < program.outputs.size(); ++k)
    text += fmt::format("out[{}] = %{}\n", k, program.outputs[k]);
  return text;
}

}  // namespace rattleback
