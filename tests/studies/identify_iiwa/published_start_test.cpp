// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/published_start.hpp"

#include "examples/studies/identify_iiwa/epoch_counts.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

namespace studies::iiwa {
namespace {

using identification::InertiaForm;
using identification::RobotEstimate;

identification::RobotParameters many_bodies() {
  return RobotEstimate::random(InertiaForm::covariance, 500, 3).parameters();
}

double deviation_of(const Eigen::MatrixXd& theta, Eigen::Index first, Eigen::Index count) {
  return std::sqrt(theta.middleRows(first, count).squaredNorm() / static_cast<double>(count * theta.cols()));
}

TEST_CASE("published starts have the masses and inertias that the authors' classes draw", "[iiwa]") {
  const auto described = many_bodies();
  const auto theta = [&](InertiaForm form, Start start) { return published_start(form, described, 5, start).theta; };
  CHECK(deviation_of(theta(InertiaForm::unstructured, Start::published), 4, 9) == Approx(1).epsilon(0.05));
  CHECK(deviation_of(theta(InertiaForm::unstructured, Start::published_small), 4, 9) == Approx(0.01).epsilon(0.05));
  for (const InertiaForm form : {InertiaForm::symmetric, InertiaForm::positive_definite, InertiaForm::covariance})
    CHECK(deviation_of(theta(form, Start::published), 4, 6) == Approx(0.01).epsilon(0.05));
  const Eigen::MatrixXd triangle = theta(InertiaForm::triangular, Start::published);
  CHECK(deviation_of(triangle, 7, 2) == Approx(0.1).epsilon(0.1));
  CHECK(deviation_of(triangle, 4, 3) == Approx(0.01).epsilon(0.1));
  const Eigen::RowVectorXd roots = triangle.row(0);
  CHECK(roots.minCoeff() >= 0);
  CHECK(roots.maxCoeff() < 1);
  CHECK(roots.mean() == Approx(0.5).epsilon(0.1));
}

TEST_CASE("published starts have the described centres, or first moments that are never negative", "[iiwa]") {
  const auto described = many_bodies();
  for (const InertiaForm form : identification::all_inertia_forms) {
    const auto bodies = published_start(form, described, 5, Start::published).parameters();
    for (Eigen::Index i = 0; i < bodies.cols(); ++i)
      CHECK((bodies.col(i).segment<3>(1) / bodies(0, i) - described.col(i).segment<3>(1) / described(0, i)).norm() <
            1e-12);
    const Eigen::MatrixXd moments =
        published_start(form, described, 5, Start::published_moments).theta.middleRows(1, 3);
    CHECK(moments.minCoeff() >= 0);
    CHECK(std::sqrt(moments.squaredNorm() / static_cast<double>(moments.size())) == Approx(1).epsilon(0.05));
  }
  CHECK_THROWS_AS(published_start(InertiaForm::covariance, described, 5, Start::bodies), std::invalid_argument);
}

TEST_CASE("draws that never came to the target are within no number of epochs", "[iiwa]") {
  const EpochCounts counts{.kind = ModelKind::cov, .start = Start::bodies, .limit = 20, .needed = {1, 2, 0, 20}};
  CHECK(counts.within(1).successes == 1);
  CHECK(counts.within(2).successes == 2);
  CHECK(counts.within(20).successes == 3);
  CHECK(counts.within(20).draws == 4);
}

}  // namespace
}  // namespace studies::iiwa
