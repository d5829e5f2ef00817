// Which symmetries of a system with rotations are rigid motions of space, and the slice on which they leave one point
// of each orbit.

#include "rattleback/geometry/space_motions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

constexpr double motion_rounding = 1e-12;

/// δc = B c + b, δR = R η̂ with η = Rᵀξ.
struct Motion {
  Eigen::MatrixXd linear;
  Eigen::VectorXd shift;
  std::vector<Eigen::Vector3d> turns;  ///< ξ of each rotation

  bool turns_nothing() const {
    return std::ranges::all_of(turns, [](const Eigen::Vector3d& xi) { return xi.norm() == 0.0; });
  }
};

/// A generator as numbers at positions; constant in the parameters, or it is not taken for a motion.
class GeneratorAt {
 public:
  GeneratorAt(const System& system, const Symmetry& symmetry)
      : space_(system.space()), program_(make_program(system.coordinates(), symmetry.generator)) {}

  Eigen::VectorXd operator()(const std::vector<double>& q) {
    const std::vector<double> values = program_(q);
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

 private:
  Space space_;
  Interpreter<double> program_;
};

Eigen::Matrix3d rotation_at(const Space& space, const std::vector<double>& q, std::size_t k) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(q.data() + space.position_of(k));
}

/// Why a symmetry is no rigid motion of space; empty if it is one.
std::string read_motion(const System& system, const Symmetry& symmetry, const State& near, Motion& motion) {
  const Space space = system.space();
  const auto n = static_cast<Eigen::Index>(space.numbers);
  const auto symbols = free_symbols(symmetry.generator);
  if (std::ranges::any_of(symbols, [&](const Expression& s) {
        return std::ranges::find(system.coordinates(), s) == system.coordinates().end();
      })) {
    return "it depends on parameters or time";
  }
  GeneratorAt at(system, symmetry);
  std::vector<double> q = space.origin();
  const Eigen::VectorXd here = at(q);
  motion = {Eigen::MatrixXd(n, n), here.head(n), {}};
  for (Eigen::Index j = 0; j < n; ++j) {
    q[static_cast<std::size_t>(j)] = 1.0;
    motion.linear.col(j) = at(q).head(n) - motion.shift;
    q[static_cast<std::size_t>(j)] = 0.0;
  }
  for (std::size_t k = 0; k < space.rotations; ++k)
    motion.turns.emplace_back(here.segment<3>(static_cast<Eigen::Index>(space.velocity_of(k))));
  RandomPoints random;
  for (int sample = 0; sample < generic_samples; ++sample) {
    q = random.near(space, near.q, 1.0);
    const Eigen::VectorXd there = at(q);
    const Eigen::Map<const Eigen::VectorXd> c(q.data(), n);
    const double size = motion_rounding * (1.0 + c.norm()) * (1.0 + motion.linear.norm() + there.norm());
    if (!((motion.linear * c + motion.shift - there.head(n)).norm() <= size))
      return "it is not affine in the coordinates";
    for (std::size_t k = 0; k < space.rotations; ++k) {
      const Eigen::Vector3d eta = there.segment<3>(static_cast<Eigen::Index>(space.velocity_of(k)));
      if (!((rotation_at(space, q, k).transpose() * motion.turns[k] - eta).norm() <= size))
        return fmt::format("it turns the body {}, not space", system.rotations()[k].name);
    }
  }
  if (!((motion.linear + motion.linear.transpose()).norm() <= motion_rounding)) return "it is no rigid motion";
  return "";
}

/// e with e·b = 1 on the pivots of a matrix in reduced echelon form, whose rows span those given.
void echelon(std::vector<std::vector<double>>& rows, std::vector<std::size_t>& pivots) {
  std::vector<std::vector<double>> reduced;
  for (std::vector<double> row : rows) {
    const auto subtract = [](std::vector<double>& from, const std::vector<double>& what, double factor) {
      for (std::size_t i = 0; i < from.size(); ++i) from[i] -= factor * what[i];
    };
    for (std::size_t k = 0; k < reduced.size(); ++k) subtract(row, reduced[k], row[pivots[k]]);
    const auto largest = std::ranges::max_element(row, {}, [](double x) { return std::abs(x); });
    if (std::abs(*largest) <= motion_rounding) continue;
    const auto pivot = static_cast<std::size_t>(largest - row.begin());
    const double scale = row[pivot];
    for (double& x : row) x /= scale;
    for (auto& other : reduced) subtract(other, row, other[pivot]);
    reduced.push_back(std::move(row));
    pivots.push_back(pivot);
  }
  rows = std::move(reduced);
}

