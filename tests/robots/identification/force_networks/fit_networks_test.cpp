// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_networks/fit_networks.hpp"
#include "testing/robots/sine_motion.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

#ifdef QUOIN_HAS_TORCH  // gradients; all else is tested without

using namespace quoin;
using namespace quoin::identification;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

RobotMotion sines() { return motion_of(arm(), VectorXd::LinSpaced(3, 0.1, 0.5)); }

template <class Network>
MatrixXd predicted(const Network& network, const RobotMotion& motion) {
  MatrixXd tau(motion.joints(), motion.instants());
  network.inverse_dynamics(motion.q, motion.qd, motion.qdd, tau);
  return tau;
}

template <class Network>
double loss_of(const Network& network, const RobotMotion& motion, const VectorXd& weights) {
  return (weights.cwiseSqrt().asDiagonal() * (predicted(network, motion) - motion.tau)).squaredNorm() /
         static_cast<double>(motion.instants());
}
VectorXd own_weights(const ForceMlp& mlp) { return mlp.force_deviation.cwiseAbs2().cwiseInverse(); }
VectorXd own_weights(const LagrangianNetwork& delan) { return VectorXd::Ones(delan.joints()); }

std::vector<double*> numbers_of(ForceMlp& mlp) {
  std::vector<double*> numbers;
  for (double& weight : mlp.network.weights) numbers.push_back(&weight);
  return numbers;
}
std::vector<double*> numbers_of(LagrangianNetwork& delan) {
  std::vector<double*> numbers;
  for (VectorXd* part : {&delan.inertia.weights, &delan.potential.weights, &delan.damping_root})
    for (double& weight : *part) numbers.push_back(&weight);
  return numbers;
}

template <class Network>
void check_first_step(const Network& network, const RobotMotion& motion, const VectorXd& weights = {}) {
  const VectorXd counted = weights.size() > 0 ? weights : own_weights(network);
  Network stepped = network;
  Adam adam;
  const auto loss = fit_step(stepped, motion, 1e-3, adam, weights);
  REQUIRE(loss);
  CHECK(*loss == Approx(loss_of(network, motion, counted)).epsilon(1e-5));
  const VectorXd gradient = adam.first_moment / 0.1;  // of Adam's first step
  Network moved = network;
  const std::vector<double*> numbers = numbers_of(moved);
  REQUIRE(gradient.size() == std::ssize(numbers));
  for (Eigen::Index i = 0; i < gradient.size(); ++i) {
    double& number = *numbers[static_cast<std::size_t>(i)];
    const double at = number, h = 1e-5;
    number = at + h;
    const double above = loss_of(moved, motion, counted);
    number = at - h;
    const double below = loss_of(moved, motion, counted);
    number = at;
    INFO("number " << i << " of " << gradient.size());
    CHECK(gradient[i] == Approx((above - below) / (2 * h)).epsilon(1e-3).margin(1e-5 * gradient.norm()));
  }
}

template <class Network>
void learns(Network network, const RobotMotion& motion) {
  const FitCourse course =
      fit_forces(network, motion, {.epochs = 600, .batch = 50, .learning_rate = 3e-3, .target = 0.01});
  INFO("errors " << course.errors.rightCols<1>().transpose() << " after " << course.errors.cols() - 1);
  CHECK(course.stop == Stop::target_reached);
  CHECK(course.errors.leftCols<1>().maxCoeff() > 0.5);
  CHECK(normalized_errors(predicted(network, motion), motion.tau).maxCoeff() <= 0.01);
}

}  // namespace

TEST_CASE("the gradient that libtorch gives is the slope of the loss of the network that predicts", "[networks]") {
  const RobotMotion motion = sines().columns(17, 90);
  check_first_step(ForceMlp::random(sines(), 2, {6, 7, 5}), motion);
  check_first_step(ForceMlp::random(sines(), 2, {}), motion);
  check_first_step(LagrangianNetwork::random(3, 2, {6, 7, 5}), motion);
  LagrangianNetwork delan = LagrangianNetwork::random(3, 3, {6, 7}, true);
  delan.inertia.weights *= 2;
  delan.potential.weights *= 2;
  delan.floor = 0.3;
  delan.inertia_scale << 0.5, 1.2, 2;
  check_first_step(delan, motion);
  const VectorXd weights = VectorXd::LinSpaced(3, 0.5, 3);
  check_first_step(delan, motion, weights);
  check_first_step(ForceMlp::random(sines(), 2, {6, 7, 5}), motion, weights);
}

