// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/kernel_interpolant.hpp"
#include "sampled_kernels.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

struct Errors {
  double value = 0, jacobian = 0;
};

/// The largest errors, each relative to the largest entry.
template <int Dim, class Map>
Errors errors(const Map& map, const Waves<Dim>& waves, const std::vector<Point<Dim>>& points) {
  Errors worst;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (const Point<Dim>& x : points) {
    map.evaluate(x, y, J);
    worst.value = std::max(worst.value, (y - waves.value(x)).cwiseAbs().maxCoeff());
    worst.jacobian = std::max(worst.jacobian, (J - waves.jacobian(x)).cwiseAbs().maxCoeff());
  }
  return worst;
}

template <int K>
void reproduces_its_jets() {
  const Waves<2> waves(4, 0.8);
  const auto points = points_in_box<2>(7, 3);
  const auto kernel = sampled<2, K>(waves, points, lengths<2>(1.0));
  const auto& indices = kernel_detail::JetCorrelation<2>::indices(K);
  for (const Point<2>& x : points) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    kernel.evaluate(x, y, J);
    CHECK((y - waves.value(x)).norm() < 1e-6);
    if (K >= 1) CHECK((J - waves.jacobian(x)).norm() < 1e-5);
    if (K < 2) continue;
    // Higher derivatives by differences of the Jacobian, which is exact for the interpolant.
    const double h = 1e-4;
    Eigen::MatrixXd ahead, behind;
    for (std::size_t a = 3; a < 6; ++a) {
      const int i = indices[a][0] > 0 ? 0 : 1, j = indices[a][1] > 0 ? 1 : 0;
      kernel.evaluate(x + h * Point<2>::Unit(i), y, ahead);
      kernel.evaluate(x - h * Point<2>::Unit(i), y, behind);
      for (int r = 0; r < waves.outputs(); ++r)
        CHECK((ahead - behind)(r, j) / (2 * h) == Approx(waves.derivative(r, indices[a], x)).margin(1e-5));
    }
  }
}

/// Errors fall at least by the factor when samples are added; the last are below the given floors.
template <int Dim, int K>
void converges(int few, int many, double length, double value, double jacobian) {
  CAPTURE(Dim, K);
  const Waves<Dim> waves(5);
  const auto points = points_in_box<Dim>(many, 11);
  const std::vector<Point<Dim>> first(points.begin(), points.begin() + few), tests = points_in_box<Dim>(200, 12, 0.8);
  const Errors coarse = errors<Dim>(sampled<Dim, K>(waves, first, lengths<Dim>(length)), waves, tests);
  const Errors fine = errors<Dim>(sampled<Dim, K>(waves, points, lengths<Dim>(length)), waves, tests);
  CAPTURE(coarse.value, fine.value, coarse.jacobian, fine.jacobian);
  CHECK(fine.value < coarse.value / 20);
  CHECK(fine.value < value);
  CHECK(fine.jacobian < jacobian);
}

}  // namespace

TEST_CASE("jets of its samples are reproduced up to the jitter, orders 0 to 3") {
  reproduces_its_jets<0>();
  reproduces_its_jets<1>();
  reproduces_its_jets<2>();
  reproduces_its_jets<3>();
}

TEST_CASE("an interpolant, its functional and its localized sister obey the laws of maps") {
  static_assert(DifferentiableMap<KernelInterpolant<2>, 2> && TryableMap<KernelInterpolant<2>, 2>);
  static_assert(DifferentiableMap<KernelView<3>, 3> && TryableMap<KernelView<3>, 3>);
  const Waves<3> waves(6);
  const auto points = points_in_box<3>(40, 21), tests = points_in_box<3>(5, 22, 0.7);
  const auto kernel = sampled<3, 1>(waves, points, lengths<3>(1.5));
  const MapLaws laws{.derivatives = {.halvings = 8}};
  obeys_the_laws_of_maps<3>(kernel, tests, laws);
  const Eigen::MatrixXd C = Eigen::MatrixXd::Random(2, 6);
  obeys_the_laws_of_maps<3>(kernel.view().linear_output(C), tests, laws);
  KernelOptions<3> options = lengths<3>(1.5);
  options.localize_above = options.neighbours = 25;
  obeys_the_laws_of_maps<3>(sampled<3, 1>(waves, points, options), tests,
                            {.derivatives = {.largest_step = 0.01, .halvings = 6}});
}

