// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/fit.hpp"
#include "quoin/robots/identification/physical_consistency.hpp"
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "testing/robots/sine_motion.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::identification;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("the gradient of the loss is exact in every form: its Taylor remainder is of second order",
          "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Constant(3, 0.2));
  rigid_body::BatchNewtonEuler model(tree);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const InertiaForm form : all_inertia_forms) {
    RobotEstimate at = RobotEstimate::random(form, 3, 5, true);
    if (form == InertiaForm::unstructured) at.theta.row(0).setConstant(1.5);
    const VectorXd numbers = identification::detail::flat(at);
    const VectorXd direction = VectorXd::NullaryExpr(numbers.size(), [&] { return normal(random); });
    const auto loss = [&](double t) {
      RobotEstimate moved = at;
      identification::detail::set_flat(numbers + t * direction, moved);
      return 0.5 * (predicted_forces(model, moved, motion) - motion.tau).squaredNorm();
    };
    const MatrixXd off = predicted_forces(model, at, motion) - motion.tau;
    RobotParameters by_parameters = RobotParameters::Zero(13, 3);
    model.add_parameter_gradient(motion.q, motion.qd, motion.qdd, off, by_parameters);
    const double slope =
        identification::detail::flat_gradient(at, by_parameters, off.cwiseProduct(motion.qd).rowwise().sum())
            .dot(direction);
    const auto remainder = [&](double t) { return std::abs(loss(t) - loss(0) - t * slope); };
    const double order = std::log2(remainder(2e-4) / remainder(1e-4));
    INFO(to_string(form) << " order " << order);
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE("a model of one state at a time is fitted as one of many is", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Constant(3, 0.2)).columns(0, 400);
  rigid_body::BatchNewtonEuler batch(tree);
  rigid_body::NewtonEuler<> single(tree);
  const auto start = RobotEstimate::random(InertiaForm::covariance, 3, 4, true);
  const Fit one = fit_forces(single, motion, start, {.epochs = 3}),
            many = fit_forces(batch, motion, start, {.epochs = 3});
  CHECK(one.errors.cols() == 4);
  CHECK((one.estimate.parameters() - many.estimate.parameters()).cwiseAbs().maxCoeff() < 1e-9);
  CHECK((one.estimate.parameters() - start.parameters()).cwiseAbs().maxCoeff() > 1e-3);
}

TEST_CASE("joints count as their weights have it: by their variances, the loss is the sum of normalized errors",
          "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Constant(3, 0.2));
  rigid_body::BatchNewtonEuler model(tree);
  const auto start = RobotEstimate::random(InertiaForm::covariance, 3, 2, true);
  const VectorXd weights = normalizing_weights(motion);
  const auto loss = [&](const VectorXd& numbers) {
    RobotEstimate at = start;
    identification::detail::set_flat(numbers, at);
    return normalized_errors(predicted_forces(model, at, motion), motion.tau).sum();
  };
  RobotEstimate stepped = start;
  Adam adam;
  const auto before = fit_step(model, motion, 1e-2, stepped, adam, weights);
  const VectorXd numbers = identification::detail::flat(start), gradient = adam.first_moment / 0.1;  // of a first step
  REQUIRE(before);
  CHECK(*before == Approx(loss(numbers)).epsilon(1e-12));
  for (Eigen::Index i = 0; i < numbers.size(); ++i) {
    const VectorXd h = 1e-6 * VectorXd::Unit(numbers.size(), i);
    CHECK(gradient[i] == Approx((loss(numbers + h) - loss(numbers - h)) / 2e-6).epsilon(1e-5).margin(1e-6));
  }

  RobotMotion still = motion;
  still.tau.row(1).setConstant(0.1);
  CHECK(normalizing_weights(still)[1] == 1);
  RobotEstimate plain = start, of_ones = start;
  Adam first, second;
  CHECK(fit_step(model, motion, 1e-2, plain, first) ==
        fit_step(model, motion, 1e-2, of_ones, second, VectorXd::Ones(3)));
  CHECK(plain.theta == of_ones.theta);
}

TEST_CASE("forms that are physical learn the forces of an arm from random numbers, and its friction",
          "[identification]") {
  const auto tree = arm();
  const VectorXd damping = VectorXd::LinSpaced(3, 0.1, 0.5);
  const RobotMotion motion = motion_of(tree, damping);
  rigid_body::BatchNewtonEuler model(tree);
  for (const InertiaForm form : {InertiaForm::positive_definite, InertiaForm::triangular, InertiaForm::covariance}) {
    const Fit fit = fit_forces(model, motion, RobotEstimate::random(form, 3, 2, true),
                               {.epochs = 3000, .batch = 100, .target = 1e-3});
    INFO(to_string(form) << " errors " << fit.errors.rightCols<1>().transpose() << " after " << fit.errors.cols() - 1);
    CHECK(fit.stop == Stop::target_reached);
    CHECK(fit.errors.rightCols<1>().maxCoeff() <= 1e-3);
    CHECK(fit.errors.leftCols<1>().maxCoeff() > 0.1);
    CHECK((fit.estimate.damping() - damping).norm() < 0.1 * damping.norm());
    if (form == InertiaForm::positive_definite) continue;
    for (Eigen::Index i = 0; i < 3; ++i)
      CHECK(physical_consistency(fit.estimate.parameters().col(i)).pseudo_inertia > -1e-12);
  }
}