/// Turns of the group in terms of the motions: which rotations they turn, about what, and how coordinates follow.
class TurnsOfGroup {
 public:
  /// Adds a motion that turns something. Why it does not fit to the others; empty if it does.
  std::string add(const Motion& motion) {
    std::vector<std::size_t> turned;
    Eigen::Vector3d xi = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < motion.turns.size(); ++k) {
      if (motion.turns[k].norm() == 0.0) continue;
      if (!turned.empty() && (motion.turns[k] - xi).norm() > motion_rounding)
        return "it turns rotations about different axes";
      xi = motion.turns[k];
      turned.push_back(k);
    }
    if (!turned_.empty() && turned != turned_) return "it turns other rotations than those before it";
    if (!axes_.empty()) {
      const Eigen::MatrixXd before = axes();
      if ((before * least_squares(before, xi) - xi).norm() <= 1e-9 * xi.norm())
        return "others turn space about the same axis";
    }
    turned_ = turned;
    axes_.push_back(xi);
    linear_.push_back(motion.linear);
    return "";
  }
  bool empty() const { return axes_.empty(); }

  /// Whether coordinates follow as those of points do.
  bool describe(SpaceMotions& motions) const {
    motions.turned = turned_;
    if (axes_.size() == 1) {
      motions.turns = SpaceMotions::Turns::about_axis;
      const Eigen::MatrixXd b = linear_[0] / axes_[0].norm();
      for (std::size_t i = 0; i < 3; ++i) motions.axis[i] = axes_[0][static_cast<Eigen::Index>(i)] / axes_[0].norm();
      for (Eigen::Index i = 0; i < b.rows(); ++i) {
        motions.about_axis.emplace_back();
        for (Eigen::Index j = 0; j < b.cols(); ++j) motions.about_axis.back().push_back(b(i, j));
      }
      return (b * b * b + b).norm() <= motion_rounding;
    }
    if (axes_.size() != 3) return false;
    motions.turns = SpaceMotions::Turns::all;
    const Eigen::Matrix3d inverse = Eigen::Matrix3d(axes()).inverse();
    std::array<Eigen::MatrixXd, 3> b;  // of turns about x, y, z
    for (Eigen::Index i = 0; i < 3; ++i) {
      b[static_cast<std::size_t>(i)] = Eigen::MatrixXd::Zero(linear_[0].rows(), linear_[0].cols());
      for (Eigen::Index a = 0; a < 3; ++a)
        b[static_cast<std::size_t>(i)] += inverse(a, i) * linear_[static_cast<std::size_t>(a)];
    }
    std::array<Eigen::MatrixXd, 3> rest = b;
    for (Eigen::Index x = 0; x < b[0].rows(); ++x) {
      for (Eigen::Index y = 0; y < b[0].rows(); ++y) {
        if (std::abs(b[2](y, x) - 1.0) > motion_rounding) continue;  // δy = x about z
        for (Eigen::Index z = 0; z < b[0].rows(); ++z) {
          if (std::abs(b[0](z, y) - 1.0) > motion_rounding) continue;  // δz = y about x
          const std::array<Eigen::Index, 3> c{x, y, z};
          for (std::size_t i = 0; i < 3; ++i) {
            rest[i](c[(i + 2) % 3], c[(i + 1) % 3]) -= 1.0;
            rest[i](c[(i + 1) % 3], c[(i + 2) % 3]) += 1.0;
          }
          motions.points.push_back(
              {static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<std::size_t>(z)});
        }
      }
    }
    return std::ranges::all_of(rest, [](const Eigen::MatrixXd& m) { return m.norm() <= motion_rounding; });
  }

 private:
  Eigen::MatrixXd axes() const {
    Eigen::MatrixXd columns(3, static_cast<Eigen::Index>(axes_.size()));
    for (std::size_t a = 0; a < axes_.size(); ++a) columns.col(static_cast<Eigen::Index>(a)) = axes_[a];
    return columns;
  }

  std::vector<std::size_t> turned_;
  std::vector<Eigen::Vector3d> axes_;
  std::vector<Eigen::MatrixXd> linear_;
};

Matrix rotation_of(const System& system, std::span<const Expression> positions, std::size_t k) {
  Matrix m(3, 3);
  std::copy_n(positions.begin() + static_cast<std::ptrdiff_t>(system.space().position_of(k)), Rotation::positions,
              m.entries.begin());
  return m;
}

