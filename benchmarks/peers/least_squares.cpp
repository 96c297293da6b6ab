// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/least_squares.hpp"

#include "benchmarks/peers/sections.hpp"

#if defined(QUOIN_HAS_CERES) || defined(QUOIN_HAS_GSL)
#include "benchmarks/peers/side_by_side.hpp"
#include "benchmarks/support/draw.hpp"
#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/robots/models/rigid_body/joint_limits.hpp"
#include "quoin/robots/models/rigid_body/tree_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Problems = std::vector<LeastSquaresProblem>;
using Solver = std::function<LeastSquaresSolution(const LeastSquaresProblem&)>;

VectorXd unbounded(Eigen::Index n) { return VectorXd::Constant(n, std::numeric_limits<double>::infinity()); }

/// y = a exp(-b t) cos(w t + p), 200 samples with noise, (a, b, w, p) from 10 % off.
LeastSquaresProblem damped_oscillation(Draw& draw) {
  const VectorXd truth =
      (VectorXd(4) << draw.uniform(0.5, 2), draw.uniform(0.05, 0.5), draw.uniform(1, 4), draw.uniform(-1, 1))
          .finished();
  const VectorXd t = VectorXd::LinSpaced(200, 0, 10);
  const auto model = [t](const VectorXd& x) -> VectorXd {
    return x[0] * (-x[1] * t.array()).exp() * (x[2] * t.array() + x[3]).cos();
  };
  const VectorXd y = model(truth) + 0.01 * VectorXd::NullaryExpr(t.size(), [&] { return draw.uniform(-1, 1); });
  const auto residual = [model, y](const VectorXd& x, VectorXd& r) {
    r = model(x) - y;
    return true;
  };
  const auto jacobian = [residual, t](const VectorXd& x, VectorXd& r, MatrixXd& J) {
    const Eigen::ArrayXd decay = (-x[1] * t.array()).exp(), phase = x[2] * t.array() + x[3];
    J.resize(t.size(), 4);
    J.col(0) = decay * phase.cos();
    J.col(1) = -x[0] * t.array() * J.col(0).array();
    J.col(3) = -x[0] * decay * phase.sin();
    J.col(2) = t.array() * J.col(3).array();
    return residual(x, r);
  };
  VectorXd start = truth;
  for (double& x : start) x *= 1 + draw.uniform(-0.1, 0.1);
  return {residual, jacobian, t.size(), start, -unbounded(4), unbounded(4)};
}

/// Three points on the iiwa's hand at goals, to 0.01 m, with joints near zero, to 2 rad. The goals are those of a drawn
/// posture; `near`: the start is that posture, each joint up to 0.5 rad off, else a fixed one. `limited`: the joints
/// stay within their limits.
LeastSquaresProblem inverse_kinematics(const rigid_body::RigidBodyTree& tree, bool near, bool limited, Draw& draw) {
  const rigid_body::Frame hand = tree.frame("iiwa_link_ee");
  const auto points = std::make_shared<const rigid_body::TreePoints>(
      tree, std::vector<rigid_body::TreePoints::Point>{{hand, {0, 0, 0}}, {hand, {0.1, 0, 0}}, {hand, {0, 0.1, 0}}});
  const rigid_body::JointLimits limits = rigid_body::joint_limits(tree);
  VectorXd q(7), start = (VectorXd(7) << 0, 0.3, 0, -1, 0, 0.5, 0).finished();
  for (int i = 0; i < 7; ++i) q[i] = draw.uniform(limits.lower[i], limits.upper[i]);
  Eigen::Matrix3Xd goal;
  points->evaluate(q, goal);
  if (near)
    for (int i = 0; i < 7; ++i) start[i] = std::clamp(q[i] + draw.uniform(-0.5, 0.5), limits.lower[i], limits.upper[i]);
  const auto fill = [goal](const Eigen::Matrix3Xd& at, const VectorXd& x, VectorXd& r) {
    r.resize(16);
    r << 100 * (at - goal).reshaped(), 0.5 * x;
    return true;
  };
  const auto residual = [points, fill, at = Eigen::Matrix3Xd()](const VectorXd& x, VectorXd& r) mutable {
    points->evaluate(x, at);
    return fill(at, x, r);
  };
  const auto jacobian = [points, fill, at = Eigen::Matrix3Xd(), by_q = MatrixXd()](const VectorXd& x, VectorXd& r,
                                                                                   MatrixXd& J) mutable {
    points->evaluate(x, at, by_q);
    J.setZero(16, 7);
    J.topRows(9) = 100 * by_q;
    J.bottomRows(7).diagonal().setConstant(0.5);
    return fill(at, x, r);
  };
  if (!limited) return {residual, jacobian, 16, start, -unbounded(7), unbounded(7)};
  return {residual, jacobian, 16, start, limits.lower, limits.upper};
}