TEST_CASE("an MLP learns the forces of an arm", "[networks]") { learns(ForceMlp::random(sines(), 1), sines()); }

TEST_CASE("a DeLaN learns the forces of an arm, and the energy that stands behind them", "[networks]") {
  learns(LagrangianNetwork::random(3, 1, {32, 64, 32}, true), sines());
}

TEST_CASE("a network's fit is repeatable, and its observer may end it", "[networks]") {
  const RobotMotion motion = sines();
  const auto fitted = [&](auto network, std::uint64_t seed) {
    fit_forces(network, motion, {.epochs = 2, .seed = seed});
    return predicted(network, motion);
  };
  const ForceMlp mlp = ForceMlp::random(motion, 1);
  const LagrangianNetwork delan = LagrangianNetwork::random(3, 1);
  CHECK(fitted(mlp, 1) == fitted(mlp, 1));
  CHECK(fitted(mlp, 1) != fitted(mlp, 2));
  CHECK(fitted(delan, 1) == fitted(delan, 1));
  CHECK(fitted(delan, 1) != fitted(delan, 2));

  ForceMlp watched = mlp;
  double first_loss = 0;
  const FitCourse course = fit_forces(watched, motion, {.epochs = 5, .batch = 150, .shuffled = false},
                                      [&](const FitUpdate& update, const ForceMlp& now) {
                                        if (update.update == 1) first_loss = update.loss;
                                        CHECK(&now == &watched);
                                        return update.update < 4;
                                      });
  CHECK(course.stop == Stop::stopped_by_observer);
  CHECK(course.updates == 4);
  CHECK(first_loss == Approx(loss_of(mlp, motion.columns(0, 150), own_weights(mlp))).epsilon(1e-5));
}

TEST_CASE("steps by hand are those of a fit", "[networks]") {
  const RobotMotion motion = sines();
  LagrangianNetwork by_hand = LagrangianNetwork::random(3, 1), fitted = by_hand;
  Adam adam;
  for (const Eigen::Index first : {0, 100, 200, 300}) fit_step(by_hand, motion.columns(first, 100), 1e-3, adam);
  fit_forces(fitted, motion, {.epochs = 1, .batch = 100, .learning_rate = 1e-3, .shuffled = false});
  CHECK(by_hand.inertia.weights == fitted.inertia.weights);
  CHECK(by_hand.potential.weights == fitted.potential.weights);
}

TEST_CASE("a step that is not finite is not taken", "[networks]") {
  RobotMotion motion = sines();
  motion.tau *= 1e25;  // its square is beyond single precision
  LagrangianNetwork delan = LagrangianNetwork::random(3, 1);
  const VectorXd before = delan.inertia.weights;
  const FitCourse course = fit_forces(delan, motion, {.epochs = 3});
  CHECK(course.stop == Stop::not_finite);
  CHECK(course.updates == 0);
  CHECK(delan.inertia.weights == before);
}

TEST_CASE("a network's fit of the wrong shapes or options says so with the numbers", "[networks]") {
  RobotMotion motion = sines();
  ForceMlp mlp = ForceMlp::random(motion, 1);
  LagrangianNetwork delan = LagrangianNetwork::random(4, 1);
  Adam adam;
  CHECK_THROWS_WITH(fit_forces(delan, motion), Catch::Contains("wanted 3 inputs"));
  CHECK_THROWS_WITH(fit_step(delan, motion, 1e-3, adam), Catch::Contains("wanted 3 inputs"));
  CHECK_THROWS_WITH(fit_forces(mlp, motion, {.batch = 0}), Catch::Contains("batch 0"));
  CHECK_THROWS_WITH(fit_step(mlp, motion, 1e-3, adam, VectorXd::Ones(4)), Catch::Contains("4 weights for 3 joints"));
  motion.qd.conservativeResize(3, 399);
  CHECK_THROWS_WITH(fit_forces(mlp, motion), Catch::Contains("qd 3 x 399"));
  CHECK_THROWS_WITH(fit_step(mlp, motion, 1e-3, adam), Catch::Contains("qd 3 x 399"));
}

#endif
