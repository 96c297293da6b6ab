// SPDX-License-Identifier: BSD-3-Clause
// What a swimmer's step over a grid costs with its derivatives: with the grid's second derivatives, by differences of
// its Jacobian, and without them; and how far each is from differences of the step.
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"

#include <algorithm>
#include <random>

namespace {
using namespace benchmarks;
using namespace quoin::swimmer;

/// A map without the second derivatives that it has.
template <class Map>
struct Differenced {
  Map map;
  Eigen::Index output_size() const { return map.output_size(); }
  Answer evaluate(const Point<3>& x, Eigen::VectorXd& y) const { return map.evaluate(x, y); }
  Answer evaluate(const Point<3>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const { return map.evaluate(x, y, J); }
  Answer try_evaluate(const Point<3>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return map.try_evaluate(x, y, J);
  }
};

struct Measured {
  std::vector<double> step, derivative, error;  // seconds, seconds, relative
};

using Mass = GeneralizedMass<3, GridView<3>>;

/// Angles up to 0.9 rad, rates up to 3 rad/s.
Eigen::VectorXd random_state(std::mt19937& random, Eigen::Index size) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Eigen::VectorXd x(size);
  for (double& v : x) v = 0.9 * unit(random);
  x.segment<3>(3) *= 3 / 0.9;
  return x;
}

/// dnext/dx by differences of the step of fourth order.
template <class Dynamics>
Eigen::MatrixXd differences(const Dynamics& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u) {
  constexpr double h = 1e-3;
  Eigen::MatrixXd slopes(x.size(), x.size());
  Eigen::VectorXd next[4];
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double steps[] = {-2 * h, -h, h, 2 * h};
    for (int k = 0; k < 4; ++k) d.step(x + steps[k] * Eigen::VectorXd::Unit(x.size(), i), u, next[k]);
    slopes.col(i) = (8 * (next[2] - next[1]) - (next[3] - next[0])) / (12 * h);
  }
  return slopes;
}

template <class Dynamics>
void measure(const Dynamics& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Eigen::MatrixXd& slopes,
             Measured& measured) {
  Eigen::VectorXd next;
  Eigen::MatrixXd A, B;
  const int calls = 10;
  d.step(x, u, next, A, B);
  measured.error.push_back((A - slopes).norm() / slopes.norm());
  measured.step.push_back(seconds_of([&] {
                            for (int i = 0; i < calls; ++i) d.step(x, u, next);
                          }) /
                          calls);
  measured.derivative.push_back(seconds_of([&] {
                                  for (int i = 0; i < calls; ++i) d.step(x, u, next, A, B);
                                }) /
                                calls);
}

Report run(bool quick) {
  const Swimmer fish = ellipsoid_chain({.mesh = 2});
  const SwimmerFlow flow(fish);
  GridOptions<3> options;
  options.spacing.setConstant(0.3);
  Report report;
  double planar_ratio = 0, worst_median = 0;
  for (const Motion motion : {Motion::planar, Motion::spatial}) {
    const AdaptiveGrid<3> grid(AddedMass<3>(flow, motion), options);
    const Mass mass(fish, motion, grid.at_level(0));
    const SwimmerDynamics<3, Mass> twice(mass, motion);
    const SwimmerDynamics<3, Differenced<Mass>> differenced({mass}, motion);
    const SwimmerDynamics<3, Mass> gauss_newton(mass, motion, {.derivative = StepDerivative::gauss_newton});
    Measured measured[3];
    std::vector<double> ratios;
    std::mt19937 random(1);
    for (int n = 0; n < (quick ? 40 : 200); ++n) {
      const Eigen::VectorXd x = random_state(random, twice.state_size()), u = 0.1 * random_state(random, 9).head(3);
      const Eigen::MatrixXd slopes = differences(twice, x, u);  // calls the flow where it has to
      measure(twice, x, u, slopes, measured[0]);
      measure(differenced, x, u, slopes, measured[1]);
      measure(gauss_newton, x, u, slopes, measured[2]);
      ratios.push_back(measured[1].derivative.back() / measured[0].derivative.back());
    }
    const char* names[] = {"the grid's", "differences", "none (Gauss-Newton)"};
    const int queries[] = {4, 28, 4};
    for (int k = 0; k < 3; ++k)
      report.results.add(studies::figures::ResultRow()
                             .set("motion", motion == Motion::planar ? "planar" : "spatial")
                             .set("second derivatives", names[k])
                             .set("queries", queries[k])
                             .set("step_us", 1e6 * median(measured[k].step))
                             .set("derivative_step_us", 1e6 * median(measured[k].derivative))
                             .set("median_error", median(measured[k].error))
                             .set("largest_error", *std::ranges::max_element(measured[k].error)));
    if (motion == Motion::planar) planar_ratio = median(ratios);
    worst_median = std::max(worst_median, median(measured[0].error));
  }
  report.columns = {
      {"motion", "motion"},        {"second derivatives", "second derivatives"},   {"queries", "queries"},
      {"step_us", "step, us"},     {"derivative_step_us", "with derivatives, us"}, {"median_error", "median error"},
      {"largest_error", "largest"}};
  report.checks = {{"in a plane a derivative step takes at most 3/4 of the time with the grid's second derivatives "
                    "that it takes by differences",
                    planar_ratio >= 4 / 3.},
                   {"the median error of its derivative is below 1e-9", worst_median < 1e-9}};
  report.notes =
      "Four ellipsoids, RK4, dt = 0.02 s, spacing 0.3, rates up to 3 rad/s. Times are medians over states, taken in "
      "turns. Errors are relative, of dnext/dx against differences of the step of fourth order; the largest are those "
      "of states beside a face of the grid's cells, where the Jacobian jumps.\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "swimmer_step", "A swimmer's step over a grid with its derivatives", run);
}