/// The columns b₁, b₂, n of a rotation, n of length 1.
std::array<std::array<double, 3>, 3> basis_with(const std::array<double, 3>& n) {
  const double s = n[2] < 0.0 ? -1.0 : 1.0;
  const double a = -1.0 / (s + n[2]);
  const double b = n[0] * n[1] * a;
  return {{{1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]}, {b, s + n[1] * n[1] * a, -n[1]}, n}};
}

}  // namespace

SpaceMotions find_space_motions(const System& system, const std::vector<Symmetry>& known,
                                std::span<const double> parameters, const State& near) {
  SpaceMotions motions;
  TurnsOfGroup turns;
  std::vector<Symmetry> turning;
  std::vector<Symmetry> taken;
  for (const Symmetry& symmetry : known) {
    Motion motion;
    std::string reason = read_motion(system, symmetry, near, motion);
    if (reason.empty() && motion.turns_nothing()) {
      if (motion.linear.norm() == 0.0) {
        motions.translations.emplace_back(motion.shift.begin(), motion.shift.end());
        taken.push_back(symmetry);
        continue;
      }
      reason = "it turns coordinates and no rotation";
    } else if (reason.empty() && motion.shift.norm() != 0.0) {
      reason = "it turns about another point than the origin";
    }
    if (reason.empty()) reason = turns.add(motion);
    if (!reason.empty()) {
      motions.left_out.push_back(fmt::format("{}: {}", symmetry.name, reason));
    } else {
      turning.push_back(symmetry);
    }
  }
  echelon(motions.translations, motions.origin);
  SpaceMotions with_turns = motions;
  std::string reason = "the coordinates do not turn with it as those of points do";
  if (!turns.empty() && turns.describe(with_turns)) {
    std::vector<Symmetry> all = taken;
    all.insert(all.end(), turning.begin(), turning.end());
    if (auto group = make_group(system, all, parameters, near.q, &reason)) {
      with_turns.group = std::move(*group);
      return with_turns;
    }
  }
  for (const Symmetry& symmetry : turning) motions.left_out.push_back(fmt::format("{}: {}", symmetry.name, reason));
  if (auto group = make_group(system, taken, parameters, near.q, &reason)) motions.group = std::move(*group);
  return motions;
}

std::vector<std::string> SpaceMotions::reduced_positions(const System& system) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < system.space().numbers; ++i) {
    if (std::ranges::find(origin, i) == origin.end()) names.push_back(system.coordinates()[i].name());
  }
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const std::string& name = system.rotations()[k].name;
    if (std::ranges::find(turned, k) == turned.end()) {
      names.push_back(name);
    } else if (k != turned[0]) {
      names.push_back(fmt::format("transpose({})*{}", system.rotations()[turned[0]].name, name));
    } else if (turns == Turns::about_axis) {
      names.push_back(fmt::format("transpose({})*[{}, {}, {}]", name, axis[0], axis[1], axis[2]));
    }
  }
  return names;
}

// T. Duff, J. Burgess, P. Christensen, C. Hery, A. Kensler, M. Liani and R. Villemin, Building an orthonormal basis,
// revisited, J. Computer Graphics Techniques 6 (2017) 1–8; the sign changes near the pole that it avoids only, so that
// frames of neighbouring steps are rarely different ones.
Matrix SpaceMotions::on_slice(const Vector& gamma) const {
  const Expression s = if_else(less(gamma[2], Expression(-0.9)), Expression(-1.0), Expression(1.0));
  const Expression a = -1.0 / (s + gamma[2]);
  const Expression b = gamma[0] * gamma[1] * a;
  const Matrix rows{{1.0 + s * sq(gamma[0]) * a, s * b, -s * gamma[0]}, {b, s + sq(gamma[1]) * a, -gamma[1]}, gamma};
  const auto columns = basis_with(axis);
  Matrix from(3, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) from(i, j) = Expression(columns[j][i]);
  }
  return from * rows;
}

Matrix SpaceMotions::frame(const System& system, std::span<const Expression> positions) const {
  if (turns == Turns::none) return diag({1.0, 1.0, 1.0});
  const Matrix r = rotation_of(system, positions, turned[0]);
  if (turns == Turns::all) return r;
  return r * transpose(on_slice(transpose(r) * Vector{axis[0], axis[1], axis[2]}));
}

