// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/collision_model.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin {
namespace {

bool share_a_point(const CollisionBody& one, const CollisionBody& other) {
  return one.first == other.first || one.first == other.second || one.second == other.first ||
         one.second == other.second;
}

// Which bodies lie fewer than `steps` from `start`.
std::vector<char> closer_than(int steps, std::size_t start, const std::vector<CollisionBody>& bodies) {
  std::vector<char> reached(bodies.size(), 0);
  std::vector<std::size_t> rim = {start}, next;
  reached[start] = 1;
  for (int step = 1; step < steps && !rim.empty(); ++step, rim.swap(next)) {
    next.clear();
    for (const std::size_t at : rim)
      for (std::size_t i = 0; i < bodies.size(); ++i)
        if (!reached[i] && share_a_point(bodies[at], bodies[i])) {
          reached[i] = 1;
          next.push_back(i);
        }
  }
  return reached;
}

}  // namespace

std::vector<std::array<int, 2>> bodies_apart(const std::vector<CollisionBody>& bodies, int steps) {
  if (steps < 1) throw std::invalid_argument("bodies_apart: steps = " + to_text(steps) + ", it must be at least 1");
  std::vector<std::array<int, 2>> pairs;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto close = closer_than(steps, i, bodies);
    for (std::size_t j = i + 1; j < bodies.size(); ++j)
      if (!close[j]) pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
  }
  return pairs;
}

}  // namespace quoin
