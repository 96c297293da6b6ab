// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/ablation/schemes.hpp"

#include "examples/studies/program/cores.hpp"

#include <algorithm>
#include <cmath>

namespace benchmarks {
namespace {

using studies::figures::format_number;

studies::figures::ResultRow row_of(const Ablation& ablation, const std::string& scheme, const std::string& spacings) {
  return studies::figures::ResultRow()
      .set("task", ablation.task)
      .set("dim", ablation.box.dim)
      .set("scheme", scheme)
      .set("spacing", spacings);
}

}  // namespace

double Box::points() const { return std::pow(std::round((upper - lower) / spacing) + 1, dim); }

void tell(Report& report, const Ablation& ablation) {
  const double points = ablation.box.points();
  const OnDemand& one = ablation.one_level;
  const auto evaluations = static_cast<double>(one.evaluations);
  // While a box is filled all cores evaluate; what else planning takes is that of the same level on demand.
  const double each = one.seconds_in_function / evaluations / studies::cores();
  const double planning = std::max(one.seconds - evaluations * each, 0.0);
  const std::string finest = format_number(ablation.box.spacing);
  report.results.add(row_of(ablation, "dense box", finest)
                         .set("evaluations", points)
                         .set("share_of_box", 1)
                         .set("wall_seconds", planning + points * each)
                         .set("how", "counted; time extrapolated from an evaluation's")
                         .set("relative_error", one.error)
                         .set("cost", one.cost));
  const auto add = [&](const OnDemand& scheme, const std::string& name, const std::string& spacings) {
    report.results.add(row_of(ablation, name, spacings)
                           .set("evaluations", scheme.evaluations)
                           .set("share_of_box", static_cast<double>(scheme.evaluations) / points)
                           .set("wall_seconds", scheme.seconds)
                           .set("how", "measured")
                           .set("relative_error", scheme.error)
                           .set("cost", scheme.cost));
    const std::string what = ablation.task + ", " + name + ": ";
    report.checks.push_back({what + "came to its end", scheme.finished});
  };
  add(one, "on demand, one level", finest);
  add(ablation.interleaved, "on demand, coarse to fine", ablation.coarse_to_fine);
  const double share = static_cast<double>(ablation.interleaved.evaluations) / points;
  report.checks.push_back({ablation.task + ": coarse to fine visits at most " +
                               format_number(100 * ablation.most_of_box) +
                               " % of the box: " + format_number(100 * share) + " %",
                           share <= ablation.most_of_box});
  const double apart = std::abs(ablation.interleaved.cost / one.cost - 1);
  if (std::isfinite(ablation.agreement))
    report.checks.push_back(
        {ablation.task + ": both cost the same, to " + format_number(ablation.agreement) + ": " + format_number(apart),
         apart <= ablation.agreement});
  report.checks.push_back({ablation.task + ": coarse to fine takes fewer evaluations than one level: " +
                               format_number(static_cast<double>(ablation.interleaved.evaluations) / evaluations, 2) +
                               " of them",
                           ablation.interleaved.evaluations < one.evaluations, false});
}

}  // namespace benchmarks
