// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/kernel/kernel_surrogate.hpp"
#include "sampled_kernels.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// A wave that is five times as fast along the second axis; units: of the axes.
Eigen::MatrixXd uneven(const Point<2>& x, double units = 1) {
  const double a = x[0] / units, b = 5 * x[1] / units;
  return Eigen::RowVector3d(std::sin(a + 0.3) * std::cos(b), std::cos(a + 0.3) * std::cos(b) / units,
                            -5 * std::sin(a + 0.3) * std::sin(b) / units);
}

KernelInterpolant<2> sampled_unevenly(int count, const KernelOptions<2>& options = {}, double units = 1) {
  KernelInterpolant<2> kernel(1, 1, options);
  for (const Point<2>& x : points_in_box<2>(count, 91)) kernel.add(units * x, uneven(units * x, units));
  return kernel;
}

double largest_error(const KernelInterpolant<2>& kernel) {
  double largest = 0;
  Eigen::VectorXd y;
  for (const Point<2>& x : points_in_box<2>(300, 92, 0.9)) {
    kernel.evaluate(x, y);
    largest = std::max(largest, std::abs(y[0] - uneven(x)(0, 0)));
  }
  return largest;
}

}  // namespace

TEST_CASE("length scales are chosen an axis each, and predict better than ones that are wrong") {
  const KernelInterpolant<2> chosen = sampled_unevenly(40);
  CAPTURE(chosen.length_scale()[0], chosen.length_scale()[1]);
  CHECK(chosen.length_scale()[0] > 2 * chosen.length_scale()[1]);
  CHECK(largest_error(chosen) < 0.1 * largest_error(sampled_unevenly(40, lengths<2>(0.3))));
  CHECK(largest_error(chosen) < largest_error(sampled_unevenly(40, lengths<2>(2))));
}

TEST_CASE("length scales that are given are kept, the others chosen beside them") {
  KernelOptions<2> options;
  options.length_scale[0] = 0.7;
  const KernelInterpolant<2> kernel = sampled_unevenly(20, options);
  CHECK(kernel.length_scale()[0] == 0.7);
  CHECK(kernel.length_scale()[1] > 0);
  CHECK(kernel.options().length_scale[1] == 0);
  CHECK(sampled_unevenly(20, lengths<2>(1.1)).length_scale() == Point<2>(1.1, 1.1));
}

TEST_CASE("the choice knows no units and no chance") {
  const KernelInterpolant<2> kernel = sampled_unevenly(20), again = sampled_unevenly(20);
  CHECK(kernel.length_scale() == again.length_scale());
  const KernelInterpolant<2> millimetres = sampled_unevenly(20, {}, 1024);
  CHECK((millimetres.length_scale() / 1024 - kernel.length_scale()).norm() < 1e-6);
}

TEST_CASE("a view keeps the length scales that it was made with") {
  KernelInterpolant<2> kernel = sampled_unevenly(8);
  const KernelView<2> view = kernel.view();
  const Point<2> before = kernel.length_scale(), x(0.2, 0.1);
  Eigen::VectorXd y, later;
  view.evaluate(x, y);
  const auto points = points_in_box<2>(40, 91);
  for (int s = 8; s < 40; ++s)
    kernel.add(points[static_cast<std::size_t>(s)], uneven(points[static_cast<std::size_t>(s)]));
  CHECK(kernel.length_scale() != before);
  CHECK(view.samples().options().length_scale == before);
  view.evaluate(x, later);
  CHECK(y == later);
}

TEST_CASE("a surrogate without length scales spreads its first samples and meets its thresholds in any units") {
  struct Lattice {
    double units;
    Eigen::Index output_size() const { return 1; }
    int jet_order() const { return 1; }
    Point<2> nearest_corner(const Point<2>& x) const {
      return (x / units * 16).array().round().matrix() * (units / 16);
    }
    void corner_jet(const Point<2>& x, Eigen::MatrixXd& jet) const { jet = uneven(x, units); }
  };
  for (const double units : {1.0, 1e-3, 1e3}) {
    KernelSurrogate<2, Lattice> kernel(Lattice{units});
    const Eigen::MatrixXd X = units * Eigen::MatrixXd::Random(2, 100);
    const KernelRefinement done = kernel.refine_at(X, {.value = 1e-3, .gradient = 1e-2});
    CHECK(done.above == 0);
    CHECK(done.added > 8);
    CHECK(done.added < 60);
    Eigen::VectorXd y;
    for (Eigen::Index m = 0; m < X.cols(); ++m) {
      const Answer answer = kernel.view().evaluate(X.col(m), y);
      CHECK(std::abs(y[0] - uneven(X.col(m), units)(0, 0)) <= answer.error);
      CHECK(std::abs(y[0] - uneven(X.col(m), units)(0, 0)) < 0.02);
    }
  }
}

TEST_CASE("a peak in a box that is flat elsewhere does not make length scales collapse") {
  // By derivatives times length scales, instead of derivatives, the shortest scales look best in half of the draws.
  const Point<3> at(0.5, -0.4, 0.3), width(0.5, 1.2, 1.5);
  const auto value = [&](const Point<3>& x) { return std::exp(-((x - at).array() / width.array()).square().sum()); };
  const std::vector<Point<3>> elsewhere = points_in_box<3>(200, 99, 1.5);
  Eigen::MatrixXd jet(1, 4);
  Eigen::VectorXd y;
  for (unsigned seed = 101; seed <= 108; ++seed) {
    KernelInterpolant<3> kernel(1, 1);
    for (const Point<3>& x : points_in_box<3>(100, seed, 2)) {
      jet(0) = value(x);
      jet.rightCols<3>() = (-2 * jet(0) * (x - at).array() / width.array().square()).matrix().transpose();
      kernel.add(x, jet);
    }
    double largest = 0;
    for (const Point<3>& x : elsewhere) {
      kernel.evaluate(x, y);
      largest = std::max(largest, std::abs(y[0] - value(x)));
    }
    CAPTURE(seed, kernel.length_scale().transpose());
    CHECK(largest < 0.05);
  }
}
