#include "rattleback/answer/simulation.hpp"

#include <chrono>

#include "arguments.hpp"
#include "attend.hpp"
#include "unlocked.hpp"

namespace rattleback::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// While one thread leads, without the lock of the interpreter, others are refused. Who looks has the lock.
class Lead {
 public:
  explicit Lead(bool& is_taken) : is_taken_(is_taken) {
    require_free(is_taken);
    is_taken = true;
  }
  ~Lead() { is_taken_ = false; }
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

  static void require_free(bool is_taken) {
    if (is_taken) throw RequestError("another thread is stepping along: each needs a trajectory of its own");
  }

 private:
  bool& is_taken_;
};

void require_count(std::int64_t count) {
  if (count < 0) throw RequestError("a number of steps cannot be negative, found " + std::to_string(count));
}

/// Takes steps without the lock, and looks for signals many times a second. `step(count)` says how many were taken;
/// fewer end it. How many in all.
template <class Step>
std::int64_t step_attentively(std::int64_t count, Step&& step) {
  using Clock = std::chrono::steady_clock;
  const Away away;
  std::int64_t taken = 0;
  for (std::int64_t next = 1; taken < count;) {
    next = std::min(next, count - taken);
    const auto begin = Clock::now();
    const std::int64_t now = [&] {
      const py::gil_scoped_release release;
      return step(next);
    }();
    taken += now;
    if (now < next) break;
    if (Clock::now() - begin < std::chrono::milliseconds(10)) next *= 2;
    if (must_stop()) throw py::error_already_set();
  }
  return taken;
}

/// A simulation whose node is in arrays of its own, which stay where they are.
class Stepping {
 public:
  explicit Stepping(answer::Simulation simulation) : simulation_(std::move(simulation)), node_(simulation_.node()) {
    node_.q = simulation_.prepared().problem.system.space().shown(node_.q);
  }

  void step(std::int64_t count) {
    constexpr std::int64_t few = 100;
    Lead::require_free(is_led_);
    require_count(count);
    std::int64_t taken = 0;
    if (count < few) {
      taken = simulation_.step(count);
    } else {
      const Lead lead(is_led_);
      try {
        taken = step_attentively(count, [&](std::int64_t steps) { return simulation_.step(steps); });
      } catch (...) {
        look();
        throw;
      }
    }
    look();
    if (taken < count) throw NumericalError(simulation_.failure());
  }
  void set(const py::dict& given) {
    Lead::require_free(is_led_);
    ParameterValues values;
    for (const auto& [name, value] : given) {
      const double number = PyFloat_AsDouble(value.ptr());
      if (number == -1.0 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw py::type_error("the parameter " + std::string(py::str(name)) + " cannot be " +
                             std::string(py::repr(value)));
      }
      values[py::cast<std::string>(py::str(name))] = number;
    }
    simulation_.set(values);
    look();
  }
  std::vector<double> save() const {
    Lead::require_free(is_led_);
    return simulation_.save();
  }
  void restore(std::vector<double> saved) {
    Lead::require_free(is_led_);
    simulation_.restore(std::move(saved));
    look();
  }

  const answer::Simulation& simulation() const { return simulation_; }
  const State& node() const { return node_; }

 private:
  void look() {
    const State& now = simulation_.node();
    std::ranges::copy(simulation_.prepared().problem.system.space().shown(now.q, node_.q), node_.q.begin());
    std::ranges::copy(now.v, node_.v.begin());
  }

  answer::Simulation simulation_;
  State node_;
  bool is_led_ = false;
};

/// Many of them.
class Batching {
 public:
  explicit Batching(answer::BatchSimulation simulation) : simulation_(std::move(simulation)) {}

  void step(std::int64_t count) {
    require_count(count);
    const Lead lead(is_led_);
    step_attentively(count, [&](std::int64_t steps) {
      simulation_.step(steps);
      return steps;
    });
  }
  void set(const std::string& name, const Numbers& values) {
    Lead::require_free(is_led_);
    simulation_.set(name, {values.data(), static_cast<std::size_t>(values.size())});
  }
  /// What is not given is that of the start.
  void start(std::int64_t member, std::optional<std::vector<double>> q, std::optional<std::vector<double>> v) {
    Lead::require_free(is_led_);
    if (!q && !v) return simulation_.start(member);
    State node = simulation_.prepared().problem.start;
    node.q = q ? std::move(*q) : simulation_.prepared().problem.system.space().shown(node.q);
    if (v) node.v = std::move(*v);
    simulation_.start(member, &node);
  }
  const std::vector<std::string>& failures() const {
    Lead::require_free(is_led_);
    return simulation_.batch().failures();
  }
  const answer::BatchSimulation& simulation() const { return simulation_; }

 private:
  answer::BatchSimulation simulation_;
  bool is_led_ = false;
};

py::tuple make_simulation(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::SimulationRequest request;
  request.problem = problem_request(model, arguments, /*from_source=*/true);
  arguments.take("method", request.method);
  arguments.check();
  auto [begun, attendance] =
      attended_answer(progress, [&](const answer::Hooks& hooks) { return answer::Simulation(request, hooks); });
  py::object made = py::none();
  if (begun) made = py::cast(std::make_unique<Stepping>(std::move(*begun)));
  return py::make_tuple(made, attendance.notes, attendance.stop);
}

py::tuple make_batch(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::BatchRequest request;
  request.problem = problem_request(model, arguments, /*from_source=*/true);
  arguments.take("method", request.method);
  arguments.take("n", request.n);
  arguments.take("lanes", request.lanes);
  arguments.check();
  auto [begun, attendance] =
      attended_answer(progress, [&](const answer::Hooks& hooks) { return answer::BatchSimulation(request, hooks); });
  py::object made = py::none();
  if (begun) made = py::cast(std::make_unique<Batching>(std::move(*begun)));
  return py::make_tuple(made, attendance.notes, attendance.stop);
}

}  // namespace

void bind_simulation(py::module_& m) {
  py::class_<Batching>(m, "Batch")
      .def("step", &Batching::step)
      .def("set", &Batching::set)
      .def("start", &Batching::start)
      .def_property_readonly("q",
                             [](const py::object& self) {
                               return view_of(py::cast<const Batching&>(self).simulation().batch().q(), self);
                             })
      .def_property_readonly("v",
                             [](const py::object& self) {
                               return view_of(py::cast<const Batching&>(self).simulation().batch().v(), self);
                             })
      .def_property_readonly("steps", [](const Batching& b) { return b.simulation().steps(); })
      .def_property_readonly("failures", &Batching::failures);
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
