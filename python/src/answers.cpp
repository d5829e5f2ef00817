#include <mutex>

#include "arguments.hpp"
#include "attend.hpp"
#include "rattleback/answer/analyse.hpp"
#include "rattleback/answer/compare.hpp"
#include "rattleback/answer/converge.hpp"
#include "rattleback/answer/ensemble.hpp"
#include "rattleback/answer/free_lagrangians.hpp"
#include "rattleback/answer/measure.hpp"
#include "rattleback/answer/modified.hpp"
#include "rattleback/answer/motion.hpp"
#include "rattleback/answer/reproduce.hpp"
#include "rattleback/answer/result.hpp"
#include "rattleback/answer/show.hpp"
#include "rattleback/answer/sweep.hpp"
#include "unlocked.hpp"

namespace rattleback::python {
namespace {

/// The motion of a run, for one thread at a time.
struct LaterMotion {
  std::mutex mutex;
  std::optional<answer::Motion> flow;
};

/// An answer with its renderings, which are made when they are asked for.
struct AnyAnswer {
  std::function<std::string()> text;
  std::function<std::string()> json;
  std::function<std::string()> latex;  ///< empty where there are no formulas
  std::function<std::optional<Error>()> complaint;
  std::vector<std::pair<std::string, const Table*>> tables = {};
  std::shared_ptr<const answer::RunAnswer> run = {};
  std::shared_ptr<const answer::SweepAnswer> sweep = {};
  std::shared_ptr<LaterMotion> motion = {};
};

template <class Answer>
AnyAnswer any(std::shared_ptr<const Answer> a) {
  AnyAnswer result;
  result.text = [a] { return to_text(*a); };
  result.json = [a] { return to_json(*a); };
  if constexpr (requires { to_latex(*a); }) result.latex = [a] { return to_latex(*a); };
  if constexpr (requires { complaint(*a); }) {
    result.complaint = [a] { return complaint(*a); };
  } else {
    result.complaint = [] { return std::optional<Error>(); };
  }
  if constexpr (std::is_same_v<Answer, answer::RunAnswer>) {
    result.tables.emplace_back(a->method, &a->samples);
    result.run = a;
    result.motion = std::make_shared<LaterMotion>();
  }
  if constexpr (std::is_same_v<Answer, answer::SweepAnswer>) result.sweep = a;
  if constexpr (std::is_same_v<Answer, answer::CompareAnswer>) {
    for (const answer::ComparedRun& run : a->runs) result.tables.emplace_back(run.method, &run.samples);
  }
  return result;
}

/// (answer, notes, what stopped it)
template <class Ask>
py::tuple ask(const py::object& progress, Ask&& question) {
  auto [answer, attendance] = attended_answer(progress, question);
  using Answer = typename decltype(answer)::value_type;
  py::object made = py::none();
  if (answer) made = py::cast(any(std::make_shared<const Answer>(std::move(*answer))));
  return py::make_tuple(made, attendance.notes, attendance.stop);
}

/// Fields that requests about a problem share.
template <class Request>
void take_page(Arguments& arguments, Request& request) {
  arguments.take("report", request.report);
  arguments.take("force", request.force);
  arguments.take("command", request.command);
}

py::tuple run(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::RunRequest request;
  request.problem = problem_request(model, arguments);
  request.samples = TableRecorder::no_limit;  // a trajectory is what is asked for
  arguments.take("method", request.method);
  arguments.take("every", request.every);
  arguments.take("observe", request.observe);
  arguments.take("output", request.output);
  arguments.take("resume", request.resume);
  arguments.take("samples", request.samples);
  take_page(arguments, request);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::run(request, hooks); });
}

py::tuple compare(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::CompareRequest request;
  request.problem = problem_request(model, arguments);
  request.samples = TableRecorder::no_limit;
  arguments.take("methods", request.methods);
  arguments.take("samples", request.samples);
  take_page(arguments, request);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::compare(request, hooks); });
}

py::tuple converge(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::ConvergeRequest request;
  request.problem = problem_request(model, arguments);
  arguments.take("methods", request.methods);
  arguments.take("fewest", request.fewest);
  arguments.take("most", request.most);
  arguments.take("count", request.count);
  arguments.take("check", request.check);
  take_page(arguments, request);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::converge(request, hooks); });
}

