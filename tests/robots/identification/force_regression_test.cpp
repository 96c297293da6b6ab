// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_regression.hpp"
#include "quoin/robots/identification/physical_consistency.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "testing/robots/sine_motion.hpp"

#include <catch2/catch.hpp>

#include <Eigen/SVD>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::identification;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const VectorXd damping = VectorXd::LinSpaced(3, 0.1, 0.5);

ForceRegression regression_of(const rigid_body::RigidBodyTree& tree, const RobotMotion& motion,
                              const VectorXd& weights = {}) {
  rigid_body::NewtonEuler<> dynamics(tree);
  ForceRegression regression(3, {.damping = true, .weights = weights});
  regression.add(dynamics, motion);
  return regression;
}

RobotMotion noisy(RobotMotion motion, double size) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal(0, size);
  motion.tau += MatrixXd::NullaryExpr(motion.tau.rows(), motion.tau.cols(), [&] { return normal(random); });
  return motion;
}

}  // namespace

TEST_CASE("the triangle has the squared errors of all instants, for any parameters and weights", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = noisy(motion_of(tree, damping), 0.3);
  const VectorXd weights = VectorXd::LinSpaced(3, 1, 3);
  const ForceRegression regression = regression_of(tree, motion, weights);
  rigid_body::BatchNewtonEuler model(tree);
  for (int seed = 1; seed <= 5; ++seed) {
    const RobotEstimate estimate =
        RobotEstimate::random(InertiaForm::symmetric, 3, static_cast<std::uint64_t>(seed), true);
    const double direct =
        (weights.asDiagonal() * (predicted_forces(model, estimate, motion) - motion.tau)).squaredNorm() / 400;
    CHECK(regression.residual(regression.columns_of(estimate.parameters(), estimate.damping())) ==
          Approx(direct).epsilon(1e-12));
  }
}

TEST_CASE("a motion in parts is the motion", "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = noisy(motion_of(tree, damping), 0.3);
  const ForceRegression whole = regression_of(tree, motion);
  rigid_body::NewtonEuler<> dynamics(tree);
  ForceRegression parts(3, {.damping = true});
  for (const Eigen::Index first : {0, 1, 137}) {
    const Eigen::Index end = first == 0 ? 1 : first == 1 ? 137 : 400;
    parts.add(dynamics, motion.columns(first, end - first));
  }
  CHECK(parts.instants() == 400);
  const VectorXd p = VectorXd::LinSpaced(whole.columns(), -1, 1);
  CHECK(parts.residual(p) == Approx(whole.residual(p)).epsilon(1e-12));
}

TEST_CASE("what cannot be told apart is found: as many base parameters as the stacked regressor has rank",
          "[identification]") {
  const auto tree = arm();
  const RobotMotion motion = motion_of(tree, damping);
  const ForceRegression regression = regression_of(tree, motion);
  const Identifiability known = regression.identifiability();

  rigid_body::NewtonEuler<> dynamics(tree);
  MatrixXd stacked(3 * 400, 33), Y(3, 39);
  const MatrixXd embedding = rigid_body::symmetric_embedding();
  for (Eigen::Index t = 0; t < 400; ++t) {
    dynamics.regressor(motion.q.col(t), motion.qd.col(t), motion.qdd.col(t), Y);
    for (Eigen::Index i = 0; i < 3; ++i) stacked.block(3 * t, 10 * i, 3, 10) = Y.middleCols(13 * i, 13) * embedding;
    stacked.block(3 * t, 30, 3, 3) = motion.qd.col(t).asDiagonal().toDenseMatrix();
  }
  Eigen::ColPivHouseholderQR<MatrixXd> qr(stacked);
  qr.setThreshold(1e-10);
  CHECK(known.rank == qr.rank());
  CHECK(known.rank < 33);  // the first link turns about gravity
  CHECK(known.singular_values[known.rank - 1] > 1e-6 * known.singular_values[0]);
  CHECK(known.singular_values[known.rank] < 1e-12 * known.singular_values[0]);

  // The base parameters, and nothing else, decide the forces.
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  const VectorXd p = VectorXd::NullaryExpr(33, [&] { return normal(random); });
  VectorXd same = VectorXd::Zero(33);
  for (Eigen::Index k = 0; k < known.rank; ++k) {
    same[known.base[k]] = p[known.base[k]];
    for (Eigen::Index j = 0; j < known.combination.cols(); ++j)
      same[known.base[k]] += known.combination(k, j) * p[known.others[j]];
  }
  CHECK((stacked * (same - p)).norm() < 1e-10 * (stacked * p).norm());
}

