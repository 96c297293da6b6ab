// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/sections.hpp"

#ifdef QUOIN_HAS_ALGLIB
#include "benchmarks/peers/side_by_side.hpp"
#include "benchmarks/peers/surrogate.hpp"
#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/to_text.hpp"

#include <interpolation.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

constexpr int queries = 500;

/// Halton's points, which fill the box evenly at any number.
template <int Dim>
PointsOf<Dim> spread_points(int count) {
  constexpr int primes[] = {2, 3, 5};
  PointsOf<Dim> x(Dim, count);
  for (int m = 0; m < count; ++m)
    for (int i = 0; i < Dim; ++i) {
      double digit = 1, sum = 0;
      for (int rest = m + 1; rest > 0; rest /= primes[i]) sum += (digit /= primes[i]) * (rest % primes[i]);
      x(i, m) = 4 * sum - 2;
    }
  return x;
}

template <int Dim>
Surrogate<Dim> by_kernel(const SmoothFunction<Dim>& f, const PointsOf<Dim>& x, int order) {
  Samples<Dim> samples{.jet_order = order};
  samples.resize(1, x.cols());
  samples.points = x;
  for (Eigen::Index m = 0; m < x.cols(); ++m) f.jet(x.col(m), order, samples.jet(m));
  const auto kernel = std::make_shared<KernelInterpolant<Dim>>(1, order);
  kernel->insert(samples);
  Eigen::VectorXd y;
  kernel->evaluate(Point<Dim>(x.col(0)), y);  // solves for the coefficients: a part of the construction
  return surrogate<Dim>(x.cols(), kernel);
}

enum class Rbf { hierarchical, thin_plate, multiquadric };

template <int Dim>
Surrogate<Dim> by_alglib(const SmoothFunction<Dim>& f, const PointsOf<Dim>& x, Rbf basis) {
  alglib::real_2d_array data;
  data.setlength(x.cols(), Dim + 1);
  for (Eigen::Index m = 0; m < x.cols(); ++m) {
    for (int i = 0; i < Dim; ++i) data[m][i] = x(i, m);
    data[m][Dim] = f(x.col(m));
  }
  const auto model = std::make_shared<alglib::rbfmodel>();
  alglib::rbfcreate(Dim, 1, *model);
  alglib::rbfsetpoints(*model, data);
  const double apart = 4 / std::pow(static_cast<double>(x.cols()), 1.0 / Dim);
  if (basis == Rbf::hierarchical) alglib::rbfsetalgohierarchical(*model, 8 * apart, 5, 0);
  if (basis == Rbf::thin_plate) alglib::rbfsetalgothinplatespline(*model);
  if (basis == Rbf::multiquadric) alglib::rbfsetalgomultiquadricauto(*model);
  alglib::rbfreport done;
  alglib::rbfbuildmodel(*model, done);
  alglib::real_1d_array at, y, dy;
  at.setlength(Dim);
  return {x.cols(),
          [model, at, y, dy](const PointsOf<Dim>& where, Eigen::VectorXd& values, PointsOf<Dim>& gradients) mutable {
            for (Eigen::Index m = 0; m < where.cols(); ++m) {
              for (int i = 0; i < Dim; ++i) at[i] = where(i, m);
              alglib::rbfdiffbuf(*model, at, y, dy);
              values[m] = y[0];
              for (int i = 0; i < Dim; ++i) gradients(i, m) = dy[i];
            }
          }};
}

struct Seen {
  std::vector<double> values, gradients;  // errors
  SideBySide build, query;                // here the kernel of values, there the method
};

