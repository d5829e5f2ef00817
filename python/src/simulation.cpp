#include "rattleback/answer/simulation.hpp"

#include "arguments.hpp"
#include "attend.hpp"

namespace rattleback::python {
namespace {

/// A simulation whose node is in arrays of its own, which stay where they are.
class Stepping {
 public:
  explicit Stepping(answer::Simulation simulation) : simulation_(std::move(simulation)), node_(simulation_.node()) {}

  void step(std::int64_t count) {
    std::int64_t taken = 0;
    if (count < 100) {
      taken = simulation_.step(count);
    } else {
      const py::gil_scoped_release release;
      while (taken < count) {
        const std::int64_t next = std::min<std::int64_t>(count - taken, 100'000);
        const std::int64_t now = simulation_.step(next);
        taken += now;
        if (now < next) break;
        const py::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
          look();
          throw py::error_already_set();
        }
      }
    }
    look();
    if (taken < count) throw NumericalError(simulation_.failure());
  }
  void set(const ParameterValues& values) {
    simulation_.set(values);
    look();
  }
  std::vector<double> save() const { return simulation_.save(); }
  void restore(std::vector<double> saved) {
    simulation_.restore(std::move(saved));
    look();
  }

  const answer::Simulation& simulation() const { return simulation_; }
  const State& node() const { return node_; }

 private:
  void look() {
    const State& now = simulation_.node();
    std::ranges::copy(now.q, node_.q.begin());
    std::ranges::copy(now.v, node_.v.begin());
  }

  answer::Simulation simulation_;
  State node_;
};

py::tuple make_simulation(const ReadModel& model, const py::dict& given) {
  Arguments arguments(given);
  answer::SimulationRequest request;
  request.problem = problem_request(model, arguments, /*from_source=*/true);
  arguments.take("method", request.method);
  arguments.check();
  auto [begun, attendance] =
      attended_answer(py::none(), [&](const answer::Hooks& hooks) { return answer::Simulation(request, hooks); });
  py::object made = py::none();
  if (begun) made = py::cast(std::make_unique<Stepping>(std::move(*begun)));
  return py::make_tuple(made, attendance.notes, attendance.stop);
}

py::tuple make_batch(const ReadModel& model, const py::dict& given) {
  Arguments arguments(given);
  answer::BatchRequest request;
  request.problem = problem_request(model, arguments, /*from_source=*/true);
  arguments.take("method", request.method);
  arguments.take("n", request.n);
  arguments.take("lanes", request.lanes);
  arguments.check();
  auto [begun, attendance] =
      attended_answer(py::none(), [&](const answer::Hooks& hooks) { return answer::BatchSimulation(request, hooks); });
  py::object made = py::none();
  if (begun) made = py::cast(std::make_unique<answer::BatchSimulation>(std::move(*begun)));
  return py::make_tuple(made, attendance.notes, attendance.stop);
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

void start(answer::BatchSimulation& batch, std::int64_t member, const std::vector<double>& q,
           const std::vector<double>& v) {
  State node = batch.prepared().problem.start;
  if (q.size() != node.q.size() || v.size() != node.v.size()) {
    throw RequestError("a start needs a number for each coordinate");
  }
  node.q = q;
  node.v = v;
  batch.start(member, &node);
}

}  // namespace

void bind_simulation(py::module_& m) {
  using answer::BatchSimulation;
  py::class_<BatchSimulation>(m, "Batch")
      .def("step",
           [](BatchSimulation& b, std::int64_t count) {
             const py::gil_scoped_release release;
             b.step(count);
           })
      .def("set", [](BatchSimulation& b, const std::string& name,
                     const Numbers& values) { b.set(name, {values.data(), static_cast<std::size_t>(values.size())}); })
      .def("start", &start)
      .def("restart", [](BatchSimulation& b, std::int64_t member) { b.start(member); })
      .def_property_readonly(
          "q", [](const py::object& self) { return view_of(py::cast<const BatchSimulation&>(self).batch().q(), self); })
      .def_property_readonly(
          "v", [](const py::object& self) { return view_of(py::cast<const BatchSimulation&>(self).batch().v(), self); })
      .def_property_readonly("steps", &BatchSimulation::steps)
      .def_property_readonly("failures", [](const BatchSimulation& b) { return b.batch().failures(); });
  m.def("batch", &make_batch);

  py::class_<Stepping>(m, "Simulation")
      .def("step", &Stepping::step, py::arg("count") = 1)
      .def("set", &Stepping::set)
      .def("save", &Stepping::save)
      .def("restore", &Stepping::restore)
      .def_property_readonly(
          "q", [](const py::object& self) { return view_of(py::cast<const Stepping&>(self).node().q, self); })
      .def_property_readonly(
          "v", [](const py::object& self) { return view_of(py::cast<const Stepping&>(self).node().v, self); })
      .def_property_readonly("t", [](const Stepping& s) { return s.simulation().time(); })
      .def_property_readonly("steps", [](const Stepping& s) { return s.simulation().steps(); })
      .def_property_readonly("step_size", [](const Stepping& s) { return s.simulation().prepared().problem.step; })
      .def_property_readonly("parameters", [](const Stepping& s) {
        py::dict values;
        const auto& names = s.simulation().prepared().problem.system.parameters();
        for (std::size_t i = 0; i < names.size(); ++i) {
          values[py::str(names[i].name())] = s.simulation().parameters()[i];
        }
        return values;
      });
  m.def("simulation", &make_simulation);
}

}  // namespace rattleback::python