TEST_CASE("least squares find the forces of a motion without noise, and leave what it does not tell",
          "[identification]") {
  const auto tree = arm();
  const ForceRegression regression = regression_of(tree, motion_of(tree, damping));
  const RegressionSolution blind = regression.solve(VectorXd::Zero(33));
  CHECK(blind.residual < 1e-20);
  CHECK((blind.damping - damping).norm() < 1e-9);
  const VectorXd truth = regression.columns_of(tree.parameters(), damping);
  CHECK((blind.columns - truth).norm() > 0.1);  // other parameters, the same forces
  const RegressionSolution told = regression.solve(truth);
  CHECK((told.columns - truth).norm() < 1e-9);
  CHECK((told.parameters - tree.parameters()).norm() < 1e-9);
}

TEST_CASE("noise makes bodies of linear least squares that cannot be; a form's stay physical", "[identification]") {
  const auto tree = arm();
  const ForceRegression regression = regression_of(tree, noisy(motion_of(tree, damping), 1.0));
  const RegressionSolution linear = regression.solve(VectorXd::Zero(33));
  bool all = true;
  for (Eigen::Index i = 0; i < 3; ++i) all = all && physical_consistency(linear.parameters.col(i)).consistent;
  CHECK_FALSE(all);
  for (const InertiaForm form : {InertiaForm::triangular, InertiaForm::covariance}) {
    auto start = RobotEstimate::of(form, tree.parameters());
    REQUIRE(start);
    start->damping_root = VectorXd::Constant(3, 0.5);
    const FormFit fit = fit_form(regression, *start);
    INFO(to_string(form) << " " << to_string(fit.stop) << " after " << fit.iterations);
    CHECK(fit.stop == Stop::converged);
    CHECK(fit.residual >= linear.residual * (1 - 1e-12));
    CHECK(fit.residual < 1.05 * linear.residual);
    CHECK(fit.residual < regression.residual(regression.columns_of(tree.parameters(), damping)));
    for (Eigen::Index i = 0; i < 3; ++i)
      CHECK(physical_consistency(fit.estimate.parameters().col(i)).pseudo_inertia > -1e-12);
  }
}

TEST_CASE("a form fitted to a motion without noise has its forces, from numbers that are 20 % off",
          "[identification]") {
  const auto tree = arm();
  const ForceRegression regression = regression_of(tree, motion_of(tree, damping));
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal(1, 0.2);
  for (const InertiaForm form :
       {InertiaForm::symmetric, InertiaForm::positive_definite, InertiaForm::triangular, InertiaForm::covariance}) {
    auto start = RobotEstimate::of(form, tree.parameters());
    REQUIRE(start);
    for (double& number : start->theta.reshaped()) number *= normal(random);
    start->damping_root = VectorXd::Constant(3, 0.3);
    const double before = regression.residual(regression.columns_of(start->parameters(), start->damping()));
    const FormFit fit = fit_form(regression, *start);
    INFO(to_string(form) << " " << to_string(fit.stop) << " after " << fit.iterations << ", " << before << " to "
                         << fit.residual);
    CHECK(before > 1e-3);
    CHECK(fit.residual < 1e-8 * before);
    CHECK((fit.estimate.damping() - damping).norm() < 1e-3);
  }
}

TEST_CASE("a regression that cannot be says so with the numbers", "[identification]") {
  CHECK_THROWS_WITH(ForceRegression(0), Catch::Contains("0 joints"));
  CHECK_THROWS_WITH(ForceRegression(3, {.weights = VectorXd::Ones(2)}), Catch::Contains("2 weights for 3 joints"));
  const auto tree = arm();
  rigid_body::NewtonEuler<> dynamics(tree);
  ForceRegression two(2);
  CHECK_THROWS_WITH(two.add(dynamics, motion_of(tree, damping)), Catch::Contains("3 joints, not 2"));
  CHECK_THROWS_WITH(two.solve(VectorXd::Zero(20)), Catch::Contains("0 instants"));
  const ForceRegression regression = regression_of(tree, motion_of(tree, damping));
  CHECK_THROWS_WITH(fit_form(regression, RobotEstimate::random(InertiaForm::unstructured, 3, 1)),
                    Catch::Contains("NoStr"));
  for (const double bad : {std::nan(""), -1e-9, -HUGE_VAL}) {
    CHECK_THROWS_WITH(regression.identifiability(bad), Catch::Contains("tolerance = "));
    CHECK_THROWS_WITH(regression.solve(VectorXd::Zero(regression.columns()), bad), Catch::Contains("tolerance = "));
  }
}
