// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/detail/leave_one_out.hpp"
#include "quoin/kernel/kernel_interpolant.hpp"
#include "sampled_kernels.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

template <int Dim, int K>
void is_what_the_others_predict(int count, double length) {
  CAPTURE(Dim, K);
  const Waves<Dim> waves(3);
  const auto points = points_in_box<Dim>(count, 81);
  const auto kernel = sampled<Dim, K>(waves, points, lengths<Dim>(length));
  const auto left_out = kernel.view().samples().left_out();
  REQUIRE(left_out.size() == points.size());
  const double root_of_outputs = std::sqrt(3.0);
  for (std::size_t s = 1; s < points.size(); ++s) {  // without the first sample the offset would be another
    std::vector<Point<Dim>> others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(s));
    const auto without = sampled<Dim, K>(waves, others, lengths<Dim>(length));
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    without.evaluate(points[s], y, J);
    CHECK(left_out[s].value.error == Approx((y - waves.value(points[s])).norm() / root_of_outputs).epsilon(1e-2));
    CHECK(left_out[s].value.sigma == Approx(without.deviation(points[s]).value).epsilon(1e-2));
    if (K == 0) continue;
    const Eigen::MatrixXd slopes = (J - waves.jacobian(points[s])) * length / root_of_outputs;
    CHECK(left_out[s].gradient.error <= slopes.colwise().norm().maxCoeff() * (1 + 1e-2));
    CHECK(left_out[s].gradient.sigma <= without.deviation(points[s]).gradient * (1 + 1e-2));
    if (Dim == 1) CHECK(left_out[s].gradient.error == Approx(slopes.norm()).epsilon(1e-2));
  }
}

}  // namespace

TEST_CASE("a sample left out in closed form is what an interpolant without it predicts, orders 0 to 2") {
  is_what_the_others_predict<1, 0>(6, 0.7);
  is_what_the_others_predict<1, 1>(5, 0.7);
  is_what_the_others_predict<2, 1>(9, 0.9);
  is_what_the_others_predict<3, 1>(12, 1.2);
  is_what_the_others_predict<2, 2>(7, 0.9);
}
