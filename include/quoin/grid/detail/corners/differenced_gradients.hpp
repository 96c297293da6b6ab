// SPDX-License-Identifier: BSD-3-Clause
// The last step to a missing corner of an f without derivatives: its gradient comes from the values around it.
#pragma once

#include "quoin/grid/detail/corners/jet_field.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/util/resize_strong.hpp"

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quoin::grid_detail {

/// A CornerSource: gradients by five-point differences of values along the lattice of the level, one-sided at the
/// bounds, central along periodic axes.
template <int Dim>
class DifferencedGradients {
 public:
  /// values: the field of f's values. Keeps references.
  DifferencedGradients(const Lattice<Dim>& lattice, JetField<Dim>& values) : lattice_(lattice), values_(values) {}

  void operator()(const Requester& requester, std::span<const Address<Dim>> addresses,
                  std::span<CornerSample<Dim>> samples) const {
    const Address<Dim> step = steps(requester.level);
    std::vector<Address<Dim>> nodes;
    for (const Address<Dim>& address : addresses) add_nodes(address, step, nodes);
    std::vector<const Corner*> corners(nodes.size());
    values_.require_corners(requester, nodes, corners);

    Eigen::MatrixXd value;
    std::size_t node = 0;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const Corner* failed = nullptr;
      bool straddling = false;
      for (std::size_t k = 0; k < 1 + points * Dim; ++k) {
        if (failed == nullptr && corners[node + k]->failed()) failed = corners[node + k];
        straddling = straddling || corners[node + k]->branch != corners[node]->branch;
      }
      samples[s].branch = straddling ? Corner::straddling : corners[node]->branch;
      if (failed != nullptr) {
        samples[s].retry = failed->may_pass();
        samples[s].reason = failed->key == corners[node]->key ? values_.failure(requester.level, *failed)
                                                              : values_.failure_at(requester.level, *failed);
      } else {
        values_.store(requester.level).unpack(*corners[node], value);
        Eigen::MatrixXd& jet = samples[s].jet;
        resize_strong(jet, values_.rows(), 1 + Dim);
        jet.setZero();
        jet.col(0) = value;
        for (unsigned i = 0; i < Dim; ++i) {
          const double h = lattice_.spacing(0)[i] * std::ldexp(static_cast<double>(step[i]), -lattice_.deepest_level());
          for (unsigned k = 0; k < points; ++k) {
            const double weight = weights[place(addresses[s], step, i)][k] / (12 * h);
            // Across branches there is no gradient: the nearest corner answers with its value.
            if (weight == 0 || straddling) continue;
            values_.store(requester.level).unpack(*corners[node + 1 + i * points + k], value);
            jet.col(1 + i) += weight * value;
          }
        }
      }
      node += 1 + points * Dim;
    }
  }

  /// The corners of values that one of gradients is made from.
  std::vector<Address<Dim>> nodes(int level, const Address<Dim>& address) const {
    std::vector<Address<Dim>> nodes;
    add_nodes(address, steps(level), nodes);
    return nodes;
  }

 private:
  // Of the differences, along each axis: those of a finer lattice if there are fewer than four cells.
  Address<Dim> steps(int level) const {
    Address<Dim> step;
    for (std::size_t i = 0; i < Dim; ++i) {
      step[i] = lattice_.stride(level);
      while (step[i] > 1 && lattice_.upper_address()[i] - lattice_.lower_address()[i] < 4 * step[i]) step[i] /= 2;
    }
    return step;
  }
  // Of the corner among the points along an axis.
  int place(const Address<Dim>& address, const Address<Dim>& step, std::size_t i) const {
    if (lattice_.periodic(i)) return 2;
    const std::int64_t below = (address[i] - lattice_.lower_address()[i]) / step[i];
    const std::int64_t above = (lattice_.upper_address()[i] - address[i]) / step[i];
    return static_cast<int>(below < 2 ? below : above < 2 ? 4 - above : 2);
  }
  // The corner itself, and then the points along each axis.
  void add_nodes(const Address<Dim>& address, const Address<Dim>& step, std::vector<Address<Dim>>& nodes) const {
    nodes.push_back(address);
    for (std::size_t i = 0; i < Dim; ++i)
      for (int k = 0; k < points; ++k) {
        Address<Dim> node = address;
        node[i] += (k - place(address, step, i)) * step[i];
        nodes.push_back(lattice_.wrapped(node));
      }
  }

  static constexpr int points = 5;
  // weights[m][k]: 12 h times the derivative at node m from the value at node k (Fornberg 1988, Table 3)
  static constexpr double weights[points][points] = {
      {-25, 48, -36, 16, -3}, {-3, -10, 18, -6, 1}, {1, -8, 0, 8, -1}, {-1, 6, -18, 10, 3}, {3, -16, 36, -48, 25}};

  const Lattice<Dim>& lattice_;
  JetField<Dim>& values_;
};

}  // namespace quoin::grid_detail
