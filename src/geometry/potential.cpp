#include "potential.hpp"
#include "../mech/decompositions.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <unordered_set>

#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

constexpr int points_of_potential = 12;
constexpr int largest_denominator = 24;

/// The nearest fraction with a small denominator, if it is near enough to be meant.
double rational(double x) {
  for (int q = 1; q <= largest_denominator; ++q) {
    const double p = std::round(x * q);
    if (std::abs(x * q - p) <= 1e-8 * q) return p / q;
  }
  return x;
}

Eigen::Map<const Eigen::VectorXd> mapped(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

/// ∂ log g and dφ at random points.
class Samples {
 public:
  Samples(const ClosedForm& form, const Vector& candidates, std::uint64_t skip, bool vary_parameters)
      : m_(static_cast<Eigen::Index>(form.coordinates.size())), columns_(static_cast<Eigen::Index>(candidates.size())) {
    Vector outputs = form.components;
    for (const Expression& g : candidates) {
      for (const Expression& slope : gradient(g, form.coordinates)) {
        outputs.push_back(g.is_constant() ? Expression(0.0) : slope / g);
      }
    }
    Interpreter<double> program(make_program(joined({form.coordinates, form.parameters}), outputs));
    RandomPoints random;
    for (std::uint64_t k = 0; k < skip; ++k) random.signed_unit();
    matrix.resize(0, columns_);
    for (int attempt = 0; attempt < 4 * points_of_potential && matrix.rows() < points_of_potential * m_; ++attempt) {
      std::vector<double> point = random.near(form.near, form.radius);
      for (const double p : form.parameter_values) {
        point.push_back(vary_parameters ? p + 0.2 * std::max(std::abs(p), 0.1) * random.signed_unit() : p);
      }
      const std::vector<double> values = program(point);
      if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) continue;
      add(values);
    }
  }

  /// Of exponents, relative to the size of the terms.
  double residual(const Eigen::VectorXd& exponents) const {
    if (target.size() == 0) return std::numeric_limits<double>::infinity();
    const double size = target.norm() + (matrix.cwiseAbs() * exponents.cwiseAbs()).norm();
    return size == 0.0 ? 0.0 : (matrix * exponents - target).norm() / size;
  }

  Eigen::MatrixXd matrix;  ///< a column for each candidate
  Eigen::VectorXd target;

 private:
  void add(const std::vector<double>& values) {
    const Eigen::Index rows = matrix.rows();
    matrix.conservativeResize(rows + m_, columns_);
    target.conservativeResize(rows + m_);
    target.tail(m_) = mapped(values).head(m_);
    for (Eigen::Index j = 0; j < columns_; ++j) matrix.col(j).tail(m_) = mapped(values).segment((j + 1) * m_, m_);
  }

  Eigen::Index m_;
  Eigen::Index columns_;
};

/// Candidates whose logarithms have differentials that are not multiples of an earlier one's.
std::vector<std::size_t> distinct(const Samples& samples) {
  std::vector<std::size_t> kept;
  for (Eigen::Index j = 0; j < samples.matrix.cols(); ++j) {
    const Eigen::VectorXd column = samples.matrix.col(j);
    if (column.norm() == 0.0) continue;
    const bool parallel = std::any_of(kept.begin(), kept.end(), [&](std::size_t k) {
      const Eigen::VectorXd other = samples.matrix.col(static_cast<Eigen::Index>(k));
      const Eigen::VectorXd a = column.normalized();
      const Eigen::VectorXd b = other.normalized();
      return std::min((a - b).norm(), (a + b).norm()) <= sampling_error;
    });
    if (!parallel) kept.push_back(static_cast<std::size_t>(j));
  }
  return kept;
}

/// Exponents for one, two or three of the columns, those that come first; empty if none fit.
Eigen::VectorXd fit(const Samples& samples, const std::vector<std::size_t>& kept) {
  const auto n = static_cast<Eigen::Index>(kept.size());
  const auto column = [&](Eigen::Index k) {
    return samples.matrix.col(static_cast<Eigen::Index>(kept[static_cast<std::size_t>(k)]));
  };
  const auto attempt = [&](std::initializer_list<Eigen::Index> which) -> std::optional<Eigen::VectorXd> {
    Eigen::MatrixXd a(samples.matrix.rows(), static_cast<Eigen::Index>(which.size()));
    Eigen::Index j = 0;
    for (const Eigen::Index k : which) a.col(j++) = column(k);
    const Eigen::VectorXd c = nearest_solution(a, samples.target);
    if (!((a * c - samples.target).norm() <= sampling_error * samples.target.norm())) return std::nullopt;
    Eigen::VectorXd exponents = Eigen::VectorXd::Zero(samples.matrix.cols());
    j = 0;
    for (const Eigen::Index k : which)
      exponents[static_cast<Eigen::Index>(kept[static_cast<std::size_t>(k)])] = rational(c[j++]);
    if (!(samples.residual(exponents) <= sampling_error)) return std::nullopt;
    return exponents;
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    if (auto found = attempt({i})) return *found;
  }
  for (Eigen::Index total = 1; total < 2 * n; ++total) {  // small candidates first
    for (Eigen::Index i = 0; 2 * i < total; ++i) {
      if (total - i >= n) continue;
      if (auto found = attempt({i, total - i})) return *found;
    }
  }
  for (Eigen::Index k = 2; k < n; ++k) {
    for (Eigen::Index j = 1; j < k; ++j) {
      for (Eigen::Index i = 0; i < j; ++i) {
        if (auto found = attempt({i, j, k})) return *found;
      }
    }
  }
  return {};
}

