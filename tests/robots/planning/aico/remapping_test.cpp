// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/remapping.hpp"
#include "testing/refused_options.hpp"
#include "testing/robots/aico_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

Matrix random_metric(std::mt19937& generator, int m) {
  const Matrix root = random_matrix(generator, m, m);
  return 10 * root * root.transpose() + Matrix::Identity(m, m);
}

Remapper::Function linear(const Matrix& J, const Vector& offset) {
  return [J, offset](const Vector& q, Vector& y, Matrix* derivative) {
    y = J * q + offset;
    if (derivative) *derivative = J;
    return true;
  };
}

/// The positions of all joints of a planar arm: twice as many numbers as coordinates.
Remapper::Function joints_of_arm(int d) {
  return [d](const Vector& q, Vector& y, Matrix* derivative) {
    Matrix points, J;
    PlanarArm{d}.evaluate(q, points, J);
    y = points.reshaped();
    if (derivative) *derivative = J;
    return true;
  };
}

double f_of(const Remapper::Function& phi, const Matrix& C, const Vector& q, const Vector& h, const Vector& target,
            const Vector& at) {
  Vector y;
  phi(at, y, nullptr);
  return (at - q - h).squaredNorm() + (y - target).dot(C * (y - target));
}

}  // namespace

TEST_CASE("remapping a linear phi is Eq. 15 in one step, whatever the form, for small and large y") {
  std::mt19937 generator(1);
  for (const int m : {1, 3, 6, 15}) {
    const int n = 6;
    const Matrix J = random_matrix(generator, m, n), C = random_metric(generator, m);
    const Vector offset = random_matrix(generator, m, 1), q = random_matrix(generator, n, 1);
    const Vector h = 0.1 * random_matrix(generator, n, 1), target = random_matrix(generator, m, 1);
    const Matrix pseudo = J.transpose() * (J * J.transpose() + C.inverse()).inverse();
    const Vector expected =
        q + pseudo * (target - (J * q + offset)) + (Matrix::Identity(n, n) - pseudo * J) * h;  // Eq. 15
    CAPTURE(m);
    Vector by_form[2];
    for (const RemapForm form : {RemapForm::in_task_space, RemapForm::in_joint_space}) {
      Remapper once(n, C, {.max_iterations = 1, .form = form});
      const RemapResult& result = once.remap(q, h, target, linear(J, offset));
      CHECK((result.q - expected).cwiseAbs().maxCoeff() < 1e-12);
      by_form[form == RemapForm::in_joint_space] = result.q;
      CHECK(std::abs(result.cost - f_of(linear(J, offset), C, q, h, target, result.q)) < 1e-12 * (1 + result.cost));
      CHECK(result.evaluations == 2);
      Remapper to_the_end(n, C, {.form = form});
      const RemapResult& end = to_the_end.remap(q, h, target, linear(J, offset));
      CHECK(end.converged());
      CHECK((end.q - expected).cwiseAbs().maxCoeff() < 1e-12);
      CHECK(end.iterations <= 2);
    }
    CHECK((by_form[0] - by_form[1]).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("remapping takes a diagonal metric and a singular one for what they are") {
  std::mt19937 generator(2);
  const Matrix J = random_matrix(generator, 3, 5);
  const Vector q = random_matrix(generator, 5, 1), h = Vector::Zero(5), target = random_matrix(generator, 3, 1);
  const Vector weights = (Vector(3) << 2, 0, 5).finished();
  const Matrix C = weights.asDiagonal();
  const Vector expected =
      q + (Matrix::Identity(5, 5) + J.transpose() * C * J).llt().solve(Matrix(J.transpose() * C)) * (target - J * q);
  Remapper diagonal(5, C);
  CHECK((diagonal.remap(q, h, target, linear(J, Vector::Zero(3))).q - expected).cwiseAbs().maxCoeff() < 1e-12);
  Matrix turn = Matrix::Identity(3, 3);
  turn.topLeftCorner(2, 2) << std::cos(1), -std::sin(1), std::sin(1), std::cos(1);
  Remapper turned(5, turn * C * turn.transpose());
  const Vector turned_target = turn * target;
  CHECK((turned.remap(q, h, turned_target, linear(turn * J, Vector::Zero(3))).q - expected).cwiseAbs().maxCoeff() <
        1e-12);
}

TEST_CASE("remapping an arm's joints ends where f is stationary, and f never grows by any number of steps") {
  std::mt19937 generator(3);
  const int d = 5;
  const Matrix C = 30 * random_metric(generator, 2 * d);
  const Remapper::Function phi = joints_of_arm(d);
  int halved = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Vector q = 1.5 * random_matrix(generator, d, 1), h = 0.1 * random_matrix(generator, d, 1);
    Vector target;
    phi(1.5 * random_matrix(generator, d, 1), target, nullptr);
    target.array() += 0.05;
    double before = f_of(phi, C, q, h, target, q);
    for (const int iterations : {1, 2, 3, 5, 8}) {
      Remapper few(d, C, {.max_iterations = iterations});
      const RemapResult& result = few.remap(q, h, target, phi);
      CHECK(result.cost <= before);
      CHECK(std::abs(result.cost - f_of(phi, C, q, h, target, result.q)) < 1e-9 * result.cost);
      before = result.cost;
    }
    Remapper remapper(d, C, {.max_iterations = 500, .tolerance = 1e-10});
    const RemapResult& result = remapper.remap(q, h, target, phi);
    CAPTURE(trial, result.iterations, to_string(result.stop));
    CHECK(result.converged());
    CHECK(result.cost <= before);
    halved += result.evaluations > result.iterations + 1;
    for (int i = 0; i < d; ++i) {
      const Vector step = 1e-6 * Vector::Unit(d, i);
      const double slope =
          (f_of(phi, C, q, h, target, result.q + step) - f_of(phi, C, q, h, target, result.q - step)) / 2e-6;
      CHECK(std::abs(slope) < 1e-3);
    }
  }
  CHECK(halved > 0);
}

TEST_CASE("a remapper may be used again, and answers as a new one") {
  const int d = 4;
  const Remapper::Function phi = joints_of_arm(d);
  const Matrix C = 10 * Matrix::Identity(2 * d, 2 * d);
  Remapper remapper(d, C);
  std::mt19937 generator(4);
  for (int i = 0; i < 5; ++i) {
    const Vector q = random_matrix(generator, d, 1), h = Vector::Zero(d), target = random_matrix(generator, 2 * d, 1);
    const Vector again = remapper.remap(q, h, target, phi).q;
    CHECK(again == Remapper(d, C).remap(q, h, target, phi).q);
  }
}

TEST_CASE("one full step without descent asks phi once: Eq. 15 as it stands") {
  const int d = 4;
  std::mt19937 generator(5);
  const Vector q = random_matrix(generator, d, 1), h = 0.1 * random_matrix(generator, d, 1);
  const Vector target = random_matrix(generator, 2 * d, 1);
  const Matrix C = 10 * Matrix::Identity(2 * d, 2 * d);
  Remapper hard(d, C, {.max_iterations = 1, .keep_descent = false});
  const RemapResult& result = hard.remap(q, h, target, joints_of_arm(d));
  CHECK(result.evaluations == 1);
  CHECK(result.stop == quoin::Stop::iteration_limit);
  Vector y;
  Matrix J;
  joints_of_arm(d)(q, y, &J);
  const Matrix pseudo = J.transpose() * (J * J.transpose() + C.inverse()).inverse();
  CHECK((result.q - (q + pseudo * (target - y) + (Matrix::Identity(d, d) - pseudo * J) * h)).norm() < 1e-11);
}

TEST_CASE("remapping says why it stopped, and refuses what does not fit with its numbers") {
  using Catch::Contains;
  const int d = 3;
  const Matrix C = Matrix::Identity(2 * d, 2 * d);
  const Vector q = Vector::Constant(d, 0.5), h = Vector::Zero(d), target = Vector::Ones(2 * d);
  Remapper remapper(d, C);
  CHECK(remapper.remap(q, h, target, joints_of_arm(d)).stop == quoin::Stop::converged);
  const Remapper::Function mirrored = [](const Vector& at, Vector& y, Matrix* J) {
    joints_of_arm(3)(at, y, J);
    if (J) *J = -*J;
    return true;
  };
  const RemapResult& stalled = remapper.remap(q, h, target, mirrored);
  CHECK(stalled.stop == quoin::Stop::stalled);
  CHECK(stalled.q == q);
  const RemapResult& failed = remapper.remap(q, h, target, [](const Vector&, Vector&, Matrix*) { return false; });
  CHECK(failed.stop == quoin::Stop::initial_failed);
  CHECK(failed.q == q);
  CHECK(std::string(to_string(failed.stop)) == "initial failed");
  CHECK_THROWS_WITH(remapper.remap(Vector::Zero(2), h, target, joints_of_arm(d)), Contains("have 2, 3 and 6"));
  CHECK_THROWS_WITH(remapper.remap(q, h, target, linear(Matrix::Zero(8, 3), Vector::Zero(8))), Contains("8 numbers"));
  CHECK_THROWS_WITH(Remapper(3, -C), Contains("eigenvalue of -1"));
  CHECK_THROWS_WITH(Remapper(0, C), Contains("0 coordinates"));
  CHECK_THROWS_WITH(Remapper(3, C, {.max_iterations = 0}), Contains("max_iterations = 0"));
}

TEST_CASE("options of a Remapper that mean nothing are refused with their name") {
  using Options = RemapOptions;
  const Matrix C = Matrix::Identity(3, 3);
  quoin::test::RefusedOptions("Remapper", Options{}, [&](const Options& o) { Remapper(3, C, o); })
      .positive("max_iterations", &Options::max_iterations)
      .not_negative("tolerance", &Options::tolerance)
      .not_negative("max_halvings", &Options::max_halvings);
}
