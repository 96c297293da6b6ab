// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/payload_study.hpp"

#include "quoin/robots/identification/force_regression.hpp"
#include "quoin/robots/identification/physical_consistency.hpp"
#include "quoin/robots/identification/smoothed_motion.hpp"
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>

namespace studies::iiwa {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using identification::ForceRegression;
using identification::InertiaForm;
using identification::RobotEstimate;
using identification::RobotMotion;
using identification::RobotParameters;
using rigid_body::RigidBodyTree;

RobotEstimate known(InertiaForm form, const RigidBodyTree& tree) {
  auto estimate = RobotEstimate::of(form, tree.parameters());
  if (!estimate) throw std::invalid_argument("carry_payload: the description's inertias are no bodies");
  estimate->damping_root.resize(tree.joints());
  for (int i = 0; i < tree.joints(); ++i) estimate->damping_root[i] = std::sqrt(tree.joint(i).damping);
  return *estimate;
}

/// The controller's model, and how it learns.
class AdaptiveModel {
 public:
  AdaptiveModel(const RigidBodyTree& tree, const PayloadChoice& choice, Adaptation adaptation)
      : choice_(choice),
        adaptation_(adaptation),
        estimate_(
            known(adaptation == Adaptation::unstructured ? InertiaForm::unstructured : InertiaForm::covariance, tree)),
        dynamics_(tree),
        batch_(tree),
        parameters_(estimate_.parameters()),
        damping_(estimate_.damping()) {}

  void forces(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd, VectorXd& tau) {
    dynamics_.inverse_dynamics(q, qd, qdd, parameters_, tau);
    tau += damping_.cwiseProduct(qd);
  }

  Index every() const { return adaptation_ == Adaptation::least_squares ? choice_.every_least_squares : choice_.every; }

  void learn(const RobotMotion& last) {
    if (adaptation_ == Adaptation::least_squares) {
      ForceRegression regression(last.joints(), {.damping = true});
      regression.add(dynamics_, last);
      const auto solution = regression.solve(regression.columns_of(parameters_, damping_), choice_.tolerance);
      parameters_ = solution.parameters;
      damping_ = solution.damping;
    } else if (adaptation_ != Adaptation::none) {
      for (int i = 0; i < choice_.steps; ++i)
        identification::fit_step(batch_, last, choice_.learning_rate, estimate_, adam_);
      parameters_ = estimate_.parameters();
      damping_ = estimate_.damping();
    }
  }

  double impossible_bodies() const {
    double count = 0;
    for (Index i = 0; i < parameters_.cols(); ++i)
      count += identification::physical_consistency(parameters_.col(i)).consistent ? 0 : 1;
    return count;
  }

 private:
  const PayloadChoice& choice_;
  Adaptation adaptation_;
  RobotEstimate estimate_;
  rigid_body::NewtonEuler<> dynamics_;
  rigid_body::BatchNewtonEuler batch_;
  RobotParameters parameters_;
  VectorXd damping_;
  Adam adam_;
};

RigidBodyTree loaded(const RigidBodyTree& tree, const PayloadChoice& choice) {
  constexpr double radius = 0.06;  // m
  RobotParameters parameters = tree.parameters();
  parameters.col(parameters.cols() - 1) +=
      rigid_body::body_parameters({.mass = choice.mass,
                                   .centre = choice.centre,
                                   .about_centre = 0.4 * choice.mass * radius * radius * Eigen::Matrix3d::Identity()});
  return tree.with_parameters(parameters);
}

double mean_between(const PayloadRun& run, const std::vector<double>& values, double from, double to) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (run.time[i] > from && run.time[i] <= to) {
      sum += values[i];
      ++count;
    }
  return sum / count;
}

}  // namespace

const char* to_string(Adaptation adaptation) {
  switch (adaptation) {
    case Adaptation::none: return "no adaptation";
    case Adaptation::covariance: return "Cov, Adam";
    case Adaptation::unstructured: return "NoStr, Adam";
    case Adaptation::least_squares: return "least squares";
  }
  return "unknown";
}

double PayloadRun::mean_tracking(double from, double to) const { return mean_between(*this, tracking, from, to); }
double PayloadRun::mean_prediction(double from, double to) const { return mean_between(*this, prediction, from, to); }

ArmScene payload_scene(double seconds) {
  ArmScene scene = clean_scene(seconds);
  scene.plant = {
      .friction = rigid_body::Friction::viscous, .position_noise = 2e-5, .velocity_noise = 5e-3, .torque_noise = 0.05};
  return scene;
}

PayloadChoice random_payload(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  PayloadChoice choice{.mass = between(2, 4), .seed = seed};
  const double aside = between(0, 0.05), side = between(0, 2 * std::numbers::pi);
  choice.centre = {aside * std::cos(side), aside * std::sin(side), between(0.1, 0.18)};
  return choice;
}

PayloadRun carry_payload(const ArmScene& scene, const PayloadChoice& choice, Adaptation adaptation) {
  const double period = scene.plant.control_period;
  const auto second = static_cast<Index>(std::lround(1 / period));
  const auto pick = static_cast<Index>(std::lround(choice.picked_up / period));
  const auto put = static_cast<Index>(std::lround(choice.put_down / period));
  const Index seen = choice.window + 2 * choice.half_window;
  RobotPlant robot = scene.make_plant(choice.seed);
  AdaptiveModel model(scene.described, choice, adaptation);
  PayloadRun run{.adaptation = adaptation, .time = {}, .tracking = {}, .prediction = {}, .impossible = {}};

  const auto instants = static_cast<Index>(std::lround(choice.seconds / period));
  Eigen::MatrixXd q(scene.real.joints(), instants), tau(scene.real.joints(), instants);
  double tracking = 0, prediction = 0, impossible = 0;
  VectorXd predicted(scene.real.joints());
  const auto watch = [&](const JointInstant& now) {
    q.col(now.index) = now.q;
    tau.col(now.index) = now.tau;
    tracking += (now.wanted.q - robot.q()).squaredNorm() / static_cast<double>(robot.q().size());
    model.forces(robot.q(), robot.qd(), robot.acceleration(), predicted);
    prediction += (predicted - robot.tau()).squaredNorm() / static_cast<double>(robot.q().size());
    const Index past = now.index + 1;
    if (past >= seen && past % model.every() == 0) {
      model.learn(identification::smoothed_motion(q.middleCols(past - seen, seen), tau.middleCols(past - seen, seen),
                                                  period, choice.half_window));
      impossible = std::max(impossible, model.impossible_bodies());
    }
    if (past % second == 0) {
      run.time.push_back(static_cast<double>(past) * period);
      run.tracking.push_back(std::sqrt(tracking / static_cast<double>(second)));
      run.prediction.push_back(std::sqrt(prediction / static_cast<double>(second)));
      run.impossible.push_back(impossible);
      tracking = prediction = impossible = 0;
    }
    if (past == pick) robot.carry(loaded(scene.real, choice));
    if (past == put) robot.carry(scene.real);
  };
  run.stable = follow(
                   robot,
                   [&](const VectorXd& at, const VectorXd& rate, const VectorXd& wanted, VectorXd& out) {
                     model.forces(at, rate, wanted, out);
                   },
                   scene.excitation, scene.gains, choice.seconds, watch)
                   .stable;
  return run;
}

}  // namespace studies::iiwa
