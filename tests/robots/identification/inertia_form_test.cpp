// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/inertia_form.hpp"
#include "quoin/robots/identification/physical_consistency.hpp"
#include "testing/refused_options.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace quoin::identification;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

VectorXd random_theta(InertiaForm form, double size, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return VectorXd::NullaryExpr(parameter_count(form), [&] { return size * normal(random); });
}

/// A body of two balls and a rod: m, m c and the inertia about the origin.
LinearParameters real_body(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  LinearParameters p = LinearParameters::Zero();
  for (int i = 0; i < 6; ++i) {
    const double m = 1.5 + unit(random);
    const Vector3d x(unit(random), unit(random), 0.3 * unit(random));
    const Matrix3d I = m * (x.squaredNorm() * Matrix3d::Identity() - x * x.transpose());
    p[0] += m;
    p.segment<3>(1) += m * x;
    for (int k = 0; k < 9; ++k) p[4 + k] += I(k / 3, k % 3);
  }
  return p;
}

double least(const PhysicalConsistency& c, double scale) { return std::min(c.smallest_moment, c.triangle) / scale; }

}  // namespace

TEST_CASE("every form's Jacobian is that of its map: the Taylor remainder is of second order", "[identification]") {
  std::mt19937_64 random(1);
  for (const InertiaForm form : all_inertia_forms)
    for (int trial = 0; trial < 20; ++trial) {
      const VectorXd theta = random_theta(form, 1, random), direction = random_theta(form, 1, random);
      Eigen::MatrixXd J;
      const LinearParameters at = linear_parameters(form, theta, {}, J);
      CHECK(at == linear_parameters(form, theta));
      if (form == InertiaForm::unstructured && std::abs(theta[0]) < 0.3) continue;  // steep in 1 / m
      const auto remainder = [&](double t) {
        return (linear_parameters(form, theta + t * direction) - at - t * J * direction).norm();
      };
      const double slope = std::log2(remainder(2e-4) / remainder(1e-4));
      INFO(to_string(form) << " trial " << trial << " slope " << slope << " remainder " << remainder(1e-4));
      CHECK(slope > 1.9);
      CHECK(slope < 2.1);
    }
}

TEST_CASE("the derivative of Tri holds at and near a turn of zero, and where its triangle is flat",
          "[identification]") {
  std::mt19937_64 random(2);
  for (const double size : {0.0, 1e-9, 1e-5, 0.0099, 0.0101, 3.0, 7.0})
    for (const double angle : {-12.0, 0.0, 12.0}) {
      VectorXd theta = random_theta(InertiaForm::triangular, 1, random);
      theta.segment<3>(4) *= size / theta.segment<3>(4).norm();
      theta[7] = theta[8];  // sides alike
      theta[9] = angle;
      Eigen::MatrixXd J;
      linear_parameters(InertiaForm::triangular, theta, {}, J);
      for (Eigen::Index k = 0; k < theta.size(); ++k) {
        // Complex steps would be exact, but not through a norm: central differences, Richardson extrapolated.
        const auto difference = [&](double step) -> LinearParameters {
          VectorXd up = theta, down = theta;
          up[k] += step;
          down[k] -= step;
          return (linear_parameters(InertiaForm::triangular, up) - linear_parameters(InertiaForm::triangular, down)) /
                 (2 * step);
        };
        // If the sides differ by more than the third, tiny side, they make another triangle.
        const double h = (k == 7 || k == 8) && angle < 0 ? 1e-8 : 1e-3;
        const LinearParameters numeric = (4 * difference(h / 2) - difference(h)) / 3;
        INFO("turn " << size << " angle " << angle << " parameter " << k);
        CHECK((J.col(k) - numeric).norm() < ((k == 7 || k == 8) && angle < 0 ? 1e-5 : 1e-8) * (1 + numeric.norm()));
      }
    }
}

TEST_CASE("a form keeps its promise whatever its numbers are", "[identification]") {
  std::mt19937_64 random(3);
  constexpr double rounding = 1e-13;
  for (const InertiaForm form : all_inertia_forms)
    for (const double size : {0.0, 1e-8, 1e-3, 1.0, 30.0, 1e3})
      for (int trial = 0; trial < 200; ++trial) {
        VectorXd theta = random_theta(form, size, random);
        theta.segment<3>(1) *= 1e-3;  // else rounding of h h^T / m hides the inertia about the centre of mass
        const LinearParameters p = linear_parameters(form, theta);
        if (form == InertiaForm::unstructured) continue;
        const PhysicalConsistency c = physical_consistency(p);
        const double scale = p.tail<9>().cwiseAbs().maxCoeff() + std::numeric_limits<double>::min();
        INFO(to_string(form) << " size " << size << " trial " << trial);
        CHECK(c.mass > 0);
        CHECK(c.asymmetry <= rounding * scale);
        if (form == InertiaForm::symmetric) continue;
        CHECK(c.smallest_moment >= -rounding * scale);
        if (form == InertiaForm::positive_definite) continue;
        CHECK(least(c, scale) >= -rounding);
      }
}