/// Model and parameters of requests that are about no motion.
template <class Request>
void take_model(const ReadModel& model, Arguments& arguments, Request& request) {
  answer::ProblemRequest problem;
  ParameterValues parameters = model.parameters;
  InputTexts inputs = model.inputs;
  arguments.take("set", parameters);
  arguments.take("inputs", inputs);
  const bool same = parameters == model.parameters && inputs == model.inputs;
  request.model = same ? model.model : read_model(model.text, model.file, parameters, inputs);
}

py::tuple analyse(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::AnalyseRequest request;
  take_model(model, arguments, request);
  arguments.take("lagrangian", request.lagrangian);
  arguments.take("rule", request.rule);
  arguments.take("associated", request.associated);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::analyse(request, hooks); });
}

py::tuple show(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::ShowRequest request;
  take_model(model, arguments, request);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::show(request, hooks); });
}

py::tuple free_lagrangians(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::FreeLagrangiansRequest request;
  take_model(model, arguments, request);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::free_lagrangians(request, hooks); });
}

py::tuple modified(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::ModifiedRequest request;
  request.problem = problem_request(model, arguments);
  std::optional<std::pair<std::vector<double>, std::vector<double>>> at;
  bool formulas = false;
  arguments.take("method", request.method);
  arguments.take("order", request.order);
  arguments.take("tolerance", request.tolerance);
  arguments.take("at", at);
  arguments.take("energy", request.energy);
  arguments.take("formulas", formulas);
  arguments.take("equation", request.equation);
  arguments.take("numbers", request.numbers);
  arguments.check();
  if (at) request.at = {at->first, at->second};
  if (formulas) request.formulas = answer::ModifiedRequest::Formulas::also;
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::modified(request, hooks); });
}

CloudShape shape_of(const py::object& cloud) {
  if (py::isinstance<py::int_>(cloud)) return {.count = py::cast<std::int64_t>(cloud)};
  if (const std::string text = py::str(cloud); text != "600-cell") return {.file = text};
  return {};
}

py::tuple measure(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::MeasureRequest request;
  request.problem = problem_request(model, arguments);
  py::object cloud = py::none();
  answer::MeasureRequest::Cloud points;
  auto weights = std::string(word_of(points.weights));
  arguments.take("methods", request.methods);
  arguments.take("ells", request.ells);
  arguments.take("cloud", cloud);
  arguments.take("radius", points.radius);
  arguments.take("weights", weights);
  arguments.take("every", request.every);
  arguments.take("output", request.output);
  arguments.take("points", request.points);
  arguments.take("force", request.force);
  arguments.check();
  const auto known = from_word<HullWeights>(weights);
  if (!known) throw RequestError("`weights` must be " + alternatives<HullWeights>() + ", found '" + weights + "'");
  points.weights = *known;
  if (!cloud.is_none()) {
    points.shape = shape_of(cloud);
    request.cloud = points;
  }
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::measure(request, hooks); });
}

py::tuple reproduce(const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::ReproduceRequest request;
  arguments.take("what", request.what);
  arguments.take("output", request.output);
  arguments.take("markdown", request.markdown);
  arguments.take("csv", request.csv);
  arguments.take("force", request.force);
  arguments.take("command", request.command);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::reproduce(request, hooks); });
}

py::tuple ensemble(const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::EnsembleRequest request;
  arguments.take("spec", request.spec);
  arguments.take("output", request.output);
  arguments.take("lanes", request.lanes);
  arguments.take("threads", request.threads);
  arguments.take("resume", request.resume);
  arguments.take("force", request.force);
  arguments.check();
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::ensemble(request, hooks); });
}

py::tuple sweep(const ReadModel& model, const py::dict& given, const py::object& progress) {
  Arguments arguments(given);
  answer::SweepRequest request;
  request.problem = problem_request(model, arguments);
  arguments.take("method", request.method);
  arguments.take("names", request.names);
  py::array_t<double, py::array::c_style | py::array::forcecast> points;
  arguments.take("points", points);
  arguments.take("times", request.times);
  arguments.take("lanes", request.lanes);
  arguments.take("threads", request.threads);
  arguments.check();
  request.points.assign(points.data(), points.data() + points.size());
  return ask(progress, [&](const answer::Hooks& hooks) { return answer::sweep(request, hooks); });
}

