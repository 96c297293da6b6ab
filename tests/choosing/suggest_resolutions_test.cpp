// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/choosing/suggest_resolutions.hpp"

#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// A function given by its derivatives; one type for all, so that there is one type of grid per dimension and order.
template <int Dim>
struct Source {
  int outputs = 1;
  std::function<double(int output, const MultiIndex<Dim>& a, const Point<Dim>& x)> derivative;

  template <int K>
  auto jet() const {
    return exact_jet<Dim, K>(outputs, [source = *this](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
      static const auto indices = graded_multi_indices<Dim>(K);
      for (std::size_t a = 0; a < indices.size(); ++a)
        for (int r = 0; r < source.outputs; ++r)
          jet(r, static_cast<Eigen::Index>(a)) = source.derivative(r, indices[a], x);
    });
  }

  Eigen::VectorXd value(const Point<Dim>& x) const {
    Eigen::VectorXd y(outputs);
    for (int r = 0; r < outputs; ++r) y[r] = derivative(r, MultiIndex<Dim>{}, x);
    return y;
  }
};

template <int Dim>
Source<Dim> waves_of(int outputs) {
  return {outputs, [waves = Waves<Dim>(outputs, 1.5)](int r, const MultiIndex<Dim>& a, const Point<Dim>& x) {
            return waves.derivative(r, a, x);
          }};
}

/// 1 / (1 + s^2), s the sum of the coordinates: complex poles at s = +-i. With s = cot(phi) the n-th derivative is
/// (-1)^n n! sin(phi)^(n + 1) sin((n + 1) phi).
template <int Dim>
Source<Dim> runge() {
  return {1, [](int, const MultiIndex<Dim>& a, const Point<Dim>& x) {
            const int n = std::accumulate(a.begin(), a.end(), 0);
            const double phi = std::atan2(1, x.sum());
            return (n % 2 ? -1 : 1) * std::tgamma(n + 1) * std::pow(std::sin(phi), n + 1) * std::sin((n + 1) * phi);
          }};
}

/// Jets of order 3 at random places of the box [-side, side]^Dim.
template <int Dim>
std::vector<Eigen::MatrixXd> jets_of(const Source<Dim>& source, int count, unsigned seed = 3, double side = 3) {
  const auto f = source.template jet<3>();
  std::vector<Eigen::MatrixXd> jets;
  for (const Point<Dim>& x : random_points<Dim>(count, Point<Dim>::Constant(-side), Point<Dim>::Constant(side), seed)) {
    jets.emplace_back(source.outputs, jet_size(Dim, 3));
    f.sample(x, jets.back());
  }
  return jets;
}

double root_mean_square(const Eigen::VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); }

struct Measured {
  double error = 0;                   ///< largest root mean square over the points
  std::size_t exact_evaluations = 0;  ///< that the points needed
};

/// A grid of one level, queried at these points.
template <int Dim, int K>
Measured measure(const Source<Dim>& source, const Point<Dim>& spacing, const std::vector<Point<Dim>>& points) {
  GridOptions<Dim> options;
  options.origin.setConstant(0.137);
  options.spacing = spacing;
  const AdaptiveGrid<Dim> grid(source.template jet<K>(), options);
  Measured measured;
  Eigen::VectorXd y;
  for (const Point<Dim>& x : points) {
    grid.evaluate(x, y);
    measured.error = std::max(measured.error, root_mean_square(y - source.value(x)));
  }
  measured.exact_evaluations = grid.statistics().exact_evaluations;
  return measured;
}

template <int Dim>
Measured measure_order(int order, const Source<Dim>& source, const Point<Dim>& spacing,
                       const std::vector<Point<Dim>>& points) {
  switch (order) {
    case 1: return measure<Dim, 1>(source, spacing, points);
    case 2: return measure<Dim, 2>(source, spacing, points);
    default: return measure<Dim, 3>(source, spacing, points);
  }
}

template <int Dim>
void predicts(const Source<Dim>& source, int points_seen) {
  const auto points = random_points<Dim>(400, Point<Dim>::Constant(-3), Point<Dim>::Constant(3), 9);
  const auto jets = jets_of<Dim>(source, points_seen);
  for (const double tolerance : {1e-2, 1e-4, 1e-7})
    for (const auto& resolution : suggest_resolutions<Dim>(jets, tolerance)) {
      const double error = measure_order<Dim>(resolution.order, source, resolution.spacing, points).error;
      CAPTURE(Dim, tolerance, resolution.order, resolution.spacing.transpose(), resolution.predicted_error, error);
      CHECK(resolution.predicted_error <= tolerance * (1 + 1e-12));
      CHECK(resolution.predicted_error / error > 0.1);
      CHECK(resolution.predicted_error / error < 10);
    }
}

