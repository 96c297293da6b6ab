// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"

#include <Eigen/Core>

#include <atomic>
#include <memory>

namespace studies::stroke {

/// The added mass by boundary elements, with a count of its evaluations that copies share.
class CountedWater {
 public:
  explicit CountedWater(const swimmer::AddedMass<joints>& water) : water_(water) {}
  Eigen::Index output_size() const { return water_.output_size(); }
  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y) const {
    ++*count_;
    return water_.evaluate(q, y);
  }
  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    ++*count_;
    return water_.evaluate(q, y, J);
  }
  long count() const { return *count_; }

 private:
  swimmer::AddedMass<joints> water_;
  std::shared_ptr<std::atomic<long>> count_ = std::make_shared<std::atomic<long>>(0);
};

}  // namespace studies::stroke
