// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/kernel_interpolant.hpp"
#include "support/functions.hpp"
#include "support/laws.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

template <int Dim>
KernelOptions<Dim> lengths(double length) {
  KernelOptions<Dim> options;
  options.length_scale.setConstant(length);
  return options;
}

template <int Dim, int K>
Eigen::MatrixXd jet_at(const Waves<Dim>& waves, const Point<Dim>& x) {
  Eigen::MatrixXd jet(waves.outputs(), jet_size(Dim, K));
  waves.template jet<K>().sample(x, jet);
  return jet;
}

template <int Dim, int K>
KernelInterpolant<Dim> sampled(const Waves<Dim>& waves, const std::vector<Point<Dim>>& points,
                               const KernelOptions<Dim>& options) {
  KernelInterpolant<Dim> kernel(waves.outputs(), K, options);
  for (const Point<Dim>& x : points) kernel.add(x, jet_at<Dim, K>(waves, x));
  return kernel;
}

template <int Dim>
std::vector<Point<Dim>> points_in_box(int count, unsigned seed, double half = 1) {
  return random_points<Dim>(count, Point<Dim>::Constant(-half), Point<Dim>::Constant(half), seed);
}

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
  const auto& indices = JetCorrelation<2>::indices(K);
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

/// Errors fall by the factor at least when samples are added; the last are below the floors given.
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

TEST_CASE("correlations of derivatives are derivatives of the correlation") {
  const JetCorrelation<2> correlation(Point<2>(0.7, 1.9));
  const Point<2> x(0.3, -0.4), other(-0.2, 0.5);
  const int q = jet_size(2, 3);
  Eigen::MatrixXd here(q, q), ahead(q, q), behind(q, q);
  const auto fill = [&](const Point<2>& at, Eigen::MatrixXd& out) {
    correlation.fill(at, 3, other, 3, [&](Eigen::Index a, Eigen::Index b) -> double& { return out(a, b); });
  };
  fill(x, here);
  CHECK(here(0, 0) == Approx(std::exp(-0.5 * (std::pow(0.5 / 0.7, 2) + std::pow(0.9 / 1.9, 2)))).epsilon(1e-14));
  const auto& indices = JetCorrelation<2>::indices(3);
  const double h = 1e-5;
  for (int axis = 0; axis < 2; ++axis) {
    fill(x + h * Point<2>::Unit(axis), ahead);
    fill(x - h * Point<2>::Unit(axis), behind);
    for (int a = 0; a < q; ++a) {
      MultiIndex<2> raised = indices[a];
      ++raised[axis];
      for (int up = 0; up < q; ++up) {
        if (indices[up] != raised) continue;
        const double ratio = correlation.scale(raised) / correlation.scale(indices[a]);
        for (int b = 0; b < q; ++b) CHECK(ratio * (ahead - behind)(a, b) / (2 * h) == Approx(here(up, b)).margin(1e-8));
      }
    }
  }
  // symmetric under exchange of the two points
  Eigen::MatrixXd exchanged(q, q);
  correlation.fill(other, 3, x, 3, [&](Eigen::Index a, Eigen::Index b) -> double& { return exchanged(a, b); });
  CHECK((exchanged.transpose() - here).norm() < 1e-14);
}

TEST_CASE("a factor grown by blocks is the factor made at once") {
  const JetCorrelation<3> correlation(Point<3>::Constant(0.8));
  const auto points = points_in_box<3>(12, 5);
  const int q = jet_size(3, 2), n = q * 12;
  Eigen::MatrixXd K(n, n);
  for (int s = 0; s < 12; ++s)
    for (int t = 0; t < 12; ++t)
      correlation.fill(points[s], 2, points[t], 2,
                       [&](Eigen::Index a, Eigen::Index b) -> double& { return K(s * q + a, t * q + b); });
  CHECK((K - K.transpose()).norm() < 1e-13);
  BlockCholesky at_once(1e-12), grown(1e-12);
  at_once.append(Eigen::MatrixXd(n, 0), K);
  for (int done = 0, blocks[] = {q, 3 * q, 1 * q, 5 * q, 2 * q}; const int m : blocks) {
    grown.append(K.block(done, 0, m, done), K.block(done, done, m, m));
    done += m;
  }
  REQUIRE(grown.size() == n);
  const Eigen::MatrixXd L = grown.factor().triangularView<Eigen::Lower>();
  CHECK((L * L.transpose() - K).norm() < 1e-10);
  Eigen::MatrixXd b = Eigen::MatrixXd::Identity(n, 2), c = b;
  grown.solve(b);
  at_once.solve(c);
  // of condition 1e12
  CHECK((K * (b - c)).norm() < 1e-4);
  CHECK((K * b + 1e-12 * b - Eigen::MatrixXd::Identity(n, 2)).norm() < 1e-4);
  CHECK_THROWS_WITH(grown.append(K.topRows(2), K.topLeftCorner(2, 3)), Catch::Contains("2 x 3"));
}

