// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/models/swimmer/detail/pose_increment.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::swimmer {

struct PrescribedMotionOptions {
  double begin = 0, end = 1;  ///< of time, s; the end may lie before the beginning
  int steps = 200;            ///< of the classical Runge-Kutta scheme: the error is of fourth order in 1/steps
};

struct PrescribedMotion {
  StepStatus status = StepStatus::ok;
  std::vector<Eigen::Isometry3d>
      poses;  ///< of the base, in its frame at the beginning: steps + 1, or as far as it came
};

/// The motion of a swimmer without momentum whose joints move as prescribed: its base has the body twist -M_bb^-1 M_bq
/// dq/dt. The path depends on the sequence of shapes, not on their speed.
///
///     const auto stroke = [](double t, Point<3>& q, Point<3>& rates) { ... };
///     auto motion = prescribed_motion<3>(mass, Motion::planar, stroke, {.end = period});
///     Eigen::Isometry3d displacement = motion.poses.back();
///
/// mass: a map of the generalized mass (GeneralizedMass), evaluated 2 steps + 1 times.
/// Throws std::invalid_argument for options that do not fit.
template <int Dim, class MassMap, class Stroke>
  requires DifferentiableMap<MassMap, Dim>
PrescribedMotion prescribed_motion(const MassMap& mass, Motion motion, const Stroke& stroke,
                                   const PrescribedMotionOptions& options = {}) {
  const Eigen::Index wanted = packed_size(twist_size(motion) + Dim);
  if (mass.output_size() != wanted || options.steps < 1 || !std::isfinite(options.begin) || !std::isfinite(options.end))
    throw std::invalid_argument("prescribed_motion: the map has " + to_text(mass.output_size()) + " outputs, wanted " +
                                to_text(wanted) + "; from " + to_text(options.begin) + " to " + to_text(options.end) +
                                " s in " + to_text(options.steps) + " steps");
  const auto run = [&]<int Twist>() {
    using Increment = detail::PoseIncrement<Twist>;
    using Pose = typename Increment::Pose;
    Eigen::VectorXd packed;
    Eigen::MatrixXd slopes;
    Eigen::Matrix<double, Twist + Dim, Twist + Dim> M;
    PrescribedMotion result;
    const auto twist_at = [&](double t, typename Increment::Tangent& xi) {
      Point<Dim> q, rates;
      stroke(t, q, rates);
      if (const auto s = status_of(quoin::try_evaluate<Dim>(mass, q, packed, slopes)); s != StepStatus::ok) return s;
      unpack_symmetric(packed, M);
      const auto factor = M.template topLeftCorner<Twist, Twist>().llt();
      if (factor.info() != Eigen::Success) return StepStatus::singular;
      xi = -factor.solve(M.template topRightCorner<Twist, Dim>() * rates);
      return StepStatus::ok;
    };

    const double h = (options.end - options.begin) / options.steps;
    typename Increment::Tangent now, middle, next;
    Pose pose = Increment::identity();
    result.poses.push_back(Increment::isometry(pose));
    result.status = twist_at(options.begin, now);
    for (int i = 0; i < options.steps && result.status == StepStatus::ok; ++i) {
      result.status = twist_at(options.begin + (i + 0.5) * h, middle);
      if (result.status == StepStatus::ok) result.status = twist_at(options.begin + (i + 1) * h, next);
      if (result.status != StepStatus::ok) break;
      const Pose start = Increment::identity(), a = Increment::rate(start, now),
                 b = Increment::rate(start + 0.5 * h * a, middle), c = Increment::rate(start + 0.5 * h * b, middle),
                 d = Increment::rate(start + h * c, next);
      pose = Increment::compose(pose, start + h / 6 * (a + 2 * b + 2 * c + d));
      result.poses.push_back(Increment::isometry(pose));
      now = next;
    }
    return result;
  };
  return motion == Motion::planar ? run.template operator()<3>() : run.template operator()<6>();
}

}  // namespace quoin::swimmer