struct Factors {
  double least = 1, largest = 1;
};

/// The spacing that meets the tolerance over the suggested one: extremes over 20 draws of the points in [-side,
/// side]^Dim at which jets are sampled. Both are judged in [-3, 3]^Dim.
template <int Dim>
Factors true_spacing_over_suggested(const Source<Dim>& source, int points_seen, double side = 3) {
  const auto points = random_points<Dim>(200, Point<Dim>::Constant(-3), Point<Dim>::Constant(3), 9);
  Factors factors;
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const auto& resolution : suggest_resolutions<Dim>(jets_of<Dim>(source, points_seen, seed, side), 1e-5)) {
      const double error = measure_order<Dim>(resolution.order, source, resolution.spacing, points).error;
      const double factor = std::pow(1e-5 / error, 1.0 / (2 * resolution.order + 2));
      factors.least = std::min(factors.least, factor);
      factors.largest = std::max(factors.largest, factor);
    }
  return factors;
}

template <int Dim>
void suggests_spacings_of_waves() {
  const Factors four = true_spacing_over_suggested<Dim>(waves_of<Dim>(6), 4);
  const Factors eight = true_spacing_over_suggested<Dim>(waves_of<Dim>(6), 8);
  CAPTURE(Dim, four.least, four.largest, eight.least, eight.largest);
  CHECK(four.least > 1 / 1.45);
  CHECK(four.largest < 1.45);
  CHECK(eight.least > 1 / 1.25);
  CHECK(eight.largest < 1.25);
}

/// One output: a sum of waves with drawn wave vectors, phases and amplitudes, and a drawn linear trend.
template <int Dim>
Source<Dim> drawn_output(int waves, double trend, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit;
  struct Wave {
    Point<Dim> k;
    double amplitude, phase;
  };
  std::vector<Wave> sum(waves);
  for (Wave& wave : sum) {
    for (int i = 0; i < Dim; ++i) wave.k[i] = (unit(random) < 0.5 ? -1.5 : 1.5) * (0.35 + 0.5 * unit(random));
    wave.amplitude = waves == 1 ? 1 : 0.3 + unit(random);
    wave.phase = 2 * std::numbers::pi * unit(random);
  }
  Point<Dim> slope;
  for (int i = 0; i < Dim; ++i) slope[i] = trend * (2 * unit(random) - 1);
  return {1, [sum, slope](int, const MultiIndex<Dim>& a, const Point<Dim>& x) {
            const int total = std::accumulate(a.begin(), a.end(), 0);
            double y = total == 0 ? slope.dot(x) : 0;
            for (int i = 0; i < Dim; ++i)
              if (total == 1 && a[i] == 1) y += slope[i];
            for (const Wave& wave : sum) {
              double factor = wave.amplitude;
              for (int i = 0; i < Dim; ++i) factor *= std::pow(wave.k[i], a[i]);
              y += factor * std::sin(wave.k.dot(x) + wave.phase + total * std::numbers::pi / 2);
            }
            return y;
          }};
}

/// The suggested spacing over the one that meets the tolerance: extremes over drawn outputs, each seen at four points.
template <int Dim>
void widen(Factors& factors, int waves, double trend) {
  const auto points = random_points<Dim>(200, Point<Dim>::Constant(-3), Point<Dim>::Constant(3), 9);
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Source<Dim> source = drawn_output<Dim>(waves, trend, 100 * seed + static_cast<unsigned>(waves));
    for (const auto& resolution : suggest_resolutions<Dim>(jets_of<Dim>(source, 4, seed), 1e-5)) {
      Point<Dim> right = resolution.spacing;
      for (int i = 0; i < 2; ++i)
        right *= std::pow(1e-5 / measure_order<Dim>(resolution.order, source, right, points).error,
                          1.0 / (2 * resolution.order + 2));
      factors.least = std::min(factors.least, resolution.spacing[0] / right[0]);
      factors.largest = std::max(factors.largest, resolution.spacing[0] / right[0]);
    }
  }
}

