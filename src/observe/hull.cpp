// Clouds of points and their convex hulls.

#include <fmt/format.h>
#include <libqhull_r/qhull_ra.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>

#include "../base/raise.hpp"
#include "hull.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/observe/cloud.hpp"

namespace rattleback {
namespace {

std::vector<double> mean(const Points& points) {
  std::vector<double> center(points.at(0).size());
  for (const auto& point : points) {
    for (std::size_t i = 0; i < center.size(); ++i) center[i] += point[i] / static_cast<double>(points.size());
  }
  return center;
}

/// Qhull reports how far it is, to a file that looks up instead of being written: stopped, it adds no more points.
class Attendant {
 public:
  explicit Attendant(qhT* qh) : qh_(qh) {
    file_ = fopencookie(this, "w", {.read = nullptr, .write = look_up, .seek = nullptr, .close = nullptr});
    if (file_ == nullptr) throw SystemFailure("the system has no memory left for a file that is open");
    std::setvbuf(file_, nullptr, _IOLBF, BUFSIZ);
  }
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;
  ~Attendant() { std::fclose(file_); }

  std::FILE* file() { return file_; }
  void complain() const {
    if (stopped_) std::rethrow_exception(stopped_);
  }

 private:
  static ssize_t look_up(void* attendant, const char* /*text*/, std::size_t size) {
    auto& self = *static_cast<Attendant*>(attendant);
    try {
      keep_working();
    } catch (...) {
      self.stopped_ = std::current_exception();
      self.qh_->STOPadd = 1;
    }
    return static_cast<ssize_t>(size);
  }

