// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

/// Where the entries of a tree's n x n matrices are zero, for code that forms eight of them at a time.
namespace quoin::rigid_body::detail {

inline constexpr int pack_size = 8;

/// Eight numbers in a line of the cache.
template <class T>
struct alignas(64) Eight {
  T at[pack_size];
};

/// How a joint stands to eight others in a row.
struct Meeting {
  bool together = false;  ///< it is on a tree with some of them
  bool carries = false;   ///< it carries some, itself not counted
  bool carried = false;   ///< some carry it, or are itself
};

/// Which joints a joint carries, and which carry it: of the tree alone.
template <class T>
struct ColumnMasks {
  int packs = 0;
  std::vector<Eight<T>> below, carriers;  ///< n x packs, ones and zeros; a joint is among its own carriers
  std::vector<T> unit;                    ///< 15 zeros about a one
  std::vector<Meeting> meetings;          ///< packs x n

  explicit ColumnMasks(const RigidBodyTree& tree) : packs((tree.joints() + pack_size - 1) / pack_size) {
    const int n = tree.joints();
    Eight<T> none;
    std::fill(none.at, none.at + pack_size, T(0.0));
    below.assign(static_cast<std::size_t>(n * packs), none);
    carriers = below;
    unit.assign(2 * pack_size - 1, T(0.0));
    unit[pack_size - 1] = T(1.0);
    meetings.assign(static_cast<std::size_t>(packs * n), {});
    std::vector<int> root(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k)
      root[static_cast<std::size_t>(k)] = tree.parent(k) < 0 ? k : root[static_cast<std::size_t>(tree.parent(k))];
    const auto meeting = [&](int k, int j) -> Meeting& {
      return meetings[static_cast<std::size_t>(j / pack_size * n + k)];
    };
    const auto entry = [&](std::vector<Eight<T>>& mask, int k, int j) -> T& {
      return mask[static_cast<std::size_t>(k * packs + j / pack_size)].at[j % pack_size];
    };
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j)
        if (root[static_cast<std::size_t>(k)] == root[static_cast<std::size_t>(j)]) meeting(k, j).together = true;
      for (int j = k; j >= 0; j = tree.parent(j)) {
        entry(carriers, k, j) = T(1.0);
        meeting(k, j).carried = true;
        if (j == k) continue;
        entry(below, j, k) = T(1.0);
        meeting(j, k).carries = true;
      }
    }
  }
};

}  // namespace quoin::rigid_body::detail