/// A closed curve that spans many cells.
template <int Dim>
std::vector<Point<Dim>> long_curve() {
  std::vector<Point<Dim>> curve(4000);
  for (std::size_t n = 0; n < curve.size(); ++n)
    for (int i = 0; i < Dim; ++i) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(curve.size());
      curve[n][i] = 3 * std::sin((i + 2) * turn + i);
    }
  return curve;
}

/// The cost of the first suggested order over that of the best, each at the spacing that truly meets the tolerance.
template <int Dim>
double cost_over_best(double tolerance, const ResolutionOptions& options) {
  const Source<Dim> waves = waves_of<Dim>(6);
  const auto curve = long_curve<Dim>();
  std::vector<double> costs;
  for (const auto& resolution : suggest_resolutions<Dim>(jets_of<Dim>(waves, 4), tolerance, options)) {
    Point<Dim> spacing = resolution.spacing;
    for (int i = 0; i < 3; ++i) {
      const double error = measure_order<Dim>(resolution.order, waves, spacing, curve).error;
      spacing *= std::pow(tolerance / error, 1.0 / (2 * resolution.order + 2));
    }
    const auto evaluations = measure_order<Dim>(resolution.order, waves, spacing, curve).exact_evaluations;
    costs.push_back(options.costs[resolution.order - 1] * static_cast<double>(evaluations));
  }
  return costs.front() / *std::min_element(costs.begin(), costs.end());
}

/// The resolution of the given order.
template <int Dim>
Resolution<Dim> of_order(int order, const std::vector<Resolution<Dim>>& resolutions) {
  return *std::find_if(resolutions.begin(), resolutions.end(), [=](const auto& r) { return r.order == order; });
}

}  // namespace

TEST_CASE("the predicted error of waves is that of a grid with the suggested spacing to a factor of 10") {
  predicts<1>(waves_of<1>(6), 4);
  predicts<2>(waves_of<2>(6), 4);
  predicts<3>(waves_of<3>(6), 4);
  predicts<4>(waves_of<4>(6), 4);
}

TEST_CASE("for waves the suggested spacing is right to a factor of 1.45 from four points, of 1.25 from eight") {
  suggests_spacings_of_waves<1>();
  suggests_spacings_of_waves<2>();
  suggests_spacings_of_waves<3>();
  suggests_spacings_of_waves<4>();
}

TEST_CASE("for one output seen at four points the suggested spacing is 0.5 to 3 times the right one") {
  Factors wave, all;
  widen<1>(wave, 1, 0);
  widen<2>(wave, 1, 0);
  for (const int waves : {1, 3, 6})
    for (const double trend : {0., 5.}) {
      widen<1>(all, waves, trend);
      widen<2>(all, waves, trend);
    }
  CAPTURE(wave.least, wave.largest, all.least, all.largest);
  CHECK(wave.least > 0.8);
  CHECK(wave.largest < 1.1);
  CHECK(all.least > 0.5);
  CHECK(all.largest < 3);
}

TEST_CASE("points that lie close together, or where f has no slope, do not shorten the suggested spacing by much") {
  const Source<2> waves = waves_of<2>(6);
  const auto together = jets_of<2>(waves, 4, 3, 1e-3), alone = jets_of<2>(waves, 1, 3, 1e-3);
  auto level = together;
  for (auto& jet : level) jet.middleCols<2>(1).setZero();
  for (int order = 1; order <= 3; ++order) {
    const double spacing = of_order<2>(order, suggest_resolutions<2>(alone, 1e-5)).spacing[0];
    CAPTURE(order, spacing);
    CHECK(of_order<2>(order, suggest_resolutions<2>(together, 1e-5)).spacing[0] == Approx(spacing).epsilon(0.01));
    CHECK(of_order<2>(order, suggest_resolutions<2>(level, 1e-5)).spacing[0] > 0.35 * spacing);
  }
}

TEST_CASE("close to poles the suggested spacing is up to 5 times too long if the jets are from all over the box") {
  const Factors line = true_spacing_over_suggested<1>(runge<1>(), 8);
  const Factors plane = true_spacing_over_suggested<2>(runge<2>(), 8);
  CAPTURE(line.least, line.largest, plane.least, plane.largest);
  CHECK(std::min(line.least, plane.least) > 0.2);
  CHECK(std::max(line.least, plane.least) < 0.5);
  CHECK(std::max(line.largest, plane.largest) < 1.35);
}