  qhT* qh_;
  std::FILE* file_;
  std::exception_ptr stopped_;
};

/// Bytes that a hull takes: random points on a sphere have so many facets each, in 2, 3, … dimensions.
double memory_of_hull(std::size_t points, std::size_t dimension) {
  constexpr double facets_of_point[] = {1, 2, 6.8, 32, 190, 1300, 11000};
  const double facets = static_cast<double>(points) * facets_of_point[std::min<std::size_t>(dimension, 8) - 2];
  return facets * (400.0 + 50.0 * static_cast<double>(dimension));
}

/// The facets of the convex hull, triangulated: indices of points.
std::vector<std::vector<std::size_t>> facets(const Points& points) {
  const std::size_t dimension = points.at(0).size();
  // Relative to the mean, and of size 1: Qhull's tolerances are those of the coordinates' size.
  const std::vector<double> center = mean(points);
  double size = 0.0;
  for (const auto& point : points) {
    for (std::size_t i = 0; i < dimension; ++i) raise(size, std::abs(point[i] - center[i]));
  }
  if (!std::isfinite(size)) throw NumericalError("the points of the cloud are not finite");
  std::vector<double> flat;
  for (const auto& point : points) {
    for (std::size_t i = 0; i < dimension; ++i) flat.push_back((point[i] - center[i]) / size);
  }

  require_memory_of_hull(points.size(), dimension);
  qhT state{};
  qhT* const qh = &state;
  qh_zero(qh, nullptr);
  std::string command = "qhull Qt Pp TF1000";  // every thousand facets it reports
  Attendant attendant(qh);
  const int error = qh_new_qhull(qh, static_cast<int>(dimension), static_cast<int>(points.size()), flat.data(), False,
                                 command.data(), attendant.file(), attendant.file());
  std::vector<std::vector<std::size_t>> result;
  if (error == 0) {
    for (facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
      std::vector<std::size_t> corners;
      const int count = qh_setsize(qh, facet->vertices);
      for (int i = 0; i < count; ++i) {
        const auto* vertex = static_cast<vertexT*>(SETelem_(facet->vertices, i));
        corners.push_back(static_cast<std::size_t>(qh_pointid(qh, vertex->point)));
      }
      result.push_back(std::move(corners));
    }
  }
  qh_freeqhull(qh, !qh_ALL);
  int kept = 0;
  int allocated = 0;
  qh_memfreeshort(qh, &kept, &allocated);
  attendant.complain();
  if (error != 0) throw NumericalError("the points of the cloud do not span a volume");
  return result;
}

}  // namespace

ConvexHull::ConvexHull(Points points) : points_(std::move(points)) {
  const std::vector<double> center = mean(points_);
  const auto dimension = static_cast<Eigen::Index>(center.size());
  const double simplex = 1.0 / std::tgamma(static_cast<double>(dimension) + 1.0);
  for (auto& corners : facets(points_)) {
    keep_working();
    Eigen::MatrixXd edges(dimension, dimension);
    for (Eigen::Index k = 0; k < dimension; ++k) {
      const std::vector<double>& corner = points_[corners.at(static_cast<std::size_t>(k))];
      for (Eigen::Index i = 0; i < dimension; ++i) {
        edges(i, k) = corner[static_cast<std::size_t>(i)] - center[static_cast<std::size_t>(i)];
      }
    }
    simplices_.push_back({std::move(corners), simplex * std::abs(edges.determinant())});
  }
}

double ConvexHull::volume() const {
  double total = 0.0;
  for (const Simplex& s : simplices_) total += s.volume;
  return total;
}

double ConvexHull::mass(const std::vector<double>& densities, double density_at_mean) const {
  double total = 0.0;
  for (const Simplex& s : simplices_) {
    double density = density_at_mean;
    for (const std::size_t corner : s.corners) density += densities.at(corner);
    total += s.volume * density / (static_cast<double>(s.corners.size()) + 1.0);
  }
  return total;
}

std::size_t ConvexHull::inside() const {
  std::vector<bool> is_corner(points_.size(), false);
  for (const Simplex& s : simplices_) {
    for (const std::size_t corner : s.corners) is_corner[corner] = true;
  }
  return static_cast<std::size_t>(std::ranges::count(is_corner, false));
}

// Unit quaternions of the binary icosahedral group: permutations of (±1, 0, 0, 0), (±½, ±½, ±½, ±½), and the even
// permutations of ½ (±φ, ±1, ±1/φ, 0).
Points six_hundred_cell() {
  Points points;
  for (std::size_t i = 0; i < 4; ++i) {
    for (const double sign : {1.0, -1.0}) {
      points.emplace_back(4, 0.0);
      points.back()[i] = sign;
    }
  }
  const auto signs = [](unsigned bits, unsigned k) { return (bits >> k & 1U) == 0 ? 0.5 : -0.5; };
  for (unsigned bits = 0; bits < 16; ++bits) {
    points.push_back({signs(bits, 0), signs(bits, 1), signs(bits, 2), signs(bits, 3)});
  }
  constexpr std::size_t even[12][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2},
                                       {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 1, 3, 0},
                                       {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};
  for (unsigned bits = 0; bits < 8; ++bits) {
    const double values[4] = {signs(bits, 0) * std::numbers::phi, signs(bits, 1), signs(bits, 2) / std::numbers::phi,
                              0.0};
    for (const auto& permutation : even) {
      points.emplace_back(4);
      for (std::size_t i = 0; i < 4; ++i) points.back()[permutation[i]] = values[i];
    }
  }
  return points;
}

Points points_on_sphere(std::size_t count, std::size_t dimension) {
  std::mt19937_64 random(20200813);
  std::normal_distribution<double> normal;
  Points points;
  while (points.size() < count) {
    std::vector<double> point(dimension);
    double square = 0.0;
    for (double& x : point) {
      x = normal(random);
      square += x * x;
    }
    for (double& x : point) x /= std::sqrt(square);
    points.push_back(std::move(point));
  }
  return points;
}

void require_memory_of_hull(std::size_t points, std::size_t dimension) {
  if (dimension < 2) return;
  require_memory(memory_of_hull(points, dimension),
                 fmt::format("the convex hull of {} points in {} dimensions", points, dimension),
                 "choose fewer points");
}

}  // namespace rattleback