TEST_CASE("a singular block is factorized with more jitter instead of failing") {
  BlockCholesky factor(1e-14);
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(3, 3);
  factor.append(Eigen::MatrixXd(3, 0), ones);
  factor.append(ones, ones);
  CHECK(factor.size() == 6);
  CHECK(factor.factor().triangularView<Eigen::Lower>().toDenseMatrix().allFinite());
  CHECK_THROWS_AS(factor.append(Eigen::MatrixXd::Zero(1, 6), Eigen::MatrixXd::Constant(1, 1, NAN)),
                  std::invalid_argument);
}

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
  obeys_the_laws_of_maps<3>(kernel.view().add_functional(C), tests, laws);
  KernelOptions<3> options = lengths<3>(1.5);
  options.localize_above = options.neighbours = 25;
  obeys_the_laws_of_maps<3>(sampled<3, 1>(waves, points, options), tests,
                            {.derivatives = {.largest_step = 0.01, .halvings = 6}});
}

TEST_CASE("a functional is C times the map, also of a functional, and estimates nothing") {
  const Waves<2> waves(5);
  const auto kernel = sampled<2, 2>(waves, points_in_box<2>(9, 31), lengths<2>(1.5));
  const Eigen::MatrixXd C = Eigen::MatrixXd::Random(3, 5), D = Eigen::MatrixXd::Random(2, 3);
  const auto once = kernel.view().add_functional(C), twice = once.add_functional(D);
  Eigen::VectorXd y, cy, dy;
  Eigen::MatrixXd J, cJ, dJ;
  for (const Point<2>& x : points_in_box<2>(20, 32)) {
    CHECK(kernel.evaluate(x, y, J).trust == Trust::estimated);
    CHECK(once.evaluate(x, cy, cJ).trust == Trust::unchecked);
    twice.evaluate(x, dy, dJ);
    CHECK((cy - C * y).norm() < 1e-9);
    CHECK((cJ - C * J).norm() < 1e-8);
    CHECK((dy - D * C * y).norm() < 1e-9);
    CHECK((dJ - D * C * J).norm() < 1e-8);
  }
  CHECK_THROWS_WITH(kernel.view().add_functional(D), Catch::Contains("2 x 3") && Catch::Contains("5 outputs"));
}

TEST_CASE("sigma falls with every sample, from 1 to the floor, and looks at no output") {
  KernelInterpolant<2> kernel(1, 1, lengths<2>(1.2)), other(1, 1, lengths<2>(1.2));
  const auto tests = points_in_box<2>(30, 41);
  std::vector<KernelDeviation> before(tests.size());
  CHECK(kernel.deviation(tests[0]).value == 1);
  for (const Point<2>& x : points_in_box<2>(25, 42)) {
    kernel.add(x, Eigen::MatrixXd::Random(1, 3));
    other.add(x, Eigen::MatrixXd::Zero(1, 3));
    Eigen::MatrixXd X(2, 30);
    for (int m = 0; m < 30; ++m) X.col(m) = tests[m];
    const auto together = kernel.view().samples().deviations(X);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      const KernelDeviation d = kernel.deviation(tests[i]);
      CHECK(d.value <= before[i].value + 1e-6);
      CHECK(d.gradient <= before[i].gradient + 1e-6);
      CHECK(d.value >= 1e-6);
      CHECK(d.value == other.deviation(tests[i]).value);
      CHECK(together[i].value == Approx(d.value).margin(3e-7));
      CHECK(together[i].gradient == Approx(d.gradient).margin(3e-7));
      before[i] = d;
    }
    CHECK(kernel.deviation(x).value < 3e-6);
  }
  for (const KernelDeviation& d : before) CHECK(d.value < 0.01);
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

