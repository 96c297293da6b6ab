// SPDX-License-Identifier: BSD-3-Clause
// The nearest solved corner, for an f that starts from a neighbour's solution.
#pragma once

#include "quoin/grid/detail/corners/corner_store.hpp"
#include "quoin/map/point.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Finds the corner nearest to a point among those of a store that did not fail: k-d trees of 2^k corners each, merged
/// as corners come (Bentley, Saxe 1980: decomposable searching problems). With n corners it costs O(log^2 n) to add
/// one, and O(log^2 n) to search.
template <int Dim>
class NearestCorner {
 public:
  /// Adds the corners that have come to the store since the last call. point(corner): position in units of the metric.
  template <class PointOf>
  void take_in(const CornerStore& store, PointOf&& point) {
    for (; taken_ < store.records().size(); ++taken_) {
      const Corner& corner = store.records()[taken_];
      if (!corner.failed()) add({point(corner), &corner});
    }
  }

  /// nullptr if there is none. Of several at the same distance the one with the least key.
  const Corner* find(const Point<Dim>& x) const {
    Best best;
    for (const Tree& tree : trees_) search(tree, 0, tree.size(), 0, x, best);
    return best.corner;
  }

  void clear() noexcept {
    trees_.clear();
    taken_ = 0;
  }

 private:
  struct Node {
    Point<Dim> x;
    const Corner* corner;
  };
  // The middle node of any run splits the others along the axis of its depth.
  using Tree = std::vector<Node>;
  struct Best {
    const Corner* corner = nullptr;
    double distance2 = std::numeric_limits<double>::infinity();
  };

  // Tree k is empty or holds 2^k nodes, as the digits of a binary number: adding a node carries.
  void add(Node node) {
    std::size_t carry = 0;
    while (carry < trees_.size() && !trees_[carry].empty()) ++carry;
    Tree merged;
    merged.reserve(std::size_t{1} << carry);
    merged.push_back(node);
    for (std::size_t k = 0; k < carry; ++k) merged.insert(merged.end(), trees_[k].begin(), trees_[k].end());
    build(merged, 0, merged.size(), 0);
    if (carry == trees_.size()) trees_.emplace_back();
    for (std::size_t k = 0; k < carry; ++k) trees_[k] = Tree();
    trees_[carry] = std::move(merged);
  }

  static void build(Tree& tree, std::size_t first, std::size_t last, int axis) {
    if (last - first < 2) return;
    const std::size_t middle = first + (last - first) / 2;
    const auto at = [&](std::size_t i) { return tree.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(first), at(middle), at(last),
                     [axis](const Node& a, const Node& b) { return a.x[axis] < b.x[axis]; });
    build(tree, first, middle, (axis + 1) % Dim);
    build(tree, middle + 1, last, (axis + 1) % Dim);
  }

  static void search(const Tree& tree, std::size_t first, std::size_t last, int axis, const Point<Dim>& x, Best& best) {
    if (first >= last) return;
    const std::size_t middle = first + (last - first) / 2;
    const Node& node = tree[middle];
    const double distance2 = (node.x - x).squaredNorm();
    if (distance2 < best.distance2 || (distance2 == best.distance2 && node.corner->key < best.corner->key))
      best = {node.corner, distance2};
    const double beyond = x[axis] - node.x[axis];
    const int next = (axis + 1) % Dim;
    const auto left = [&] { search(tree, first, middle, next, x, best); };
    const auto right = [&] { search(tree, middle + 1, last, next, x, best); };
    if (beyond < 0)
      left();
    else
      right();
    if (beyond * beyond > best.distance2) return;
    if (beyond < 0)
      right();
    else
      left();
  }

  std::vector<Tree> trees_;
  std::size_t taken_ = 0;
};

}  // namespace quoin::grid_detail
