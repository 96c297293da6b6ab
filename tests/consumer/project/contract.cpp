// SPDX-License-Identifier: BSD-3-Clause
// The public contract of core and grid, as used by an outside program: exits 0 if it holds. Needs no build system:
//   g++ -std=c++20 -O2 -I<prefix>/include -I/usr/include/eigen3 contract.cpp -pthread
#include <quoin/quoin.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#ifdef QUOIN_PACKAGE_VERSION  // what find_package found
static_assert(quoin::version == QUOIN_PACKAGE_VERSION);
#endif

namespace {
int failures = 0;
void expect(bool ok, const char* what) {
  if (!ok) {
    ++failures;
    std::printf("FAILED: %s\n", what);
  }
}

struct Cubic {  // every output a cubic polynomial: the grid must be exact
  std::atomic<int>* calls;
  void operator()(const quoin::Point<3>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) const {
    ++*calls;
    y << x[0] * x[0] * x[1] - 2 * x[2], x[0] * x[1] * x[2] + x[2] * x[2] * x[2];
    J << 2 * x[0] * x[1], x[0] * x[0], -2, x[1] * x[2], x[0] * x[2], x[0] * x[1] + 3 * x[2] * x[2];
  }
};
}  // namespace

int main() {
  using quoin::Point;
  std::atomic<int> calls{0};
  auto f = quoin::exact_function<3>(2, Cubic{&calls});
  static_assert(quoin::DifferentiableMap<decltype(f), 3>);

  quoin::GridOptions<3> options;
  options.origin = Point<3>::Zero();
  options.spacing = Point<3>::Constant(0.5);
  options.lower = Point<3>::Constant(-1);
  options.upper = Point<3>::Constant(2);
  quoin::AdaptiveGrid<3> grid(f, options);
  static_assert(quoin::DifferentiableMap<quoin::AdaptiveGrid<3>, 3>);
  static_assert(!std::is_copy_constructible_v<quoin::AdaptiveGrid<3>>);

  const Point<3> x(0.3, -0.21, 1.77);
  Eigen::VectorXd y, y_exact;
  Eigen::MatrixXd J, J_exact;
  quoin::Answer a = grid.evaluate(x, y, J);
  expect(a.trust == quoin::Trust::unchecked || a.trust == quoin::Trust::estimated,
         "level mode answers without a certificate");
  expect(calls == 8, "one cell, eight corners, eight calls");
  grid.evaluate(x, y);
  expect(calls == 8, "a second query calls nothing");
  f.evaluate(x, y_exact, J_exact);
  expect((y - y_exact).norm() < 1e-12 && (J - J_exact).norm() < 1e-11, "cubics are reproduced");

  auto coarse = grid.at_level(0);
  static_assert(quoin::DifferentiableMap<decltype(coarse), 3>);
  grid.refine();
  expect(grid.level() == 1 && std::abs(grid.spacing()[0] - 0.25) < 1e-15, "refine halves the spacing");
  const int before = calls;
  grid.evaluate(Point<3>(0.5, 0.5, 0.5), y);
  expect(calls > before, "finer cells need new corners");
  coarse.evaluate(x, y);
  expect((y - y_exact).norm() < 1e-12, "a view outlives a refinement");

  Eigen::MatrixXd C(1, 2);
  C << 1, -3;
  auto functional = grid.linear_output(C);
  Eigen::VectorXd cy;
  Eigen::MatrixXd cJ;
  functional.evaluate(x, cy, cJ);
  expect((cy - C * y_exact).norm() < 1e-12 && (cJ - C * J_exact).norm() < 1e-11, "functionals");

  Eigen::VectorXd w(3), v(2), Jw, Jtv;
  w << 1, 2, 3;
  v << -1, 0.5;
  grid.jvp(x, w, Jw);
  grid.vjp(x, v, Jtv);
  expect((Jw - J_exact * w).norm() < 1e-11 && (Jtv - J_exact.transpose() * v).norm() < 1e-11, "J w and J^T v");

  Eigen::MatrixXd X(3, 2), Y;
  X << 0.1, 0.9, 0.2, 0.8, 0.3, 0.7;
  grid.prefetch(X);
  const int prepared = calls;
  std::vector<quoin::Answer> answers = grid.evaluate_batch(X, Y);
  expect(calls == prepared && answers.size() == 2 && Y.cols() == 2, "prepare, then a batch without a call");

  try {
    grid.evaluate(Point<3>::Constant(5), y);
    expect(false, "outside the domain throws");
  } catch (const quoin::DomainError&) {
  }
  expect(grid.try_evaluate(Point<3>::Constant(5), y, J).trust == quoin::Trust::outside, "try_evaluate says outside");

  auto bad = quoin::exact_function<1>(
      1, [](const Point<1>& p, Eigen::Ref<Eigen::VectorXd> value, Eigen::Ref<Eigen::MatrixXd> jacobian) {
        if (p[0] > 1.5) throw std::runtime_error("diverged");
        value[0] = p[0] > 0.9 && p[0] < 1.1 ? std::numeric_limits<double>::quiet_NaN() : p[0];
        jacobian(0, 0) = 1;
      });
  quoin::GridOptions<1> line;
  line.spacing = Point<1>::Constant(1);
  line.lower = Point<1>::Constant(-2);
  line.upper = Point<1>::Constant(4);
  quoin::AdaptiveGrid<1> failing(bad, line);
  Eigen::VectorXd z;
  try {
    failing.evaluate(Point<1>::Constant(0.5), z);
    expect(false, "a corner that is not finite throws");
  } catch (const quoin::CornerFailure& failure) {
    expect(std::string(failure.what()).size() > 10, "the failure says why");
  }
  expect(failing.try_evaluate(Point<1>::Constant(2.5), z, J).trust == quoin::Trust::failed, "try_evaluate says failed");
  failing.evaluate(Point<1>::Constant(-1.5), z);
  expect(std::abs(z[0] + 1.5) < 1e-12, "other cells still answer");
  expect(failing.statistics().failed_corners >= 2, "failures are counted");

  // Algorithm 1: minimize (f0(x))^2 over a line, the solver sees a frozen view.
  auto square = quoin::exact_function<1>(
      1, [](const Point<1>& p, Eigen::Ref<Eigen::VectorXd> value, Eigen::Ref<Eigen::MatrixXd> jacobian) {
        value[0] = std::exp(p[0]) - 2;
        jacobian(0, 0) = std::exp(p[0]);
      });
  quoin::AdaptiveGrid<1> root(square, line);
  auto newton = [](const quoin::GridView<1>& map, const double& guess) {
    double t = guess;
    Eigen::VectorXd r;
    Eigen::MatrixXd dr;
    for (int i = 0; i < 50; ++i) {
      map.evaluate(Point<1>::Constant(t), r, dr);
      t -= r[0] / dr(0, 0);
    }
    return quoin::SolverResult<double>{.iterate = t, .cost = r[0] * r[0], .converged = true};
  };
  auto result = quoin::interleave(root, newton, 0.3, {.schedule = quoin::Levels{.first = 0, .last = 5}});
  expect(std::abs(result.iterate - std::log(2.0)) < 1e-6, "interleave converges to the exact root");
  expect(result.rounds.size() == 6, "one round per level");
  expect(root.statistics().exact_evaluations <= 12, "the coarse corners are reused");

  if (failures == 0) std::printf("contract holds\n");
  return failures != 0;
}