/// The arrays of a sweep, by name.
py::dict arrays(const py::object& self) {
  const AnyAnswer& any = py::cast<const AnyAnswer&>(self);
  if (!any.sweep) return {};
  using namespace py::literals;
  const auto nodes = [&](const answer::SweepAnswer::Nodes& n) {
    return py::dict("t"_a = view_of(n.time, self), "q"_a = view_of(n.q, self), "v"_a = view_of(n.v, self),
                    "p"_a = view_of(n.p, self), "energy"_a = view_of(n.energy, self));
  };
  return py::dict("last"_a = nodes(any.sweep->last), "at_times"_a = nodes(any.sweep->at_times),
                  "steps"_a = any.sweep->steps, "failures"_a = any.sweep->failures);
}

/// Columns that keep their table.
py::list owned_columns_of(std::shared_ptr<const Table> table) {
  using Owner = std::shared_ptr<const Table>;
  const Table& columns = *table;
  return columns_of(columns, py::capsule(new Owner(std::move(table)), [](void* p) { delete static_cast<Owner*>(p); }));
}

/// Columns at any times of a run by a flow, which is kept for the next time.
py::list at(const AnyAnswer& any, const std::vector<double>& times) {
  auto table = std::make_shared<Table>();
  const Attendance attendance = attend(py::none(), [&](const answer::Hooks& hooks) {
    const std::lock_guard lock(any.motion->mutex);
    if (!any.motion->flow) any.motion->flow.emplace(*any.run);
    *table = any.motion->flow->at(times, hooks);
  });
  attendance.raise();
  return owned_columns_of(std::move(table));
}

/// Model, columns, and what else the file says.
py::tuple open(const std::string& file) {
  auto opened = [&] {
    const Unlocked unlocked;
    return std::make_shared<const answer::OpenAnswer>(answer::open(file));
  }();
  const RunDescription& d = opened->run.description;
  ReadModel model{d.model_text, d.model + ".toml", {}, opened->run.inputs, opened->run.model};
  for (const Parameter& p : d.parameters) model.parameters[p.name] = p.value;
  const std::shared_ptr<const Table> samples(opened, &opened->samples);
  return py::make_tuple(py::cast(std::make_shared<ReadModel>(std::move(model))), owned_columns_of(samples),
                        to_json(*opened), opened->run.notes);
}

}  // namespace

void bind_answers(py::module_& m) {
  py::class_<AnyAnswer>(m, "Answer")
      .def("text", [](const AnyAnswer& a) { return a.text(); })
      .def("json", [](const AnyAnswer& a) { return a.json(); })
      .def("latex", [](const AnyAnswer& a) { return a.latex ? std::optional(a.latex()) : std::nullopt; })
      .def("complaint",
           [](const AnyAnswer& a) -> py::object {
             const auto error = a.complaint();
             return error ? py::make_tuple(static_cast<int>(error->kind()), error->what()) : py::object(py::none());
           })
      .def("tables",
           [](const py::object& self) {
             py::list tables;
             for (const auto& [name, table] : py::cast<const AnyAnswer&>(self).tables) {
               tables.append(py::make_tuple(name, columns_of(*table, self)));
             }
             return tables;
           })
      .def("arrays", &arrays)
      .def("save",
           [](const AnyAnswer& a, const std::string& output, bool force) {
             const Unlocked unlocked;
             answer::save(*a.run, output, force);
           })
      .def("at", &at)
      .def("report", [](const AnyAnswer& a, const std::string& report, bool force, const std::string& command) {
        const Unlocked unlocked;
        answer::make_report(*a.run, report, force, command);
      });
  m.def("run", &run);
  m.def("compare", &compare);
  m.def("converge", &converge);
  m.def("analyse", &analyse);
  m.def("show", &show);
  m.def("free_lagrangians", &free_lagrangians);
  m.def("modified", &modified);
  m.def("measure", &measure);
  m.def("reproduce", &reproduce);
  m.def("ensemble", &ensemble);
  m.def("sweep", &sweep);
  m.def("experiments", [] { return to_json(answer::experiments()); });
  m.def("open", &open);
}

}  // namespace rattleback::python
