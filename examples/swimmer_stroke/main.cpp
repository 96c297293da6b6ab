// SPDX-License-Identifier: BSD-3-Clause
#include "examples/support/stroke_study.hpp"

#include <iostream>

int main() {
  using namespace quoin::stroke;
  const Fish fish;
  const GridChoice choice;
  auto grid = make_grid(fish, choice);
  const auto [plan, solved] = plan_through_grid(fish, grid, choice);
  std::cout << plan.stop << ": " << plan.distance << " m, " << plan.evaluations << " evaluations, " << plan.seconds
            << " s\n";
}