TEST_CASE("an estimate that is right stays, and its errors are rounding", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Zero(3));
  rigid_body::BatchNewtonEuler model(tree);
  for (const InertiaForm form : all_inertia_forms) {
    const auto known = RobotEstimate::of(form, tree.parameters());
    REQUIRE(known);
    const Fit fit = fit_forces(model, motion, *known, {.epochs = 1, .target = 1e-20});
    CHECK(fit.errors.leftCols<1>().maxCoeff() < 1e-24);
  }
}

TEST_CASE("a fit is repeatable, and batches in order of time do not depend on the seed", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Zero(3));
  rigid_body::BatchNewtonEuler model(tree);
  const auto start = RobotEstimate::random(InertiaForm::covariance, 3, 2);
  const auto numbers = [&](std::uint64_t seed, bool shuffled) {
    return identification::detail::flat(
        fit_forces(model, motion, start, {.epochs = 2, .batch = 64, .shuffled = shuffled, .seed = seed}).estimate);
  };
  CHECK(numbers(1, true) == numbers(1, true));
  CHECK(numbers(1, true) != numbers(2, true));
  CHECK(numbers(1, false) == numbers(2, false));
}

TEST_CASE("the observer sees every step and may end the fit", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Zero(3));
  rigid_body::BatchNewtonEuler model(tree);
  std::vector<FitUpdate> seen;
  const Fit fit = fit_forces(model, motion, RobotEstimate::random(InertiaForm::covariance, 3, 2),
                             {.epochs = 5, .batch = 150}, [&](const FitUpdate& update, const RobotEstimate&) {
                               seen.push_back(update);
                               return seen.size() < 4;
                             });
  CHECK(fit.stop == Stop::stopped_by_observer);
  REQUIRE(seen.size() == 4);  // 400 instants: batches of 150, 150 and 100
  CHECK(seen[2].epoch == 1);
  CHECK(seen[3].epoch == 2);
  CHECK(seen[3].update == 4);
  CHECK(fit.updates == 4);
}

TEST_CASE("a fit ends as converged with the first epoch that brings less than was asked", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Zero(3));
  rigid_body::BatchNewtonEuler model(tree);
  const Fit fit = fit_forces(model, motion, RobotEstimate::random(InertiaForm::covariance, 3, 2),
                             {.epochs = 400, .batch = 100, .improvement = 0.2});
  REQUIRE(fit.stop == Stop::converged);
  const Eigen::VectorXd errors = fit.errors.colwise().mean();
  for (Eigen::Index e = 1; e + 1 < errors.size(); ++e) CHECK(errors[e] < 0.8 * errors[e - 1]);
  CHECK(errors[errors.size() - 1] >= 0.8 * errors[errors.size() - 2]);
}

TEST_CASE("an unstructured mass of zero ends the fit as not finite", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, VectorXd::Zero(3));
  rigid_body::BatchNewtonEuler model(tree);
  auto start = RobotEstimate::random(InertiaForm::unstructured, 3, 2);
  start.theta(0, 1) = 0;
  const Fit fit = fit_forces(model, motion, start, {.epochs = 3});
  CHECK(fit.stop == Stop::not_finite);
  CHECK(fit.estimate.theta == start.theta);
}

TEST_CASE("a fit of the wrong shapes or options says so with the numbers", "[identification]") {
  const auto tree = arm();
  RobotMotion motion = motion_of(tree, VectorXd::Zero(3));
  rigid_body::BatchNewtonEuler model(tree);
  const auto start = RobotEstimate::random(InertiaForm::covariance, 3, 2);
  CHECK_THROWS_WITH(fit_forces(model, motion, RobotEstimate::random(InertiaForm::covariance, 4, 2)),
                    Catch::Contains("theta is 10 x 4, wanted 10 x 3 for Cov"));
  CHECK_THROWS_WITH(fit_forces(model, motion, start, {.batch = 0}), Catch::Contains("batch 0"));
  CHECK_THROWS_WITH(fit_forces(model, motion, start, {.weights = VectorXd::Ones(2)}),
                    Catch::Contains("2 weights for 3 joints"));
  motion.qd.conservativeResize(3, 399);
  CHECK_THROWS_WITH(fit_forces(model, motion, start), Catch::Contains("qd 3 x 399"));
  CHECK_THROWS_WITH(normalized_errors(MatrixXd::Zero(2, 3), MatrixXd::Zero(2, 4)),
                    Catch::Contains("predicted is 2 x 3, measured 2 x 4"));
}
