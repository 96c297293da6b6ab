// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/robots/geometry/closest.hpp"
#include "testing/robots/closest_reference.hpp"

#include <cstddef>
#include <vector>

namespace benchmarks {

constexpr int pairs_apart = 256;

/// Pairs of a capsule with another or with a box, apart by at least 0.01 m.
template <class Other>
struct PairsApart {
  std::vector<Capsule> first;
  std::vector<Other> second;
  double sum = 0;

  template <class DrawOther>
  PairsApart(quoin::test::Random& random, DrawOther&& other) {
    while (static_cast<int>(first.size()) < pairs_apart) {
      const Capsule one = random.capsule(1);
      const Other two = other();
      if (closest(one, two).distance < 0.01) continue;
      first.push_back(one);
      second.push_back(two);
    }
  }
  void measure() {
    for (std::size_t i = 0; i < first.size(); ++i) sum += closest(first[i], second[i]).distance;
  }
};

}  // namespace benchmarks
