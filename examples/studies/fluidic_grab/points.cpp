// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/points.hpp"

#include "examples/studies/figures/json_results.hpp"

namespace studies::grab {

void write_points(const std::filesystem::path& file, const std::vector<Points>& all) {
  figures::JsonResults rows;
  for (const Points& points : all) {
    const auto x = points.at.row(0), z = points.at.row(1);
    rows.add(figures::ResultRow()
                 .set("kind", points.kind)
                 .set("name", points.name)
                 .set("time", points.time)
                 .set("x", std::vector<double>(x.begin(), x.end()))
                 .set("z", std::vector<double>(z.begin(), z.end())));
  }
  rows.write(file);
}

}  // namespace studies::grab
