// SPDX-License-Identifier: BSD-3-Clause
// How often answers err by more than they say: tolerance mode on families of functions with random parameters, drawn
// from seeds that belong to the release, which nobody looked at while choosing settings.
#include "benchmarks/support/along_tally.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/trust_tally.hpp"
#include "quoin/quoin.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace benchmarks;
using studies::figures::JsonResults;
using studies::figures::ResultRow;

constexpr std::uint64_t first_seed = QUOIN_RELEASE;
constexpr int few_levels = 4;

template <int Dim, int K>
TrustTally to_tolerance(const Families& families, int seeds, int points, bool by_ancestors) {
  return tally_along_curves<Dim, K>(families, first_seed, seeds, points, [&](auto f, double tolerance) {
    return AdaptiveGrid<Dim>(std::move(f), {.tolerance = tolerance, .accept_by_ancestors = by_ancestors});
  });
}

// At a few levels only, the search ends before much is resolved: what its answers say there.
template <int Dim>
void at_few_levels(bool quick, JsonResults& table, std::vector<Check>& checks) {
  const int seeds = quick ? 4 : 40, points = quick ? 500 : 2000;
  for (const int outputs : {1, 16}) {
    const Families smooth{DrawnFunctions<Dim>::smooth(), 0.3, 4, outputs};
    const Families kinks{{"C0 peak", "kink", "cusp"}, 0.5, 4, outputs};
    const Families layers{{"layer"}, 0.5, 4, outputs};
    const Families jumps{DrawnFunctions<Dim>::jumping(), 0.5, 4, outputs};
    for (const auto& [name, families] : {std::pair("smooth", smooth), std::pair("kinks, cusps", kinks),
                                         std::pair("layers", layers), std::pair("jumps", jumps)}) {
      const auto tally = tally_along_curves<Dim, 1>(families, first_seed, seeds, points, [](auto f, double tolerance) {
        return AdaptiveGrid<Dim>(std::move(f), {.deepest_level = few_levels, .tolerance = tolerance});
      });
      const double discontinuous = TrustTally::percent(tally.discontinuous, tally.answers);
      const double estimated = TrustTally::percent(tally.over_tolerance_estimated, tally.answers);
      table.add(ResultRow()
                    .show("functions_at_few_levels", name, "functions")
                    .show("dim", Dim, "d")
                    .show("outputs", outputs, "N")
                    .show("over", TrustTally::percent(tally.over_tolerance, tally.answers), "over the tolerance [%]", 2)
                    .show("over_estimated", estimated, "of them estimated [%]", 2)
                    .show("discontinuous", discontinuous, "discontinuous [%]", 2)
                    .show("evaluations", tally.evaluations, "evaluations")
                    .set("deepest_level", few_levels));
      const std::string who = std::string(name) + " at few levels, d = " + to_text(Dim) + ", N = " + to_text(outputs);
      const auto number = [](double value) { return studies::figures::format_number(value, 2) + " %"; };
      if (families.names == jumps.names)
        checks.push_back(
            {who + ": less than 0.1 % of the answers are over the tolerance and estimated: " + number(estimated),
             estimated < 0.1});
      else if (families.names != layers.names)
        checks.push_back({who + ": less than 0.1 % of the answers are discontinuous: " + number(discontinuous),
                          discontinuous < 0.1});
    }
  }
}

template <int Dim, int K>
void measure(bool quick, Report& report) {
  const int seeds = quick ? 4 : 40, points = quick ? 500 : 2000;
  const auto& smooth = DrawnFunctions<Dim>::smooth();
  const auto& rough = DrawnFunctions<Dim>::rough();
  double most_over = 0, most_jacobians = 0, worst_wide = 0;  // of the rows of smooth functions
  TrustTally together;                                       // of all of them
  for (const int outputs : {1, 16}) {
    const std::pair<const char*, Families> groups[] = {{"smooth, wider than a cell", {smooth, 1, 4, outputs}},
                                                       {"smooth, narrower", {smooth, 0.3, 1, outputs}},
                                                       {"layers, kinks, cusps", {rough, 0.5, 4, outputs}},
                                                       {"jumps", {DrawnFunctions<Dim>::jumping(), 0.5, 4, outputs}}};
    for (const auto& [name, families] : groups) {
      const TrustTally measured = to_tolerance<Dim, K>(families, seeds, points, false);
      const TrustTally ancestors = to_tolerance<Dim, K>(families, seeds, points, true);
      const double over = TrustTally::percent(measured.over_tolerance, measured.answers);
      const double jacobians = TrustTally::percent(measured.jacobian_over_estimate, measured.estimates);
      report.results.add(ResultRow()
                             .show("functions", name)
                             .show("jet_order", K, "K")
                             .show("dim", Dim, "d")
                             .show("outputs", outputs, "N")
                             .show("over", over, "over the tolerance [%]", 2)
                             .show("worst", measured.worst_over_tolerance, "worst error / tolerance")
                             .show("above_estimate", TrustTally::percent(measured.over_estimate, measured.estimates),
                                   "above its estimate [%]", 2)
                             .show("jacobian_above", jacobians, "Jacobian above its estimate [%]", 2)
                             .show("jacobian_worst", measured.worst_jacobian_over_estimate, "worst")
                             .show("evaluations", measured.evaluations, "evaluations")
                             .show("ancestors_over", TrustTally::percent(ancestors.over_tolerance, ancestors.answers),
                                   "by ancestors: over [%]", 2)
                             .show("ancestors_worst", ancestors.worst_over_tolerance, "worst")
                             .show("ancestors_evaluations", ancestors.evaluations, "evaluations")
                             .set("answers", measured.answers)
                             .set("first_seed", static_cast<std::int64_t>(first_seed))
                             .set("seeds", seeds));
      if (families.names != smooth) continue;
      most_over = std::max(most_over, over);
      most_jacobians = std::max(most_jacobians, jacobians);
      together += measured;
      if (families.narrowest >= 1) worst_wide = std::max(worst_wide, measured.worst_over_tolerance);
    }
  }
  // The few curves of a quick run's row are no rate.
  if (quick) {
    most_over = TrustTally::percent(together.over_tolerance, together.answers);
    most_jacobians = TrustTally::percent(together.jacobian_over_estimate, together.estimates);
  }
  const auto number = [](double value) { return studies::figures::format_number(value, 2); };
  const std::string who = "K = " + to_text(K) + ", smooth functions, d = " + to_text(Dim) + ": ";
  const std::string rows = quick ? "over all rows" : "in each row";
  report.checks.push_back(
      {who + rows + " less than 0.1 % of the answers are over the tolerance: " + number(most_over) + " %",
       most_over < 0.1});
  report.checks.push_back(
      {who + "wider than a cell, none is by more than 3 times: " + number(worst_wide), worst_wide <= 3});
  report.checks.push_back(
      {who + rows + " less than 1 % of the Jacobians err by more than they say: " + number(most_jacobians) + " %",
       most_jacobians < 1});
}