TEST_CASE("a functional is C times the map, also of a functional, and estimates nothing") {
  const Waves<2> waves(5);
  const auto kernel = sampled<2, 2>(waves, points_in_box<2>(9, 31), lengths<2>(1.5));
  const Eigen::MatrixXd C = Eigen::MatrixXd::Random(3, 5), D = Eigen::MatrixXd::Random(2, 3);
  const auto once = kernel.view().linear_output(C), twice = once.linear_output(D);
  Eigen::VectorXd y, cy, dy;
  Eigen::MatrixXd J, cJ, dJ;
  for (const Point<2>& x : points_in_box<2>(20, 32)) {
    CHECK(kernel.evaluate(x, y, J).trust != Trust::estimated);
    CHECK(once.evaluate(x, cy, cJ).trust == Trust::unchecked);
    twice.evaluate(x, dy, dJ);
    CHECK((cy - C * y).norm() < 1e-9);
    CHECK((cJ - C * J).norm() < 1e-8);
    CHECK((dy - D * C * y).norm() < 1e-9);
    CHECK((dJ - D * C * J).norm() < 1e-8);
  }
  CHECK_THROWS_WITH(kernel.view().linear_output(D), Catch::Contains("2 x 3") && Catch::Contains("5 outputs"));
}

TEST_CASE("few samples of smooth waves suffice, in 1 to 4 dimensions") {
  converges<1, 1>(3, 8, 1.5, 1e-6, 1e-5);
  converges<2, 1>(8, 30, 2.0, 1e-5, 1e-4);
  converges<3, 1>(12, 60, 2.5, 1e-4, 1e-3);
  converges<4, 1>(20, 100, 3.0, 3e-4, 3e-3);
  converges<1, 2>(2, 5, 1.5, 1e-6, 1e-5);
  converges<2, 2>(4, 16, 2.0, 1e-5, 1e-4);
  converges<3, 2>(6, 30, 2.5, 1e-4, 1e-3);
  converges<2, 3>(2, 8, 2.0, 1e-5, 1e-4);
}

TEST_CASE("above the limit the nearest samples answer, exact at samples, nearly as the whole does") {
  const Waves<2> waves(4);
  const auto points = points_in_box<2>(90, 61, 2);
  KernelOptions<2> options = lengths<2>(1);
  const auto whole = sampled<2, 1>(waves, points, options);
  options.localize_above = 50;
  options.neighbours = 30;
  const auto local = sampled<2, 1>(waves, points, options);
  REQUIRE(local.view().samples().local());
  const auto tests = points_in_box<2>(200, 62, 1.6);
  CHECK(errors<2>(local, waves, points).value < 1e-6);
  CHECK(errors<2>(whole, waves, tests).value < 1e-4);
  CHECK(errors<2>(local, waves, tests).value < 1e-3);
  // The parts of a patch that are kept when samples are added equal a patch made anew.
  KernelInterpolant<2> grown(4, 1, options);
  Eigen::VectorXd y, z;
  for (const Point<2>& x : points) {
    grown.add(x, jet_at<2, 1>(waves, x));
    for (std::size_t i = 0; i < tests.size(); i += 20) grown.evaluate(tests[i], y);
  }
  for (const Point<2>& x : tests) {
    grown.evaluate(x, y);
    local.evaluate(x, z);
    CHECK(y == z);
  }
}