/// Exponents as functions of the parameters, α + β p/q or 1/(α + β p/q) with rational α and β, from their values for
/// several values of the parameters; nothing if they are of another kind.
class ExponentLaw {
 public:
  ExponentLaw(const ClosedForm& form, const Vector& used) {
    RandomPoints random;
    for (int k = 0; k < 8; ++k) {
      ClosedForm there = form;
      if (k > 0) there.parameter_values = random.near(form.parameter_values, 0.2);
      const Samples samples(there, used, 100, false);
      if (samples.target.size() == 0) return;
      const Eigen::VectorXd c = nearest_solution(samples.matrix, samples.target);
      if (!(samples.residual(c) <= sampling_error)) return;
      exponents_.push_back(c);
      parameters_.push_back(there.parameter_values);
    }
    valid_ = true;
  }

  std::optional<Expression> of(Eigen::Index j, const Vector& symbols) const {
    if (!valid_) return std::nullopt;
    for (const bool inverse : {false, true}) {
      for (std::size_t p = 0; p < symbols.size(); ++p) {
        for (std::size_t q = 0; q < symbols.size(); ++q) {
          if (p == q) continue;
          const auto law = fitted(j, p, q, inverse);
          if (!law) continue;
          const Expression value = (*law)[0] + (*law)[1] * symbols[p] / symbols[q];
          return tidy(inverse ? 1.0 / value : value);
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Eigen::Vector2d> fitted(Eigen::Index j, std::size_t p, std::size_t q, bool inverse) const {
    const auto rows = static_cast<Eigen::Index>(exponents_.size());
    Eigen::MatrixXd a(rows, 2);
    Eigen::VectorXd b(rows);
    for (Eigen::Index k = 0; k < rows; ++k) {
      const auto& values = parameters_[static_cast<std::size_t>(k)];
      const double c = exponents_[static_cast<std::size_t>(k)][j];
      a.row(k) << 1.0, values[p] / values[q];
      b[k] = inverse ? 1.0 / c : c;
    }
    if (!a.allFinite() || !b.allFinite()) return std::nullopt;
    Eigen::Vector2d law = nearest_solution(a, b);
    law = {rational(law[0]), rational(law[1])};
    if (!((a * law - b).norm() <= 1e-8 * b.norm())) return std::nullopt;
    return law;
  }

  bool valid_ = false;
  std::vector<Eigen::VectorXd> exponents_;
  std::vector<std::vector<double>> parameters_;
};

/// ∫ of the form along the line from `near`, by Gauss' rule with so many points.
template <unsigned Points>
Expression line_integral(const ClosedForm& form) {
  using Rule = boost::math::quadrature::gauss<double, Points>;
  Expression total;
  const auto add = [&](double position, double weight) {  // in [0, 1]
    Substitution there;
    for (std::size_t i = 0; i < form.coordinates.size(); ++i) {
      there.emplace(form.coordinates[i], form.near[i] + position * (form.coordinates[i] - form.near[i]));
    }
    const Vector components = substitute(form.components, there);
    for (std::size_t i = 0; i < components.size(); ++i) {
      total += weight * components[i] * (form.coordinates[i] - form.near[i]);
    }
  };
  for (std::size_t k = 0; k < Rule::abscissa().size(); ++k) {
    const double x = Rule::abscissa()[k];
    const double w = 0.5 * Rule::weights()[k];
    add(0.5 + 0.5 * x, w);
    if (x != 0.0) add(0.5 - 0.5 * x, w);
  }
  return total;
}

Potential as_line_integral(const ClosedForm& form) {
  Potential potential;
  const Expression phi = line_integral<14>(form);
  potential.exponential = exp(phi);
  potential.error = sqrt(sq(phi - line_integral<10>(form)));
  const Vector fine = gradient(phi, form.coordinates);
  ClosedForm own = form;  // the line integral's own differential, against the form
  Vector difference = form.components;
  for (std::size_t i = 0; i < fine.size(); ++i) difference[i] -= fine[i];
  own.components = difference;
  const Samples defect(own, {}, 1000, false);
  const Samples size(form, {}, 1000, false);
  potential.residual = size.target.norm() == 0.0 ? 0.0 : defect.target.norm() / size.target.norm();
  return potential;
}

}  // namespace

std::vector<Expression> functions_in(std::span<const Expression> expressions, std::span<const Expression> coordinates,
                                     std::span<const Expression> parameters) {
  // Bottom-up: does a node depend on coordinates, and on nothing but them and the parameters?
  const Graph graph(expressions);
  std::vector<bool> pure(graph.size());
  std::vector<bool> depends(graph.size());
  const auto among = [](std::span<const Expression> list, const Expression& e) {
    return std::find(list.begin(), list.end(), e) != list.end();
  };
  std::vector<Expression> found;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    if (e.is_symbol()) {
      depends[i] = among(coordinates, e);
      pure[i] = depends[i] || among(parameters, e);
    } else {
      pure[i] = true;
      for (const Term& t : e.operands()) {
        const std::size_t k = graph.index(t.expression);
        pure[i] = pure[i] && pure[k];
        depends[i] = depends[i] || depends[k];
      }
    }
    if (!pure[i] || !depends[i] || e.kind() == Kind::product) continue;
    found.push_back(e);
    if (e.kind() == Kind::sum) found.push_back(without_common_factors(e));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Expression& a, const Expression& b) { return operation_count(a) < operation_count(b); });
  return found;
}

Potential integrate_form(const ClosedForm& form, const std::vector<Expression>& all_candidates) {
  const bool zero = std::all_of(form.components.begin(), form.components.end(),
                                [](const Expression& e) { return e.is_constant(0.0); });
  Potential potential;
  potential.closed_form = true;
  potential.exponential = Expression(1.0);
  ClosedForm varied = form;
  varied.components = form.for_any_parameters;
  potential.for_all_parameters = form.components == form.for_any_parameters;
  if (zero) return potential;
  if (const auto symbols = free_symbols(form.components);
      std::none_of(form.coordinates.begin(), form.coordinates.end(), [&](const Expression& r) {
        return std::find(symbols.begin(), symbols.end(), r) != symbols.end();
      })) {
    Expression phi;  // constant coefficients
    for (std::size_t i = 0; i < form.components.size(); ++i) phi += form.components[i] * form.coordinates[i];
    potential.exponential = exp(phi);
    return potential;
  }

  // Candidates that are positive near the start: fractional powers of them are real there.
  Vector candidates;
  const auto signs_at = [&](std::vector<double> point) {
    point.insert(point.end(), form.parameter_values.begin(), form.parameter_values.end());
    return evaluate_at(joined({form.coordinates, form.parameters}), all_candidates, point);
  };
  std::vector<double> signs = signs_at(form.near);
  const std::vector<double> beside = signs_at(RandomPoints().near(form.near, 0.01 * form.radius));
  for (std::size_t k = 0; k < signs.size(); ++k) {
    if (signs[k] == 0.0 || !std::isfinite(signs[k])) signs[k] = beside[k];
  }
  for (std::size_t k = 0; k < all_candidates.size(); ++k) {
    if (std::isfinite(signs[k])) candidates.push_back(signs[k] < 0.0 ? tidy(-all_candidates[k]) : all_candidates[k]);
  }
  Samples samples(form, candidates, 0, false);
  const Eigen::VectorXd exponents = fit(samples, distinct(samples));
  if (exponents.size() == 0) return as_line_integral(form);
  Vector used;
  std::vector<double> used_exponents;
  for (Eigen::Index k = 0; k < exponents.size(); ++k) {
    if (exponents[k] == 0.0) continue;
    used.push_back(candidates[static_cast<std::size_t>(k)]);
    used_exponents.push_back(exponents[k]);
  }
  potential.residual = Samples(form, used, 1000, false).residual(mapped(used_exponents));
  potential.for_all_parameters =
      form.parameters.empty() || Samples(varied, used, 2000, true).residual(mapped(used_exponents)) <= sampling_error;
  Vector powers(used_exponents.begin(), used_exponents.end());
  if (!potential.for_all_parameters) {
    const ExponentLaw law(varied, used);
    Vector laws;
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (const auto found = law.of(static_cast<Eigen::Index>(k), form.parameters)) laws.push_back(*found);
    }
    potential.for_all_parameters = laws.size() == used.size();
    if (potential.for_all_parameters) powers = laws;
  }
  for (std::size_t k = 0; k < used.size(); ++k) potential.exponential *= pow(used[k], powers[k]);
  if (!(potential.residual <= sampling_error)) return as_line_integral(form);
  return potential;
}

}  // namespace rattleback