TEST_CASE("what a form does not promise, it does not keep", "[identification]") {
  std::mt19937_64 random(4);
  const auto broken = [&](InertiaForm form, const auto& promise) {
    int count = 0;
    for (int trial = 0; trial < 200; ++trial)
      count += !promise(physical_consistency(linear_parameters(form, random_theta(form, 1, random))));
    return count;
  };
  CHECK(broken(InertiaForm::unstructured, [](const auto& c) { return c.mass > 0; }) > 50);
  CHECK(broken(InertiaForm::unstructured, [](const auto& c) { return c.asymmetry < 1e-6; }) == 200);
  CHECK(broken(InertiaForm::symmetric, [](const auto& c) { return c.smallest_moment > 0; }) > 50);
  CHECK(broken(InertiaForm::positive_definite, [](const auto& c) { return c.triangle > 0; }) > 50);
  CHECK(broken(InertiaForm::triangular, [](const auto& c) { return c.consistent; }) == 0);
  CHECK(broken(InertiaForm::covariance, [](const auto& c) { return c.consistent; }) == 0);
}

TEST_CASE("a real body has numbers in every form, and comes back from them", "[identification]") {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const LinearParameters body = real_body(random);
    CHECK(physical_consistency(body).consistent);
    for (const InertiaForm form : all_inertia_forms) {
      const auto theta = theta_of(form, body);
      INFO(to_string(form) << " trial " << trial);
      REQUIRE(theta);
      CHECK((linear_parameters(form, *theta) - body).norm() < 1e-12 * body.norm());
    }
  }
}

TEST_CASE("half turns and equal moments have a way back through Tri", "[identification]") {
  for (const Vector3d& axis : {Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1), Vector3d(1, 1, 0).normalized(),
                               Vector3d(1, 2, 3).normalized()})
    for (const double angle : {std::numbers::pi, std::numbers::pi - 1e-9, 1e-12, 0.0})
      for (const Vector3d& J : {Vector3d(1, 2, 2.5), Vector3d(1, 1, 1), Vector3d(1, 2, 2), Vector3d(1, 1, 1.5)}) {
        const Matrix3d R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
        const Matrix3d I = R * J.asDiagonal() * R.transpose();
        LinearParameters body;
        body << 2, 0, 0, 0, Eigen::Matrix<double, 9, 1>::Zero();
        for (int k = 0; k < 9; ++k) body[4 + k] = 0.5 * (I(k / 3, k % 3) + I(k % 3, k / 3));
        const auto theta = theta_of(InertiaForm::triangular, body);
        REQUIRE(theta);
        CHECK((linear_parameters(InertiaForm::triangular, *theta) - body).norm() < 1e-12);
      }
}

TEST_CASE("parameters that a form does not allow have no way back", "[identification]") {
  std::mt19937_64 random(6);
  const LinearParameters body = real_body(random);
  LinearParameters light = body;
  light[0] = -1;
  CHECK(theta_of(InertiaForm::unstructured, light));
  CHECK_FALSE(theta_of(InertiaForm::symmetric, light));
  LinearParameters none = body;
  none[0] = 0;
  CHECK_FALSE(theta_of(InertiaForm::unstructured, none));
  LinearParameters skew = body;
  skew[5] += 0.1;
  CHECK(theta_of(InertiaForm::unstructured, skew));
  CHECK_FALSE(theta_of(InertiaForm::symmetric, skew));
  LinearParameters flat = LinearParameters::Zero();  // moments 1, 1, 3 about the centre
  flat[0] = 1;
  flat[4] = flat[8] = 1;
  flat[12] = 3;
  CHECK(theta_of(InertiaForm::positive_definite, flat));
  CHECK_FALSE(theta_of(InertiaForm::triangular, flat));
  CHECK_FALSE(theta_of(InertiaForm::covariance, flat));
  flat[4] = -1;
  CHECK(theta_of(InertiaForm::symmetric, flat));
  CHECK_FALSE(theta_of(InertiaForm::positive_definite, flat));
  CHECK_THROWS_WITH(linear_parameters(InertiaForm::covariance, VectorXd::Zero(9)),
                    Catch::Contains("Cov has 10 numbers, not 9"));
}

TEST_CASE("a body is physical exactly if its pseudo-inertia matrix is positive definite", "[identification]") {
  // Moments 1, 1, 3 of a mass of 1 kg: positive definite, but no body.
  LinearParameters p = LinearParameters::Zero();
  p[0] = 1;
  p[4] = p[8] = 1;
  p[12] = 3;
  const PhysicalConsistency c = physical_consistency(p);
  CHECK(c.smallest_moment == Approx(1));
  CHECK(c.triangle == Approx(-1));
  CHECK(c.pseudo_inertia == Approx(-0.5));
  CHECK_FALSE(c.consistent);
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const PhysicalConsistency some = physical_consistency(
        linear_parameters(InertiaForm::symmetric, random_theta(InertiaForm::symmetric, 1, random)));
    CHECK((some.pseudo_inertia > 0) == (some.mass > 0 && some.triangle > 0 && some.smallest_moment > 0));
  }
}

TEST_CASE("a floor that means nothing is refused by name, on both ways", "[identification]") {
  const Eigen::VectorXd theta = Eigen::VectorXd::Ones(parameter_count(InertiaForm::positive_definite));
  const auto there = [&](const InertiaFloor& floor) {
    return linear_parameters(InertiaForm::positive_definite, theta, floor);
  };
  const LinearParameters body = there({});
  quoin::test::RefusedOptions("linear_parameters", InertiaFloor{}, there)
      .not_negative("floor.mass", &InertiaFloor::mass)
      .not_negative("floor.moment", &InertiaFloor::moment);
  quoin::test::RefusedOptions("theta_of", InertiaFloor{},
                              [&](const InertiaFloor& floor) { theta_of(InertiaForm::positive_definite, body, floor); })
      .not_negative("floor.mass", &InertiaFloor::mass)
      .not_negative("floor.moment", &InertiaFloor::moment);
}