TEST_CASE("a view stays as it was, and answers other threads while samples are added") {
  const Waves<2> waves(3);
  const auto points = points_in_box<2>(60, 71);
  KernelOptions<2> options = lengths<2>(1.5);
  options.localize_above = options.neighbours = 20;
  KernelInterpolant<2> kernel(3, 1, options);
  for (int s = 0; s < 30; ++s) kernel.add(points[s], jet_at<2, 1>(waves, points[s]));
  const KernelView<2> view = kernel.view();
  const auto tests = points_in_box<2>(40, 72);
  std::vector<Eigen::VectorXd> seen(tests.size());
  std::thread reader([&] {
    for (std::size_t i = 0; i < tests.size(); ++i) view.evaluate(tests[i], seen[i]);
  });
  for (int s = 30; s < 60; ++s) kernel.add(points[s], jet_at<2, 1>(waves, points[s]));
  reader.join();
  Eigen::VectorXd y;
  const auto fresh = sampled<2, 1>(waves, {points.begin(), points.begin() + 30}, options);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    fresh.evaluate(tests[i], y);
    CHECK(seen[i] == y);
  }
}

TEST_CASE("the domain is kept, and no sample is no answer") {
  KernelOptions<1> options;
  options.lower[0] = -1;
  options.upper[0] = 2;
  KernelInterpolant<1> kernel(1, 1, options);
  Eigen::VectorXd y = Eigen::VectorXd::Constant(1, 7);
  Eigen::MatrixXd J;
  CHECK_THROWS_AS(kernel.evaluate(Point<1>(0), y), CornerFailure);
  CHECK(kernel.try_evaluate(Point<1>(0), y, J).trust == Trust::failed);
  kernel.add(Point<1>(0), Eigen::RowVector2d(1, 2));
  CHECK(kernel.evaluate(Point<1>(2), y).has_value());
  y[0] = 7;
  CHECK_THROWS_WITH(kernel.evaluate(Point<1>(2.5), y), Catch::Contains("2.5") && Catch::Contains("-1"));
  CHECK_THROWS_AS(kernel.evaluate(Point<1>(NAN), y), DomainError);
  CHECK(kernel.try_evaluate(Point<1>(-3), y, J).trust == Trust::outside);
  CHECK(y[0] == 7);
}

TEST_CASE("bad samples and options are refused with the numbers") {
  KernelInterpolant<2> kernel(2, 1);
  const Eigen::MatrixXd jet = Eigen::MatrixXd::Ones(2, 3);
  kernel.add({0.5, 0.25}, jet);
  CHECK_THROWS_WITH(kernel.add({0.5, 0.25}, jet), Catch::Contains("(0.5"));
  CHECK_THROWS_WITH(kernel.add({0, 0}, jet.leftCols(2)), Catch::Contains("2 x 2") && Catch::Contains("2 x 3"));
  CHECK_THROWS_WITH(kernel.add({0, NAN}, jet), Catch::Contains("not finite"));
  CHECK_THROWS_WITH(kernel.add({0, 0}, NAN * jet), Catch::Contains("not finite"));
  CHECK(kernel.size() == 1);
  const auto refused = [](auto change, const std::string& why, int order = 1) {
    KernelOptions<2> options;
    change(options);
    CHECK_THROWS_WITH((KernelInterpolant<2>(2, order, options)), Catch::Contains(why));
  };
  refused([](auto& o) { o.length_scale[1] = -1; }, "length_scale[1] = -1");
  refused([](auto& o) { o.jitter = 0; }, "jitter");
  refused([](auto& o) { o.neighbours = 400; }, "neighbours = 400 is not in 1..localize_above = 333");
  refused([](auto& o) { o.lower[0] = o.upper[0]; }, "lower[0]");
  refused([](auto& o) { o.output_weights = Eigen::VectorXd::Ones(3); }, "3 output weights for 2");
  refused([](auto&) {}, "order 4", 4);
}