TEST_CASE("close to poles the suggested spacing is right to a factor of 1.7 if the jets are from there") {
  const Factors line = true_spacing_over_suggested<1>(runge<1>(), 8, 0.7);
  const Factors plane = true_spacing_over_suggested<2>(runge<2>(), 8, 0.7);
  CAPTURE(line.least, line.largest, plane.least, plane.largest);
  CHECK(std::min(line.least, plane.least) > 1 / 1.7);
  CHECK(std::max(line.largest, plane.largest) < 1.7);
}

TEST_CASE("the order suggested first costs along a curve at most 1.3 times what the best one costs") {
  for (const double tolerance : {1e-3, 1e-6})
    for (const std::vector<double>& costs : {std::vector<double>{1, 1.1, 1.5}, std::vector<double>{1, 2, 4}}) {
      CAPTURE(tolerance, costs);
      CHECK(cost_over_best<1>(tolerance, {.costs = costs}) < 1.3);
      CHECK(cost_over_best<2>(tolerance, {.costs = costs}) < 1.3);
      CHECK(cost_over_best<3>(tolerance, {.costs = costs}) < 1.3);
    }
}

TEST_CASE("where orders cost so differently that they tie, the one suggested first costs at most 1.6 times the best") {
  for (const double tolerance : {1e-3, 1e-6}) {
    const ResolutionOptions options{.costs = {1, 4, 16}};
    CAPTURE(tolerance);
    CHECK(cost_over_best<1>(tolerance, options) < 1.6);
    CHECK(cost_over_best<2>(tolerance, options) < 1.6);
    CHECK(cost_over_best<3>(tolerance, options) < 1.6);
  }
}

TEST_CASE(
    "suggested spacings scale as the order of the interpolant, with the unit of the outputs and that of the points") {
  const Source<3> waves = waves_of<3>(5);
  const auto jets = jets_of<3>(waves, 3);
  const auto coarse = suggest_resolutions<3>(jets, 1e-4), fine = suggest_resolutions<3>(jets, 1e-4 / 256);
  auto in_other_units = jets;  // outputs 1000 times, points 1e-7 times as large
  const auto indices = graded_multi_indices<3>(3);
  for (auto& jet : in_other_units)
    for (std::size_t a = 0; a < indices.size(); ++a)
      jet.col(static_cast<Eigen::Index>(a)) *= 1e3 * std::pow(1e7, indices[a][0] + indices[a][1] + indices[a][2]);
  const auto scaled = suggest_resolutions<3>(in_other_units, 0.1);
  for (int order = 1; order <= 3; ++order) {
    CAPTURE(order);
    const Point<3> spacing = of_order<3>(order, coarse).spacing;
    CHECK(of_order<3>(order, fine).spacing[0] * std::pow(256, 1.0 / (2 * order + 2)) == Approx(spacing[0]));
    CHECK((of_order<3>(order, scaled).spacing * 1e7).isApprox(spacing, 1e-9));
    CHECK(of_order<3>(order, scaled).relative_cost == Approx(of_order<3>(order, coarse).relative_cost));
  }
}

TEST_CASE("an axis along which f bends slower gets longer cells, at fewer evaluations") {
  const Source<2> waves = waves_of<2>(6);
  const Source<2> f{6, [waves](int r, const MultiIndex<2>& a, const Point<2>& x) {
                      return waves.derivative(r, a, Point<2>(x[0], x[1] / 5)) * std::pow(0.2, a[1]);
                    }};
  const auto jets = jets_of<2>(f, 4);
  auto curve = long_curve<2>();
  for (Point<2>& x : curve) x[1] *= 5;
  const auto even = suggest_resolutions<2>(jets, 1e-5);
  const auto equal = suggest_resolutions<2>(jets, 1e-5, {.proportions = Eigen::Vector2d::Ones()});
  for (int order = 1; order <= 3; ++order) {
    const Point<2> spacing = of_order<2>(order, even).spacing;
    CAPTURE(order, spacing.transpose());
    CHECK(spacing[1] / spacing[0] > 3);
    CHECK(spacing[1] / spacing[0] < 8);
    const Measured with = measure_order<2>(order, f, spacing, curve);
    const Measured without = measure_order<2>(order, f, of_order<2>(order, equal).spacing, curve);
    CHECK(with.error < 1e-4);
    CHECK(of_order<2>(order, equal).spacing[0] == of_order<2>(order, equal).spacing[1]);
    CHECK(1.5 * static_cast<double>(with.exact_evaluations) < static_cast<double>(without.exact_evaluations));
  }
}

