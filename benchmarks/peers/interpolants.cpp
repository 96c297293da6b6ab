// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/plane_methods.hpp"
#include "benchmarks/peers/sections.hpp"

#if defined(QUOIN_HAS_CERES) || defined(QUOIN_HAS_GSL)
#include "benchmarks/peers/side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

constexpr int plane_points = 1000;

std::vector<PlaneMethod> all_methods() {
  std::vector<PlaneMethod> methods = grids_in_the_plane();
  for (const PlaneMethod& kernel : kernels_in_the_plane()) methods.push_back(kernel);
#ifdef QUOIN_HAS_GSL
  methods.push_back(gsl_bicubic());
#endif
#ifdef QUOIN_HAS_CERES
  methods.push_back(ceres_bicubic());
#endif
  return methods;
}

/// The first size, each a seventh above the one before, at which the value is within the target.
std::optional<Surrogate<2>> within(double target, const PlaneMethod& method, const SmoothFunction<2>& f,
                                   const Sought<2>& sought) {
  for (int size = 2; size <= method.largest; size = std::max(size + 1, size * 8 / 7)) {
    Surrogate<2> found = method.make(f, size);
    if (errors_of(found, sought).value <= target) return found;
  }
  return {};
}

/// What a method took over all draws.
struct Taken {
  int draws = 0;
  std::vector<double> evaluations, gradients;  // of the draws that arrived
  SideBySide queries;                          // a grid of 1-jets of the same accuracy here, the method there
  double worst = 0;
};

void measure(const SmoothFunction<2>& f, Draw& random, double target, int rounds, std::map<std::string, Taken>& taken) {
  const Sought<2> sought(f, random, plane_points), others(f, random, plane_points);
  const std::vector<PlaneMethod> methods = all_methods();
  const auto beside = within(target, methods[1], f, sought);
  Eigen::VectorXd values(plane_points);
  PointsOf<2> gradients(2, plane_points);
  const auto query = [&](const Surrogate<2>& of) { return [&] { of.answer(sought.x, values, gradients); }; };
  for (const PlaneMethod& method : methods) {
    if (method.jet_order > f.largest_order) continue;
    Taken& by = taken[method.name];
    ++by.draws;
    const auto found = within(target, method, f, sought);
    if (!found) continue;
    const SurrogateErrors errors = errors_of(*found, others);
    by.worst = std::max(by.worst, errors.value);
    by.evaluations.push_back(static_cast<double>(found->evaluations));
    by.gradients.push_back(errors.gradient);
    if (!beside) continue;
    by.queries.add_medians(side_by_side(query(*beside), query(*found), rounds));
  }
}

void table_of(const std::string& words, double target, const std::map<std::string, Taken>& taken, Report& report) {
  studies::figures::JsonResults table;
  double worst = 0;
  for (const PlaneMethod& method : all_methods()) {
    const auto found = taken.find(method.name);
    if (found == taken.end()) continue;
    const Taken& by = found->second;
    table.add(studies::figures::ResultRow()
                  .show("method", method.name)
                  .show("arrived", std::to_string(by.evaluations.size()) + " of " + std::to_string(by.draws), "arrived")
                  .show("evaluations", median(by.evaluations))
                  .show("evaluations_10", studies::quantile(by.evaluations, 0.1), "10 %")
                  .show("evaluations_90", studies::quantile(by.evaluations, 0.9), "90 %")
                  .show("gradient", median(by.gradients), "error of the gradient", 1)
                  .show("query", 1e9 * median(by.queries.theirs) / plane_points, "query [ns]")
                  .show("ratio", median(by.queries.ratios), "/ K = 1")
                  .show("ratio_10", studies::quantile(by.queries.ratios, 0.1), "10 %")
                  .show("ratio_90", studies::quantile(by.queries.ratios, 0.9), "90 %"));
    worst = std::max(worst, by.worst);
  }
  check_same(report, words + ": every interpolant and f, at other points", worst, 2 * target);
  report.add_table("### " + words + "\n\n" + std::to_string(plane_points) +
                       " random points of [-2, 2]^2; evaluations of the first size, in steps of a seventh of the cells "
                       "an axis or of the samples, at which the root mean square error is within " +
                       studies::figures::format_number(target, 1) +
                       " of f's. Medians over the draws that arrived; a query is value and gradient at that size.",
                   table);
}

}  // namespace

void interpolants_beside_gsl_and_ceres(Report& report, bool quick) {
  const int rounds = quick ? 3 : 21;
  for (const double target : {1e-4, 1e-6}) {
    std::map<std::string, Taken> taken;
    Draw random(QUOIN_RELEASE);
    for (int i = 0; i < (quick ? 2 : 20); ++i) measure(drawn_wave<2>(random), random, target, rounds, taken);
    table_of("Oscillatory functions at d = 2 to " + studies::figures::format_number(target, 1), target, taken, report);
    if (quick) return;
  }
  std::map<std::string, Taken> taken;
  const std::vector<std::string>& families = DrawnFunctions<2>::smooth();
  for (std::size_t family = 0; family < families.size(); ++family)
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Draw random(QUOIN_RELEASE + seed, family, 2);
      measure(drawn_function<2>(families[family], random), random, 1e-4, rounds, taken);
    }
  table_of("Six families of smooth functions at d = 2 to 1e-4", 1e-4, taken, report);
}

}  // namespace benchmarks
#else
void benchmarks::interpolants_beside_gsl_and_ceres(Report&, bool) {}
#endif
