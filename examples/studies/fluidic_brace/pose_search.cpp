// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/pose_search.hpp"
#include "quoin/robots/optimization/dense_program.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace studies::brace {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using fluidic_arm::StaticPose;
using optimization::DenseProgram;

constexpr double tolerance = 1e-6;  // of constraints, m, N m and N

DenseProgram program_of(const StaticPose& pose, const PoseWish& wish) {
  DenseProgram program{.lower = pose.lower(),
                       .upper = pose.upper(),
                       .constraint_lower = pose.constraint_lower(),
                       .constraint_upper = pose.constraint_upper()};
  for (Index i = 0; i < wish.held.size(); ++i) program.lower[i] = program.upper[i] = wish.held[i];
  if (wish.miss > 0) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    program.constraint_lower.segment<3>(pose.goal_row()).setConstant(-infinity);
    program.constraint_upper.segment<3>(pose.goal_row()).setConstant(infinity);
  }
  program.constraints = [&pose](const VectorXd& z, VectorXd& c, MatrixXd& jacobian) {
    pose.constraints(z, c, jacobian);
    return true;
  };
  program.objective = [&pose, wish](const VectorXd& z, double& f, VectorXd& gradient) {
    const VectorXd torques = pose.torques(z);
    f = wish.effort * torques.squaredNorm();
    gradient.setZero(z.size());
    gradient.segment(pose.torques_at(), torques.size()) = 2 * wish.effort * torques;
    if (wish.miss > 0) {
      VectorXd c;
      MatrixXd jacobian;
      pose.constraints(z, c, jacobian);
      const auto miss = c.segment<3>(pose.goal_row());
      f += wish.miss * miss.squaredNorm();
      gradient += 2 * wish.miss * jacobian.middleRows<3>(pose.goal_row()).transpose() * miss;
    }
    return true;
  };
  return program;
}

std::string name_of(const StaticPose& pose, Index row) {
  const Index n = pose.arm().coordinates();
  if (row < n) return "statics of segment " + to_text(row + 1);
  row -= n;
  if (pose.task().goal) {
    if (row < 3) return "tip at the goal";
    row -= 3;
  }
  if (pose.task().brace) {
    if (row < 2) return "contact with the ball";
    if (row == 2) return "ball in the arm's plane";
    if (row == 3) return "tangency to the ball";
    if (row < 6) return "friction";
  }
  return "clearance from the ball";
}

/// Finds the largest violation of a constraint. Bounds hold, since the solver keeps them.
void judge(const StaticPose& pose, const DenseProgram& program, PoseResult& result) {
  VectorXd c;
  MatrixXd jacobian;
  pose.constraints(result.z, c, jacobian);
  Index row = 0;
  result.violation = (program.constraint_lower - c).cwiseMax(c - program.constraint_upper).cwiseMax(0).maxCoeff(&row);
  result.violated = result.violation > tolerance ? name_of(pose, row) : "";
  result.feasible = result.violation <= tolerance;
}

}  // namespace

PoseResult find_pose(const StaticPose& pose, const PoseWish& wish, const SearchOptions& options) {
  DenseProgram program = program_of(pose, wish);
  std::mt19937 generator(static_cast<unsigned>(options.seed));
  std::uniform_real_distribution<double> bend(-1.2, 1.2), direction(-std::acos(-1.), std::acos(-1.));
  const Index n = pose.arm().coordinates();
  PoseResult best;
  double total_infeasibility = std::numeric_limits<double>::infinity();
  const int first = options.guess.size() > 0 ? -1 : 0;
  // The plane that contains the goal.
  const double azimuth = pose.task().goal ? std::atan2(pose.task().goal->y(), pose.task().goal->x()) : 0;
  for (int start = first; start < options.starts; ++start) {
    VectorXd z = VectorXd::Zero(pose.size());
    for (Index i = 0; i < n; ++i) z[i] = bend(generator);
    z[pose.rotation_at()] = azimuth;
    if (pose.task().brace) z.tail<3>() << direction(generator), 1, 0;
    program.start = start < 0 ? options.guess : z;
    const optimization::NlpResult solved = optimization::solve_with_ipopt(optimization::nonlinear_program(program),
                                                                          {.max_iterations = options.max_iterations});
    PoseResult found{.z = solved.z, .objective = solved.objective};
    judge(pose, program, found);
    ++best.starts;
    ++best.verdicts[to_string(solved.stop)];
    if (found.feasible) ++best.feasible_starts;
    const bool better = found.feasible ? !best.feasible || found.objective < best.objective
                                       : !best.feasible && found.violation < total_infeasibility;
    if (!better) continue;
    if (!found.feasible) total_infeasibility = found.violation;
    found.starts = best.starts;
    found.feasible_starts = best.feasible_starts;
    found.verdicts = std::move(best.verdicts);
    best = std::move(found);
  }
  return best;
}

}  // namespace studies::brace