/// Every problem by both, which have to end at one cost in at least that share of them, if it is not 0.
void compare(const std::string& what, const Problems& problems, const std::string& peer, const Solver& by_peer,
             double share, Report& report, studies::figures::JsonResults& table) {
  SideBySide all;
  std::vector<double> our_iterations, their_iterations;
  studies::Rate same;
  int ours_converged = 0, theirs_converged = 0, ours_lower = 0, theirs_lower = 0;
  for (const LeastSquaresProblem& problem : problems) {
    LeastSquaresSolution here, there;
    const SideBySide seen = side_by_side([&] { here = by_quoin(problem); }, [&] { there = by_peer(problem); }, 11);
    all.add_medians(seen);
    our_iterations.push_back(here.iterations);
    their_iterations.push_back(there.iterations);
    ours_converged += here.converged;
    theirs_converged += there.converged;
    const double apart = (here.cost - there.cost) / std::max(here.cost, there.cost);
    same.count(std::abs(apart) < 1e-6);
    ours_lower += apart < -1e-6;
    theirs_lower += apart > 1e-6;
  }
  studies::figures::ResultRow row;
  row.show("task", what).show("peer", peer);
  show_times(row, all, 1, 1e-6, "us");
  row.show("our_iterations", std::lround(median(our_iterations)), "iterations, Quoin")
      .show("their_iterations", std::lround(median(their_iterations)), "peer")
      .show("ours_converged", ours_converged, "converged, Quoin")
      .show("theirs_converged", theirs_converged, "peer")
      .show("same", same.successes, "one cost, to 1e-6")
      .show("ours_lower", ours_lower, "Quoin's is lower")
      .show("theirs_lower", theirs_lower, "the peer's is lower");
  table.add(row);
  if (share > 0) report.checks.push_back(at_least(what + ", " + peer + ": one cost, to 1e-6", same, share));
  claim_faster(report, what, peer, all);
}

}  // namespace

void least_squares_beside_ceres_and_gsl(Report& report, bool quick) {
  const int count = quick ? 40 : 200;
  Draw draw(QUOIN_RELEASE);
  Problems fits, free, near, far;
  const rigid_body::RigidBodyTree tree(studies::iiwa::iiwa7_links());
  for (int i = 0; i < count; ++i) {
    fits.push_back(damped_oscillation(draw));
    free.push_back(inverse_kinematics(tree, true, false, draw));
    near.push_back(inverse_kinematics(tree, true, true, draw));
    far.push_back(inverse_kinematics(tree, false, true, draw));
  }
  studies::figures::JsonResults table;
  struct Peer {
    std::string name;
    Solver solve;
    bool bounds;
  };
  std::vector<Peer> peers;
#ifdef QUOIN_HAS_CERES
  peers.push_back({"Ceres", by_ceres, true});
#endif
#ifdef QUOIN_HAS_GSL
  peers.push_back({"GSL", by_gsl, false});
#endif
  const auto beside_each = [&](const std::string& what, const Problems& problems, bool bounds, double share) {
    for (const Peer& peer : peers)
      if (peer.bounds || !bounds) compare(what, problems, peer.name, peer.solve, share, report, table);
  };
  const std::string reach = "inverse kinematics, 16 x 7";
  beside_each("fit of a damped oscillation, 200 x 4", fits, false, 0.95);
  beside_each(reach, free, false, 0.8);
  beside_each(reach + ", within limits", near, true, 0);
  beside_each(reach + ", within limits, from afar", far, true, 0);
  report.add_table("### Least squares beside Ceres and GSL\n\n" + std::to_string(count) +
                       " drawn problems each; `box_least_squares`, Ceres' and GSL's Levenberg-Marquardt call the same "
                       "residuals and Jacobians from the same start. Times of one solve, medians over problems.",
                   table);
}

}  // namespace benchmarks
#else
void benchmarks::least_squares_beside_ceres_and_gsl(Report&, bool) {}
#endif
