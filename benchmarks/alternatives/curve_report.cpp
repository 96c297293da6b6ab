// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/curve_report.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace benchmarks {
namespace {

const std::array<std::string, targets.size()> target_names{"1e-2", "1e-4", "1e-6"};

}  // namespace

void add_rows(Report& report, const Workload& w, const std::vector<Curve>& curves) {
  for (const Curve& curve : curves) {
    studies::figures::ResultRow row;
    row.set("workload", w.name).set("dim", w.f.dim).set("method", curve.method);
    const long most = curve.members.empty() ? 0 : curve.members.back().evaluations;
    for (std::size_t t = 0; t < targets.size(); ++t)
      for (const bool of_value : {true, false}) {
        const Member* member = curve.reaching(targets[t], of_value ? &Member::value_error : &Member::jacobian_error);
        const std::string key = std::string(of_value ? "value_" : "jacobian_") + target_names[t];
        if (member)
          row.set(key, member->evaluations);
        else
          row.set(key, most > 0 ? "> " + to_text(most) : std::string("over budget"));
      }
    if (const Member* member = curve.reaching(1e-4, &Member::value_error)) {
      row.set("query_us", 1e6 * member->query_seconds);
      row.set("values_1e-4", member->evaluations * curve.values_per_evaluation);
    }
    std::vector<double> evaluations, values, jacobians, microseconds;
    for (const Member& member : curve.members) {
      evaluations.push_back(static_cast<double>(member.evaluations));
      values.push_back(member.value_error);
      jacobians.push_back(member.jacobian_error);
      microseconds.push_back(1e6 * member.query_seconds);
    }
    row.set("values_per_evaluation", curve.values_per_evaluation)
        .set("evaluations", evaluations)
        .set("value_errors", values)
        .set("jacobian_errors", jacobians)
        .set("query_microseconds", microseconds);
    report.results.add(std::move(row));
  }
}

}  // namespace benchmarks