template <int Dim>
void measure(const SmoothFunction<Dim>& f, Draw& random, int samples, int rounds, std::vector<Seen>& seen,
             std::vector<std::string>& names) {
  const Sought<Dim> sought(f, random, queries);
  const PointsOf<Dim> x = spread_points<Dim>(samples);
  using Make = std::function<Surrogate<Dim>()>;
  std::vector<std::pair<std::string, Make>> methods;
  for (int order = 0; order <= (samples > 50 ? 1 : 2); ++order)
    methods.push_back({"kernel, " + (order == 0 ? std::string("values") : to_text(order) + "-jets"),
                       [&f, &x, order] { return by_kernel<Dim>(f, x, order); }});
  methods.push_back({"ALGLIB, hierarchical", [&] { return by_alglib<Dim>(f, x, Rbf::hierarchical); }});
  methods.push_back({"ALGLIB, thin plate", [&] { return by_alglib<Dim>(f, x, Rbf::thin_plate); }});
  methods.push_back({"ALGLIB, multiquadric", [&] { return by_alglib<Dim>(f, x, Rbf::multiquadric); }});
  names.clear();
  seen.resize(methods.size());
  const Surrogate<Dim> beside = methods[0].second();
  Eigen::VectorXd values(queries);
  PointsOf<Dim> gradients(Dim, queries);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const auto& [name, make] = methods[i];
    names.push_back(name);
    const Surrogate<Dim> made = make();
    const SurrogateErrors errors = errors_of(made, sought);
    seen[i].values.push_back(errors.value);
    seen[i].gradients.push_back(errors.gradient);
    seen[i].build.add_medians(side_by_side(methods[0].second, make, 1));
    seen[i].query.add_medians(side_by_side([&] { beside.answer(sought.x, values, gradients); },
                                           [&] { made.answer(sought.x, values, gradients); }, rounds));
  }
}

template <int Dim>
void rows(int samples, int seeds, int rounds, Report& report, studies::figures::JsonResults& table) {
  std::vector<Seen> seen;
  std::vector<std::string> names;
  const std::vector<std::string>& families = DrawnFunctions<Dim>::smooth();
  for (std::size_t family = 0; family < families.size(); ++family)
    for (int seed = 0; seed < seeds; ++seed) {
      Draw random(QUOIN_RELEASE + static_cast<std::uint64_t>(seed), family, Dim);
      measure<Dim>(drawn_function<Dim>(families[family], random), random, samples, rounds, seen, names);
    }
  for (std::size_t i = 0; i < names.size(); ++i)
    table.add(studies::figures::ResultRow()
                  .show("dim", Dim, "d")
                  .show("samples", samples)
                  .show("method", names[i])
                  .show("error", median(seen[i].values), "error of the value", 2)
                  .show("error_10", studies::quantile(seen[i].values, 0.1), "10 %", 2)
                  .show("error_90", studies::quantile(seen[i].values, 0.9), "90 %", 2)
                  .show("gradient", median(seen[i].gradients), "of the gradient", 2)
                  .show("build", 1e3 * median(seen[i].build.theirs), "build [ms]")
                  .show("query", 1e6 * median(seen[i].query.theirs) / queries, "query [us]")
                  .show("ratio", median(seen[i].query.ratios), "/ kernel of values"));
  double best = 1e300;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].starts_with("ALGLIB")) best = std::min(best, median(seen[i].values));
  report.checks.push_back({"d = " + to_text(Dim) + ", " + to_text(samples) +
                               " values: the kernel's median error is no greater than the best of ALGLIB's, " +
                               studies::figures::format_number(median(seen[0].values)) + " and " +
                               studies::figures::format_number(best),
                           median(seen[0].values) <= best});
}

}  // namespace

void scattered_samples_beside_alglib(Report& report, bool quick) {
  const int seeds = quick ? 1 : 5, rounds = quick ? 1 : 5;
  studies::figures::JsonResults table;
  rows<2>(50, seeds, rounds, report, table);
  if (!quick) {
    rows<2>(200, seeds, rounds, report, table);
    rows<3>(50, seeds, rounds, report, table);
    rows<3>(200, seeds, rounds, report, table);
  }
  report.add_table(
      "### Scattered samples beside ALGLIB\n\nSix families of smooth functions on [-2, 2]^d at Halton's "
      "points, " +
          std::to_string(seeds) +
          " draws of each; root mean square errors at 500 random points relative to f's, medians and "
          "quantiles over draws. A query is value and gradient, from the kernel with its estimates.",
      table);
}

}  // namespace benchmarks
#else
void benchmarks::scattered_samples_beside_alglib(Report&, bool) {}
#endif
