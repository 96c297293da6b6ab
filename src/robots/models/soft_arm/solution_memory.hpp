// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "equilibrium.hpp"
#include "quoin/util/at_fork.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

/// The latest equilibria and, for the most recent ones, their higher derivatives. Safe to use from many threads.
template <int D>
class SolutionMemory {
 public:
  SolutionMemory(int solutions, int jets)
      : most_solutions_(static_cast<std::size_t>(std::max(solutions, 0))),
        most_jets_(static_cast<std::size_t>(std::max(jets, 0))) {}

  /// The remembered equilibrium nearest to alpha; null if there is none.
  KnownEquilibrium<D> nearest(const Point<line_count<D>>& alpha) const {
    const std::lock_guard lock(mutex_);
    const KnownEquilibrium<D>* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& known : ring_)
      if (const double distance = (known.equilibrium->alpha - alpha).squaredNorm(); distance < least) {
        least = distance;
        best = &known;
      }
    return best ? *best : KnownEquilibrium<D>{};
  }

  /// Two Taylor polynomials to predict from, the second if it lies on the line through alpha and the first.
  struct Known {
    KnownEquilibrium<D> first, second;
  };

  /// The best there are for alpha: the first at most `reach` away in every control, and not at alpha itself. Their
  /// errors are of third order in the distance to it, of which two multiply. None if an equilibrium lies so near that
  /// its tangent is the better start.
  Known polynomials(const Point<line_count<D>>& alpha, double reach) const {
    const std::lock_guard lock(mutex_);
    const KnownEquilibrium<D>*first = nullptr, *second = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t a : with_jet_) {
      const Point<line_count<D>> way = alpha - ring_[a].equilibrium->alpha;
      if (way.template lpNorm<Eigen::Infinity>() > reach * (1 + 1e-9)) continue;
      const double distance = way.norm();
      if (distance < least) {
        least = distance;
        first = &ring_[a];
        second = nullptr;
      }
      for (const std::size_t b : with_jet_) {
        const Point<line_count<D>> other = alpha - ring_[b].equilibrium->alpha;
        const double apart = other.norm(), product = distance * apart / branch_length;
        if (b == a || !(product < least) || apart < distance) continue;
        if (std::abs(std::abs(way.dot(other)) - distance * apart) > 1e-12 * distance * apart) continue;
        least = product;
        first = &ring_[a];
        second = &ring_[b];
      }
    }
    if (!first) return {};
    for (const auto& known : ring_)
      if (tangent_reach * (alpha - known.equilibrium->alpha).norm() < least) return {};
    return {*first, second ? *second : KnownEquilibrium<D>{}};
  }

  /// If the equilibrium is stored already, adds its higher derivatives.
  void remember(KnownEquilibrium<D> known) {
    const std::lock_guard lock(mutex_);
    if (most_solutions_ == 0) return;
    std::size_t slot = 0;
    while (slot < ring_.size() && ring_[slot].equilibrium != known.equilibrium) ++slot;
    if (slot == ring_.size()) {
      if (ring_.size() == most_solutions_) {
        slot = next_;
        next_ = (next_ + 1) % ring_.size();
      } else {
        ring_.emplace_back();
      }
    }
    ring_[slot].equilibrium = std::move(known.equilibrium);
    ring_[slot].taylor.reset();
    std::erase(with_jet_, slot);  // of the equilibrium that stood there before, perhaps
    if (!known.taylor || most_jets_ == 0) return;
    with_jet_.push_back(slot);
    if (with_jet_.size() > most_jets_) {
      ring_[with_jet_.front()].taylor.reset();
      with_jet_.pop_front();
    }
    ring_[slot].taylor = std::move(known.taylor);
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    ring_.clear();
    with_jet_.clear();
    next_ = 0;
  }

 private:
  // Change of the controls over which a branch's terms of higher order become as large as the linear one: beyond it a
  // second polynomial is no help.
  static constexpr double branch_length = 2.5;
  static constexpr double tangent_reach = 4;  // times as far a Taylor polynomial is as good as a tangent

  const std::size_t most_solutions_, most_jets_;
  mutable ForkSafeMutex mutex_;
  std::vector<KnownEquilibrium<D>> ring_;
  std::deque<std::size_t> with_jet_;  // slots, the oldest first
  std::size_t next_ = 0;
};

}  // namespace quoin::soft_arm
