// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_runs.hpp"

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>
#include <random>

namespace studies::iiwa {

using Eigen::Index;
using Eigen::VectorXd;
using identification::JointReference;

JointGains gains_for(const rigid_body::RigidBodyTree& tree, const identification::SineExcitation& motion,
                     double seconds, double frequency) {
  constexpr double step = 0.1;  // s
  rigid_body::NewtonEuler<> dynamics(tree);
  Eigen::MatrixXd M(tree.joints(), tree.joints());
  VectorXd inertia = VectorXd::Constant(tree.joints(), std::numeric_limits<double>::infinity());
  for (double time = 0; time < seconds; time += step) {
    dynamics.mass_matrix(motion.at(time).q, M);
    const Eigen::MatrixXd mobility = M.llt().solve(Eigen::MatrixXd::Identity(M.rows(), M.cols()));
    inertia = inertia.cwiseMin(mobility.diagonal().cwiseInverse());
  }
  return {.stiffness = frequency * frequency * inertia, .damping = 2 * frequency * inertia};
}

void TrackingError::add(const VectorXd& wanted, const VectorXd& is) {
  if (count_ == 0) squared_error_ = sum_ = squares_ = VectorXd::Zero(wanted.size());
  ++count_;
  squared_error_ += (wanted - is).cwiseAbs2();
  sum_ += wanted;
  squares_ += wanted.cwiseAbs2();
}

VectorXd TrackingError::of_each() const { return squared_error_.cwiseQuotient(squares_ - sum_.cwiseAbs2() / count_); }

double TrackingError::of_all() const { return squared_error_.sum() / (squares_ - sum_.cwiseAbs2() / count_).sum(); }

JointRun follow(RobotPlant& plant, const ForceModel& model, const identification::SineExcitation& excitation,
                const JointGains& gains, double seconds, const std::function<void(const JointInstant&)>& watch) {
  const double period = plant.options().control_period;
  const auto instants = static_cast<Index>(std::lround(seconds / period));
  const Index n = plant.tree().joints();
  JointRun run;
  for (Eigen::MatrixXd* matrix :
       {&run.exact.q, &run.exact.qd, &run.exact.qdd, &run.exact.tau, &run.logged_q, &run.logged_tau})
    matrix->resize(n, instants);
  const JointReference first = excitation.at(0);
  plant.start(first.q, first.qd);
  VectorXd tau(n);
  Measured measured = plant.measure();
  Index k = 0;
  for (; k < instants; ++k) {
    const JointReference wanted = excitation.at(static_cast<double>(k) * period);
    run.q.add(wanted.q, plant.q());
    run.qd.add(wanted.qd, plant.qd());
    model(measured.q, wanted.qd, wanted.qdd, tau);
    tau += gains.stiffness.cwiseProduct(wanted.q - measured.q) + gains.damping.cwiseProduct(wanted.qd - measured.qd);
    run.stable = plant.command(tau);
    if (!run.stable) break;
    const VectorXd measured_tau = plant.measured_tau();
    run.exact.q.col(k) = plant.q();
    run.exact.qd.col(k) = plant.qd();
    run.exact.qdd.col(k) = plant.acceleration();
    run.exact.tau.col(k) = plant.tau();
    run.logged_q.col(k) = measured.q;
    run.logged_tau.col(k) = measured_tau;
    if (watch) watch({k, wanted, measured.q, measured.qd, measured_tau});
    plant.advance();
    measured = plant.measure();
  }
  if (!run.stable) {
    run.exact = run.exact.columns(0, k);
    run.logged_q.conservativeResize(n, k);
    run.logged_tau.conservativeResize(n, k);
  }
  return run;
}

VectorXd rest_posture() {
  VectorXd q(7);
  q << 0, 0.6, 0, -1.4, 0, 1.0, 0;
  return q;
}

ReachingTask random_reaches(const rigid_body::RigidBodyTree& tree, const rigid_body::Frame& hand, int goals,
                            std::uint64_t seed) {
  rigid_body::NewtonEuler<> kinematics(tree);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> turn(-0.6, 0.6);
  ReachingTask task;
  for (int i = 0; i < goals; ++i) {
    const VectorXd q = rest_posture() + VectorXd::NullaryExpr(tree.joints(), [&] { return turn(random); });
    task.goals.push_back(kinematics.pose(q, hand).translation());
  }
  return task;
}

namespace {

/// From rest to rest in `seconds` (Flash, Hogan 1985), then held.
PointReference minimum_jerk(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double seconds, double time) {
  if (time >= seconds) return {.x = to};
  const double s = time / seconds, s2 = s * s;
  const Eigen::Vector3d way = to - from;
  return {.x = from + way * (s2 * s * (10 - 15 * s + 6 * s2)),
          .xd = way * (s2 * (30 - 60 * s + 30 * s2) / seconds),
          .xdd = way * (s * (60 - 180 * s + 120 * s2) / (seconds * seconds))};
}

}  // namespace

ReachingRun reach(RobotPlant& plant, const ForceModel& model, const rigid_body::Frame& hand, const ReachingTask& task,
                  const JointGains& gains) {
  const double period = plant.options().control_period;
  const auto each = static_cast<Index>(std::lround((task.seconds_each + task.seconds_held) / period));
  const Index instants = each * static_cast<Index>(task.goals.size());
  ReachingRun run;
  run.path.resize(3, instants);
  run.wanted.resize(3, instants);
  VelocityBasedControl control(plant.tree(), hand, Eigen::Vector3d::Zero(), rest_posture());
  VelocityBasedControl truth = control;
  plant.start(rest_posture(), VectorXd::Zero(plant.tree().joints()));
  truth.update(plant.q(), plant.qd(), {});
  Eigen::Vector3d from = truth.x();
  VectorXd tau(plant.tree().joints());
  for (Index k = 0; k < instants; ++k) {
    const Eigen::Vector3d& to = task.goals[static_cast<std::size_t>(k / each)];
    if (k > 0 && k % each == 0) from = task.goals[static_cast<std::size_t>(k / each - 1)];
    const auto wanted = minimum_jerk(from, to, task.seconds_each, static_cast<double>(k % each) * period);
    truth.update(plant.q(), plant.qd(), wanted);
    run.x.add(wanted.x, truth.x());
    run.xd.add(wanted.xd, truth.xd());
    run.path.col(k) = truth.x();
    run.wanted.col(k) = wanted.x;
    const Measured measured = plant.measure();
    control.update(measured.q, measured.qd, wanted);
    model(measured.q, control.qd(), control.qdd(), tau);
    tau += gains.damping.cwiseProduct(control.qd() - measured.qd);
    run.stable = plant.command(tau);
    if (!run.stable) {
      run.path.conservativeResize(3, k + 1);
      run.wanted.conservativeResize(3, k + 1);
      break;
    }
    plant.advance();
  }
  return run;
}

}  // namespace studies::iiwa