TEST_CASE("calibrated estimates are seldom exceeded, never by much, and are not idle") {
  int points = 0, exceeded = 0, jacobian_exceeded = 0, idle = 0;
  double worst = 0, jacobian_worst = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Waves<3> waves(8, 0.7 + 0.05 * seed);
    const auto kernel = sampled<3, 1>(waves, points_in_box<3>(15 + 2 * seed, seed), lengths<3>(2));
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (const Point<3>& x : points_in_box<3>(200, 100 + seed)) {
      const Answer answer = kernel.evaluate(x, y, J);
      REQUIRE(answer.trust == Trust::estimated);
      const double error = (y - waves.value(x)).norm() / std::sqrt(8.0);
      const double jacobian = (J - waves.jacobian(x)).colwise().norm().maxCoeff() / std::sqrt(8.0);
      ++points;
      exceeded += error > answer.error;
      jacobian_exceeded += jacobian > answer.jacobian_error;
      worst = std::max(worst, error / answer.error);
      jacobian_worst = std::max(jacobian_worst, jacobian / answer.jacobian_error);
      idle += error < answer.error / 100;
    }
  }
  CHECK(exceeded < 0.05 * points);
  CHECK(jacobian_exceeded < 0.02 * points);
  CHECK(worst < 3);
  CHECK(jacobian_worst < 2);
  CHECK(idle < 0.1 * points);
}

TEST_CASE("nothing is estimated before six predictions were tested, nor a gradient's error for values alone") {
  const Waves<2> waves(3);
  KernelInterpolant<2> kernel(3, 1, lengths<2>(2)), values(3, 0, lengths<2>(2));
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  int count = 0;
  for (const Point<2>& x : points_in_box<2>(8, 51)) {
    kernel.add(x, jet_at<2, 1>(waves, x));
    values.add(x, waves.value(x));
    const Answer answer = kernel.evaluate({0, 0}, y, J);
    CHECK(answer.trust == (++count > KernelCalibration::window ? Trust::estimated : Trust::unchecked));
    CHECK(std::isnan(answer.error) == (answer.trust == Trust::unchecked));
    CHECK(std::isnan(answer.jacobian_error) == std::isnan(answer.error));
    CHECK(std::isnan(kernel.evaluate({0, 0}, y).jacobian_error));
  }
  CHECK(values.evaluate({0, 0}, y, J).trust == Trust::estimated);
  CHECK(std::isnan(values.evaluate({0, 0}, y, J).jacobian_error));
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
  // What is kept of a patch when samples come is what would be made anew.
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

TEST_CASE("samples added as a batch are samples added one by one") {
  const Waves<2> waves(3);
  const auto points = points_in_box<2>(8, 81);
  const auto one_by_one = sampled<2, 1>(waves, points, lengths<2>(1));
  Eigen::MatrixXd X(2, 8), jets(3, 24);
  for (int s = 0; s < 8; ++s) {
    X.col(s) = points[s];
    jets.middleCols(3 * s, 3) = jet_at<2, 1>(waves, points[s]);
  }
  KernelInterpolant<2> batch(3, 1, lengths<2>(1));
  batch.add_batch(X, jets);
  Eigen::VectorXd y, z;
  batch.evaluate({0.1, 0.2}, y);
  one_by_one.evaluate({0.1, 0.2}, z);
  CHECK(y == z);
  CHECK_THROWS_WITH(batch.add_batch(X, jets.leftCols(20)), Catch::Contains("20 columns"));
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
  refused([](auto& o) { o.length_scale[1] = 0; }, "length_scale[1] = 0");
  refused([](auto& o) { o.jitter = 0; }, "jitter");
  refused([](auto& o) { o.neighbours = 300; }, "neighbours = 300");
  refused([](auto& o) { o.lower[0] = o.upper[0]; }, "lower[0]");
  refused([](auto& o) { o.output_weights = Eigen::VectorXd::Ones(3); }, "3 output weights for 2");
  refused([](auto&) {}, "order 4", 4);
}
