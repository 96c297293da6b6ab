// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/leaving_the_box.hpp"

#include "benchmarks/alternatives/box_methods.hpp"
#include "benchmarks/alternatives/curve.hpp"
#include "examples/studies/figures/json_results.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace benchmarks {

std::string leaving_table(const std::vector<std::pair<std::string, SampledFunction>>& functions, const Sizes& sizes) {
  studies::figures::JsonResults rows;
  const std::array<std::pair<double, std::string>, 3> shares{{{0.1, "10 %"}, {0.25, "25 %"}, {0.5, "50 %"}}};
  for (const auto& [name, f] : functions) {
    const Box box = cube(f.dim, 0, 1);
    const Workload inside = with_tests(
        {name, f, box, halton_points(box, sizes.tests), false, 1, sizes.budget, sizes.most_rows}, sizes.tests);
    std::vector<Workload> outside;
    for (const auto& [share, text] : shares) {
      Eigen::MatrixXd points = halton_points(cube(f.dim, -0.5, 0.5), 100);
      for (auto point : points.colwise()) {
        point *= (0.5 + share) / point.cwiseAbs().maxCoeff();
        point.array() += 0.5;
      }
      outside.push_back(with_tests({name, f, box, points, true, 1, sizes.budget, sizes.most_rows}, 100));
    }
    std::vector<Method> methods{chebyshev(inside), sparse_grid(inside), polynomial(inside),
                                kriging(inside, true, false)};
    for (Method& method : methods)
      while (const std::optional<Stage> stage = method.next()) {
        const Member member = measure(inside, *stage);
        if (member.value_error > 1e-4) continue;
        studies::figures::ResultRow row;
        row.set("function", name).set("method", method.name).set("evaluations", stage->evaluations);
        row.set("inside", member.value_error);
        for (std::size_t s = 0; s < shares.size(); ++s)
          row.set(shares[s].second, measure(outside[s], *stage).value_error);
        rows.add(std::move(row));
        break;
      }
  }
  return rows.markdown({{"function"},
                        {"method"},
                        {"evaluations"},
                        {"inside", "error in the box", 2},
                        {"10 %", "10 % of the edge outside", 2},
                        {"25 %", "", 2},
                        {"50 %", "", 2}});
}

}  // namespace benchmarks