TEST_CASE("filling a box favours higher orders than following a path") {
  const auto jets = jets_of<4>(waves_of<4>(3), 3);
  const ResolutionOptions path{.costs = {1, 5, 25}}, box{.costs = {1, 5, 25}, .coverage = Coverage::box};
  const auto along = suggest_resolutions<4>(jets, 1e-5, path), filling = suggest_resolutions<4>(jets, 1e-5, box);
  CHECK(along.front().order == 1);
  CHECK(filling.front().order == 3);
  CHECK(along.front().relative_cost == 1);
  CHECK(filling.front().relative_cost == 1);
  for (int order = 1; order <= 3; ++order)
    CHECK(of_order<4>(order, along).spacing == of_order<4>(order, filling).spacing);
}

TEST_CASE("a tolerance larger than the function does not stretch cells beyond what the jets can see") {
  const Source<2> waves = waves_of<2>(4);
  const auto jets = jets_of<2>(waves, 4);
  for (const auto& resolution : suggest_resolutions<2>(jets, 1e9)) {
    CAPTURE(resolution.order, resolution.spacing.transpose());
    CHECK(resolution.predicted_error < 10);
    CHECK(resolution.spacing.maxCoeff() < 4 * std::numbers::pi);
  }
  CHECK(suggest_resolutions<2>(jets, 1e9).size() == 3);
  CHECK(suggest_resolutions<2>(jets, 1e9, {.costs = {1, 1.1}}).size() == 2);
}

TEST_CASE("output weights choose what is resolved") {
  const Source<2> waves = waves_of<2>(2);
  auto jets = jets_of<2>(waves, 3);
  for (auto& jet : jets) jet.row(1) *= 1e6;
  const Eigen::Vector2d first(1, 0);
  std::vector<Eigen::MatrixXd> alone;
  for (const auto& jet : jets) alone.push_back(jet.row(0));
  const auto weighted = suggest_resolutions<2>(jets, 1e-5, {.output_weights = first});
  const auto only = suggest_resolutions<2>(alone, 1e-5);
  for (std::size_t i = 0; i < only.size(); ++i) CHECK(weighted[i].spacing.isApprox(only[i].spacing, 1e-12));
}

TEST_CASE("input from which no resolution follows is refused with its numbers") {
  const auto jets = jets_of<2>(waves_of<2>(3), 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](const std::vector<Eigen::MatrixXd>& from, double tolerance,
                          const ResolutionOptions& options) {
    try {
      suggest_resolutions<2>(from, tolerance, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Catch::Contains;
  CHECK_THAT(message(jets, -2, {}), Contains("tolerance -2"));
  CHECK_THAT(message(jets, nan, {}), Contains("tolerance nan"));
  CHECK_THAT(message({}, 1, {}), Contains("0 jets"));
  CHECK_THAT(message({jets[0], jets[1].leftCols(6)}, 1, {}), Contains("jet 1 is 3 x 6, of order 3 it is 3 x 10"));
  CHECK_THAT(message({jets[0], jets[1].topRows(2)}, 1, {}), Contains("jet 1 is 2 x 10"));
  CHECK_THAT(message({jets[0] * nan}, 1, {}), Contains("jet 0 is not finite"));
  CHECK_THAT(message(jets, 1, {.costs = {}}), Contains("0 costs"));
  CHECK_THAT(message(jets, 1, {.costs = {1, 1, 1, 1}}), Contains("4 costs"));
  CHECK_THAT(message(jets, 1, {.costs = {1, 0}}), Contains("cost 0 is not positive"));
  CHECK_THAT(message(jets, 1, {.proportions = Eigen::Vector3d::Ones()}), Contains("3 proportions for 2 axes"));
  CHECK_THAT(message(jets, 1, {.proportions = Eigen::Vector2d(1, -3)}), Contains("proportion -3"));
  CHECK_THAT(message(jets, 1, {.output_weights = Eigen::Vector2d::Ones()}), Contains("2 output weights for 3 outputs"));

  Eigen::MatrixXd quadratic = jets[0];
  quadratic.rightCols(4).setZero();
  CHECK_THAT(message({quadratic}, 1, {}), Contains("derivatives of order 3 are zero at the 1 points"));
  quadratic.setZero();
  CHECK_THAT(message({quadratic}, 1, {}), Contains("derivatives of order 2 are zero at the 1 points"));
}
