// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/map/samples.hpp"
#include "sampled_kernels.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// The largest errors of values at 300 points, of a kernel with default options of ever more samples.
template <int Dim, int K>
std::vector<double> errors_by_count(const std::vector<int>& counts, unsigned seed) {
  const Waves<Dim> waves(3, 2 + 0.2 * (seed % 11));
  const auto points = points_in_box<Dim>(counts.back(), 2 * seed, 2), tests = points_in_box<Dim>(300, 2 * seed + 1, 2);
  KernelInterpolant<Dim> kernel(3, K);
  std::vector<double> errors;
  Eigen::VectorXd y;
  for (const int count : counts) {
    Samples<Dim> more{.jet_order = K};
    const int had = kernel.size();
    more.resize(3, count - had);
    for (int m = had; m < count; ++m) {
      const Point<Dim>& x = points[static_cast<std::size_t>(m)];
      more.points.col(m - had) = x;
      more.jet(m - had) = jet_at<Dim, K>(waves, x);
    }
    kernel.insert(more);
    CHECK(kernel.local() == (count > std::max(200, 1000 / jet_size(Dim, K))));
    double worst = 0;
    for (const Point<Dim>& x : tests) {
      kernel.evaluate(x, y);
      worst = std::max(worst, (y - waves.value(x)).cwiseAbs().maxCoeff());
    }
    errors.push_back(worst);
  }
  return errors;
}

/// The largest growth of the error from one number of samples to a later one: another length scale may be worse. Errors
/// below 1e-5 are as good as none.
template <int Dim, int K>
double worst_growth(const std::vector<int>& counts) {
  double worst = 0;
  for (unsigned draw = 0; draw < static_cast<unsigned>(draws_wanted(2)); ++draw) {
    const auto errors = errors_by_count<Dim, K>(counts, seed_wanted() + draw);
    for (std::size_t i = 0; i < errors.size(); ++i)
      for (std::size_t j = i + 1; j < errors.size(); ++j)
        worst = std::max(worst, errors[j] / std::max(errors[i], 1e-5));
  }
  return worst;
}

}  // namespace

TEST_CASE("more samples do not make a kernel worse, but by chance where there are few, while all of them answer") {
  CHECK(worst_growth<3, 0>({60, 100, 150, 200, 256, 400}) < 6);
  CHECK(worst_growth<2, 0>({60, 100, 150, 200, 256, 400}) < 6);
  CHECK(worst_growth<2, 1>({60, 100, 150, 200, 256, 333}) < 6);
}

TEST_CASE("where the nearest samples begin to answer alone errors grow by less than fifteen times") {
  CHECK(worst_growth<2, 1>({333, 334, 400}) < 15);
  CHECK(worst_growth<3, 2>({200, 201, 220}) < 15);
}
