// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/robots/fem_as_constant_curvature/static_fit.hpp"

#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"
#include "quoin/robots/optimization/box_least_squares.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <optional>

namespace benchmarks::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace quoin::fluidic_arm;

FluidicArm arm_of(const BeamMaterial& material, const StaticFit& model, double base_angle) {
  ArmDescription description = as_constant_curvature(material, model.segments, base_angle);
  for (int i = 0; i < model.segments; ++i)
    description.segments[static_cast<std::size_t>(i)].stiffness = model.stiffness[i];
  return FluidicArm(description);
}

std::optional<VectorXd> at_rest(const FluidicArm& arm, const StaticFit& model, const Setting& setting,
                                const Picture& seen) {
  const VectorXd torques = VectorXd::Constant(model.segments, model.lever * setting.difference());
  Equilibrium rest = find_equilibrium(arm, torques, bend_angles(seen, model.segments));
  if (!rest.converged) return {};
  return std::move(rest.q);
}

}  // namespace

VectorXd bend_angles(const Picture& seen, int segments) {
  VectorXd q(segments);
  const int between = stations / segments;
  for (int i = 0; i < segments; ++i)
    q[i] = seen.angles[(i + 1) * between - 1] - (i == 0 ? 0 : seen.angles[i * between - 1]);
  return q;
}

void station_point(const FluidicArm& arm, const VectorXd& q, int station, Eigen::Vector2d& point,
                   Eigen::Matrix2Xd& jacobian) {
  const auto segments = static_cast<int>(q.size());
  const int eighths = station * segments, segment = (eighths - 1) / stations;
  arm.point(q, segment, (eighths - segment * stations) / static_cast<double>(stations), point, jacobian);
}

StaticFit predicted(const BeamMaterial& material, int segments) {
  return {.segments = segments,
          .stiffness = VectorXd::Constant(segments, material.bending_stiffness() * segments / material.length),
          .lever = material.lever(),
          .converged = true};
}

StaticFit fit_equilibria(const BeamMaterial& material, const Equilibria& measured, int segments, bool each_its_own) {
  const StaticFit start = predicted(material, segments);
  const int stiffnesses = each_its_own ? segments : 1;
  const auto model_of = [&](const VectorXd& p) {
    StaticFit model{.segments = segments, .stiffness = start.stiffness, .lever = p[stiffnesses] * start.lever};
    for (int i = 0; i < segments; ++i) model.stiffness[i] *= p[each_its_own ? i : 0];
    return model;
  };
  // Parameters are relative to the material's predictions.
  const auto evaluate = [&](const VectorXd& p, VectorXd& r, MatrixXd* J) {
    const StaticFit model = model_of(p);
    const auto poses = static_cast<Eigen::Index>(measured.settings.size());
    r.resize(2 * segments * poses);
    if (J != nullptr) J->resize(r.size(), p.size());
    for (Eigen::Index n = 0; n < poses; ++n) {
      const Setting& setting = measured.settings[static_cast<std::size_t>(n)];
      const Picture& seen = measured.pictures[static_cast<std::size_t>(n)];
      const FluidicArm arm = arm_of(material, model, setting.base_angle);
      const std::optional<VectorXd> q = at_rest(arm, model, setting, seen);
      if (!q) return false;
      Eigen::Matrix2Xd ends;
      MatrixXd dends, stiffness;
      VectorXd forces;
      arm.end_points(*q, ends, dends);
      for (int i = 0; i < segments; ++i)
        r.segment(2 * (n * segments + i), 2) = ends.col(i) - seen.ends.col((i + 1) * stations / segments - 1);
      if (J == nullptr) continue;
      arm.static_forces(*q, forces, stiffness);
      MatrixXd dforces = MatrixXd::Zero(segments, p.size());
      for (int i = 0; i < segments; ++i) {
        dforces(i, each_its_own ? i : 0) = start.stiffness[i] * (*q)[i];
        dforces(i, stiffnesses) = -start.lever * setting.difference();
      }
      J->middleRows(2 * n * segments, 2 * segments) = -dends * stiffness.ldlt().solve(dforces);
    }
    return true;
  };
  const VectorXd ones = VectorXd::Ones(stiffnesses + 1);
  const auto found = optimization::box_least_squares(
      [&](const VectorXd& p, VectorXd& r) { return evaluate(p, r, nullptr); },
      [&](const VectorXd& p, VectorXd& r, MatrixXd& J) { return evaluate(p, r, &J); }, ones, 0.1 * ones, 10 * ones);
  StaticFit model = model_of(found.x);
  model.converged = found.converged();
  return model;
}

Distances distances(const BeamMaterial& material, const Equilibria& measured, const StaticFit& model,
                    bool at_ends_only) {
  Distances found;
  int points = 0;
  const int stride = at_ends_only ? stations / model.segments : 1;
  for (std::size_t n = 0; n < measured.settings.size(); ++n) {
    const FluidicArm arm = arm_of(material, model, measured.settings[n].base_angle);
    const auto q = at_rest(arm, model, measured.settings[n], measured.pictures[n]);
    if (!q) return {.rms = NAN, .largest = NAN, .tip_rms = NAN};
    for (int station = stride; station <= stations; station += stride, ++points) {
      Eigen::Vector2d p;
      Eigen::Matrix2Xd J;
      station_point(arm, *q, station, p, J);
      const double squared = (p - measured.pictures[n].ends.col(station - 1)).squaredNorm();
      found.rms += squared;
      found.largest = std::max(found.largest, std::sqrt(squared));
      if (station == stations) found.tip_rms += squared;
    }
  }
  found.rms = std::sqrt(found.rms / points);
  found.tip_rms = std::sqrt(found.tip_rms / static_cast<double>(measured.settings.size()));
  return found;
}

}  // namespace benchmarks::fem
