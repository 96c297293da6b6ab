// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "sampled_kernels.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::test;

static_assert(TwiceDifferentiableMap<KernelInterpolant<2>, 2> && TwiceDifferentiableMap<KernelView<4>, 4>);

namespace {

/// y, J and the answer are those of evaluate, H the derivative of J, and near the true one where samples are dense.
template <int Dim, int K>
void has_second_derivatives(int samples, int localize_above, double error) {
  CAPTURE(Dim, K, localize_above);
  const Waves<Dim> waves(4, 0.8);
  KernelOptions<Dim> options;
  for (int i = 0; i < Dim; ++i) options.length_scale[i] = 1 + 0.2 * i;
  options.localize_above = localize_above;
  const KernelInterpolant<Dim> kernel = sampled<Dim, K>(waves, points_in_box<Dim>(samples, 3), options);
  for (const Point<Dim>& x : points_in_box<Dim>(5, 9, 0.5)) {
    Eigen::VectorXd y, y_too;
    Eigen::MatrixXd J, J_too, H, moved[4];
    const Answer answer = kernel.evaluate(x, y, J), with_second = kernel.evaluate(x, y_too, J_too, H);
    CHECK((y - y_too).norm() < 1e-12);
    CHECK((J - J_too).norm() < 1e-11);
    CHECK(answer.trust == with_second.trust);
    if (!std::isnan(answer.error)) CHECK(with_second.error == Approx(answer.error).epsilon(1e-6));
    REQUIRE(H.cols() == second_derivative_count(Dim));
    for (int k = 0; k < Dim; ++k) {
      constexpr double h = 1e-3;
      const double steps[] = {-2 * h, -h, h, 2 * h};
      for (int i = 0; i < 4; ++i) kernel.evaluate(x + steps[i] * Point<Dim>::Unit(k), y, moved[i]);
      const Eigen::MatrixXd slope = (8 * (moved[2] - moved[1]) - (moved[3] - moved[0])) / (12 * h);
      for (int j = 0; j < Dim; ++j) {
        const auto column = H.col(second_derivative_index(Dim, j, k));
        MultiIndex<Dim> a{};
        ++a[static_cast<std::size_t>(j)], ++a[static_cast<std::size_t>(k)];
        if (localize_above > samples) CHECK((column - slope.col(j)).norm() < 1e-6);
        for (int r = 0; r < waves.outputs(); ++r) CHECK(std::abs(column[r] - waves.derivative(r, a, x)) < error);
      }
    }
  }
}

}  // namespace

TEST_CASE("a kernel's second derivatives are those of its Jacobian, for jets of every order, whole and in patches") {
  has_second_derivatives<1, 1>(8, 1000, 1e-2);
  has_second_derivatives<2, 0>(60, 1000, 0.2);
  has_second_derivatives<2, 1>(20, 1000, 2e-2);
  has_second_derivatives<2, 2>(10, 1000, 2e-2);
  has_second_derivatives<3, 1>(30, 1000, 0.1);
  has_second_derivatives<2, 1>(80, 40, 2e-2);
}
