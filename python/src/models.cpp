#include <fmt/format.h>

#include <algorithm>

#include "arguments.hpp"
#include "rattleback/answer/models.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/attitude_form.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback::python {
namespace {

ReadModel read(const std::string& text, const std::string& file, const ParameterValues& parameters,
               const InputTexts& inputs) {
  return {text, file, parameters, inputs, read_model(text, file, parameters, inputs)};
}

ReadModel load(const std::string& name_or_file, const ParameterValues& parameters, const InputTexts& inputs) {
  Model model = load_model(name_or_file, parameters, inputs);
  const bool is_file = name_or_file.ends_with(".toml");
  std::string text = model.text;
  return {std::move(text), is_file ? name_or_file : name_or_file + ".toml", parameters, inputs, std::move(model)};
}

const char* group_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::time: return "t";
    case ColumnKind::position: return "q";
    case ColumnKind::velocity: return "v";
    case ColumnKind::momentum: return "p";
    case ColumnKind::multiplier: return "multipliers";
    case ColumnKind::energy: return "energy";
    case ColumnKind::work: return "work";
    case ColumnKind::constraint:
    case ColumnKind::holonomic: return "constraint";
    case ColumnKind::conserved: return "conserved";
    case ColumnKind::observed: return "observed";
    case ColumnKind::error:
    case ColumnKind::other: break;
  }
  return "other";
}

py::dict described(const ReadModel& m) {
  using namespace py::literals;
  const System& s = m.model.system;
  py::dict parameters;
  for (const Parameter& p : s.parameter_list()) parameters[py::str(p.name)] = p.value;
  py::dict inputs;
  for (const NamedExpression& input : m.model.inputs) inputs[py::str(input.name)] = input.expression;
  py::dict conserved;
  for (const NamedExpression& c : s.conserved()) conserved[py::str(c.name)] = c.expression;
  py::object initial = py::none();
  if (m.model.initial)
    initial = py::make_tuple(s.space().shown(m.model.initial->q), m.model.initial->v, m.model.initial->t);
  std::vector<Expression> numbers = s.coordinates();
  numbers.resize(s.space().numbers);
  std::vector<std::string> rotations;
  for (const Rotation& rotation : s.rotations()) rotations.push_back(rotation.name);
  return py::dict("name"_a = m.model.name, "title"_a = m.model.title, "description"_a = m.model.description,
                  "source"_a = m.model.source, "coordinates"_a = numbers, "rotations"_a = rotations,
                  "positions"_a = s.position_names(), "velocities"_a = s.velocities(), "parameters"_a = parameters,
                  "inputs"_a = inputs, "lagrangian"_a = s.lagrangian(), "constraints"_a = s.constraints(),
                  "holonomic"_a = s.holonomic(), "forces"_a = s.named_forces(), "energy"_a = s.energy(),
                  "momenta"_a = s.momenta(), "conserved"_a = conserved, "initial"_a = initial, "step"_a = m.model.step,
                  "time"_a = m.model.time, "angles"_a = m.model.angles);
}

}  // namespace

py::array view_of(std::span<const double> numbers, const py::object& owner) {
  py::array_t<double> view(static_cast<py::ssize_t>(numbers.size()), numbers.data(), owner);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

py::list columns_of(const Table& table, const py::object& owner) {
  py::list columns;
  for (const auto& [name, values, kind] : table.columns) {
    columns.append(py::make_tuple(name, group_of(kind), view_of(values, owner)));
  }
  return columns;
}

answer::ProblemRequest problem_request(const ReadModel& model, Arguments& arguments, bool from_source) {
  answer::ProblemRequest request;
  request.parameters = model.parameters;
  request.inputs = model.inputs;
  arguments.take("set", request.parameters);
  arguments.take("inputs", request.inputs);
  if (!from_source && request.parameters == model.parameters && request.inputs == model.inputs) {
    request.model = model.model;
    request.parameters.clear();
    request.inputs.clear();
  } else {
    request.model = answer::ModelSource::text(model.text, model.file);
  }
  arguments.take("step", request.step);
  arguments.take("steps", request.steps);
  arguments.take("time", request.time);
  arguments.take("q0", request.q0);
  arguments.take("v0", request.v0);
  arguments.take("t0", request.t0);
  arguments.take("q1", request.q1);
  arguments.take("project", request.project);
  arguments.take("stop_when", request.stop_when);
  return request;
}

namespace {

/// Rows (w, x, y, z) in another form: matrix, turn, or an order of Euler angles.
py::array attitudes(const py::array_t<double, py::array::c_style | py::array::forcecast>& quaternions,
                    const std::string& form) {
  const auto known = std::ranges::find_if(attitude_forms(), [&](const AttitudeForm& f) {
    return f.kind == AttitudeForm::Kind::euler ? f.order == form
                                               : form == (f.kind == AttitudeForm::Kind::matrix ? "matrix"
                                                          : f.kind == AttitudeForm::Kind::turn ? "turn"
                                                                                               : "quaternion");
  });
  if (known == attitude_forms().end()) {
    throw RequestError(fmt::format(
        "'{}' is no order of Euler angles: it has three axes of which neighbours differ, as in zxy or zxz", form));
  }
  const auto count = static_cast<std::size_t>(quaternions.size()) / 4;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const double* const q = quaternions.data() + 4 * i;
    const auto row = known->numbers_of(rattleback::matrix_of(Quaternion{q[0], q[1], q[2], q[3]}));
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  const std::size_t width = known->names("").size();
  return py::array_t<double>({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(width)}, numbers.data());
}

}  // namespace

void bind_models(py::module_& m) {
  py::class_<ReadModel, std::shared_ptr<ReadModel>>(m, "Model")
      .def_readonly("text", &ReadModel::text)
      .def_readonly("file", &ReadModel::file)
      .def_readonly("set", &ReadModel::parameters)
      .def_readonly("input_texts", &ReadModel::inputs)
      .def("describe", &described);
  m.def("attitudes", &attitudes);
  m.def("read_model", &read);
  m.def("load_model", &load);
  m.def("models", [] { return to_json(answer::models()); });
  m.def("methods", [] {
    py::list list;
    for (const MethodInfo& method : methods()) list.append(py::make_tuple(method.name, method.summary, method.options));
    return list;
  });
  m.def("observers", [] {
    py::list list;
    for (const ObserverInfo& observer : observers()) list.append(py::make_tuple(observer.name, observer.summary));
    return list;
  });
}

}  // namespace rattleback::python