std::vector<Expression> SpaceMotions::applied(const Matrix& frame, Vector vector) const {
  Vector result = vector;
  for (const auto& point : points) {
    const Vector there = frame * Vector{vector[point[0]], vector[point[1]], vector[point[2]]};
    for (std::size_t i = 0; i < 3; ++i) result[point[i]] = there[i];
  }
  if (turns != Turns::about_axis) return result;
  // By the angle ψ of the frame, 1 + sin ψ B + (1 − cos ψ) B².
  const auto columns = basis_with(axis);
  const Vector first{columns[0][0], columns[0][1], columns[0][2]};
  const Vector image = frame * first;
  const Expression cosine = dot(first, image);
  const Expression sine = dot(Vector{columns[1][0], columns[1][1], columns[1][2]}, image);
  const std::size_t n = about_axis.size();
  const auto times_b = [&](const Vector& x) {
    Vector y(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) y[i] += about_axis[i][j] * x[j];
    }
    return y;
  };
  const Vector once = times_b(vector);
  const Vector twice = times_b(once);
  for (std::size_t i = 0; i < n; ++i) result[i] += sine * once[i] + (1.0 - cosine) * twice[i];
  return result;
}

std::vector<Expression> SpaceMotions::turned_by(const Matrix& frame, Vector vector) const {
  return applied(frame, std::move(vector));
}

std::vector<Expression> SpaceMotions::turned_back(const Matrix& frame, Vector vector) const {
  return applied(transpose(frame), std::move(vector));
}

std::vector<Expression> SpaceMotions::slice(const System& system) const {
  const Vector& q = system.coordinates();
  const std::size_t numbers = system.space().numbers;
  Vector place(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(numbers));
  const Vector given = place;
  for (std::size_t t = 0; t < translations.size(); ++t) {
    for (std::size_t i = 0; i < numbers; ++i) place[i] -= translations[t][i] * given[origin[t]];
  }
  const Matrix lead = turned.empty() ? Matrix() : rotation_of(system, q, turned[0]);
  Matrix representative = diag({1.0, 1.0, 1.0});
  if (turns == Turns::about_axis) representative = on_slice(transpose(lead) * Vector{axis[0], axis[1], axis[2]});
  if (turns != Turns::none) place = turned_back(frame(system, q), std::move(place));
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    Matrix there = system.rotations()[k].matrix;
    if (!turned.empty() && k == turned[0]) {
      there = representative;
    } else if (std::ranges::find(turned, k) != turned.end()) {
      there = representative * (transpose(lead) * there);
    }
    place.insert(place.end(), there.entries.begin(), there.entries.end());
  }
  return place;
}

bool SpaceMotions::leave_alone(const System& system, const Vector& functions, const Vector& displacement,
                               std::span<const double> parameters, const State& near) const {
  const Vector turned_displacement = turned_back(frame(system, system.coordinates()), displacement);
  const Vector place = slice(system);
  Substitution there;
  for (std::size_t i = 0; i < place.size(); ++i) there.emplace(system.coordinates()[i], place[i]);
  for (std::size_t i = 0; i < displacement.size(); ++i) there.emplace(displacement[i], turned_displacement[i]);
  Interpreter<double> program(
      make_program(joined({system.coordinates(), displacement, system.time(), system.parameters()}),
                   joined({functions, substitute(functions, there)})));
  const auto m = static_cast<Eigen::Index>(functions.size());
  const Eigen::Index samples = 2 * m + 2;
  Eigen::MatrixXd here(samples, m);
  Eigen::MatrixXd in_slice(samples, m);
  RandomPoints random;
  const std::vector<double> q = random.near(system.space(), near.q, 0.7);
  for (Eigen::Index k = 0; k < samples; ++k) {
    std::vector<double> point = q;
    for (std::size_t i = 0; i < displacement.size(); ++i) point.push_back(0.3 * random.signed_unit());
    if (system.depends_on_time()) point.push_back(near.t);
    point.insert(point.end(), parameters.begin(), parameters.end());
    const std::vector<double> values = program(point);
    for (Eigen::Index r = 0; r < m; ++r) {
      here(k, r) = values[static_cast<std::size_t>(r)];
      in_slice(k, r) = values[static_cast<std::size_t>(m + r)];
    }
  }
  if (!here.allFinite() || !in_slice.allFinite()) return true;  // nothing can be said
  for (Eigen::Index r = 0; r < m; ++r) {
    const Eigen::VectorXd mixture = least_squares(in_slice, here.col(r));
    if ((in_slice * mixture - here.col(r)).norm() > sampling_error * here.norm()) return false;
  }
  return true;
}

}  // namespace rattleback