/// GridView::error_along on levels 2 to 4, in words.
template <int Dim, int K>
std::string tell_error_along(bool quick) {
  const auto number = [](double value) { return studies::figures::format_number(value, 2); };
  std::string text = "- K = " + to_text(K) + ", d = " + to_text(Dim) + ":";
  const auto add = [&](const char* name, const AlongTally& tally) {
    const char* of[] = {" value ", "; Jacobian "};
    text += std::string(" ") + name;
    for (const auto* ratios : {&tally.values, &tally.jacobians})
      text += of[ratios == &tally.jacobians] + number(AlongTally::median(*ratios)) + ", above 2 " +
              number(AlongTally::share_above(*ratios, 2)) + " %, above 10 " +
              number(AlongTally::share_above(*ratios, 10)) + " %";
    text += " (" + to_text(tally.values.size()) + ").";
  };
  const int seeds = quick ? 3 : Dim < 4 ? 40 : 10;
  add("smooth", tally_error_along<Dim, K>(DrawnFunctions<Dim>::smooth(), 0.3, 4, first_seed, seeds));
  add("layers, kinks, cusps", tally_error_along<Dim, K>(DrawnFunctions<Dim>::rough(), 0.5, 4, first_seed, seeds));
  return text + "\n";
}

Report trust(bool quick) {
  Report report;
  measure<1, 1>(quick, report);
  measure<2, 1>(quick, report);
  measure<3, 1>(quick, report);
  measure<4, 1>(quick, report);
  measure<1, 2>(quick, report);
  measure<2, 2>(quick, report);
  measure<3, 2>(quick, report);
  measure<4, 2>(quick, report);
  JsonResults few;
  at_few_levels<1>(quick, few, report.checks);
  at_few_levels<2>(quick, few, report.checks);
  at_few_levels<3>(quick, few, report.checks);
  at_few_levels<4>(quick, few, report.checks);
  for (const ResultRow& row : few.rows()) report.further_rows.push_back(row);
  report.notes =
      "Every row: " + to_text(quick ? 4 : 40) + " seeds from " + to_text(first_seed) +
      " on (they follow from the version), for each family three random closed curves of " +
      to_text(quick ? 500 : 2000) +
      " points in [-2, 2]^d, with a random tolerance from 1e-6 to 0.1 each; level 0 has cells of edge 1. "
      "Smooth: Genz's oscillatory, product peak, corner peak and Gaussian functions, sums of four peaks and "
      "dips (Franke), ridges; they turn over 1 to 4, or over 0.3 to 1. By ancestors: with "
      "GridOptions::accept_by_ancestors.\n\nThe same with 1-jets and " +
      to_text(few_levels) +
      " levels below level 0, where jumps and more are left unresolved; smooth functions turn over 0.3 to 4:\n\n" +
      few.markdown() +
      "\nThe largest error along such curves over what GridView::error_along says of it, on levels 2 to 4: the median, "
      "and shares above 2 and 10 (of how many).\n\n" +
      tell_error_along<1, 1>(quick) + tell_error_along<2, 1>(quick) + tell_error_along<3, 1>(quick) +
      tell_error_along<4, 1>(quick) + tell_error_along<1, 2>(quick) + tell_error_along<2, 2>(quick) +
      tell_error_along<3, 2>(quick);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "trust", "How often answers err by more than they say.", trust);
}
