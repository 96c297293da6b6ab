// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/volume_history.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::fluidic_arm {

using Eigen::Index;
using Eigen::VectorXd;

VolumeHistory::VolumeHistory(std::vector<LinearSystem> cylinders, double sample_time)
    : cylinders_(std::move(cylinders)) {
  if (!(sample_time > 0)) throw std::invalid_argument("VolumeHistory: a sample time of " + to_text(sample_time) + " s");
  knots_per_sample_ = std::max(1, static_cast<int>(std::lround(sample_time / 1e-3)));
  knot_time_ = sample_time / knots_per_sample_;
  for (const LinearSystem& cylinder : cylinders_) {
    steps_.push_back(discretized(cylinder, knot_time_));
    states_.push_back(VectorXd::Zero(cylinder.A.rows()));
  }
  const VectorXd zero = VectorXd::Zero(static_cast<Index>(cylinders_.size()));
  knots_.push_back({zero, zero, zero});
}

VectorXd VolumeHistory::rates(const VectorXd& reference) const {
  VectorXd all(reference.size());
  for (std::size_t i = 0; i < cylinders_.size(); ++i)
    all[static_cast<Index>(i)] =
        (cylinders_[i].C * (cylinders_[i].A * states_[i] + cylinders_[i].B * reference[static_cast<Index>(i)]))(0);
  return all;
}

VectorXd VolumeHistory::volumes() const {
  VectorXd all(static_cast<Index>(cylinders_.size()));
  for (std::size_t i = 0; i < cylinders_.size(); ++i) all[static_cast<Index>(i)] = (cylinders_[i].C * states_[i])(0);
  return all;
}

void VolumeHistory::advance(const VectorXd& reference) {
  if (reference.size() != static_cast<Index>(cylinders_.size()))
    throw std::invalid_argument("VolumeHistory::advance: " + to_text(reference.size()) + " references for " +
                                to_text(cylinders_.size()) + " cylinders");
  knots_.back().after = rates(reference);
  for (int k = 0; k < knots_per_sample_; ++k) {
    for (std::size_t i = 0; i < cylinders_.size(); ++i)
      states_[i] = (steps_[i].A * states_[i] + steps_[i].B * reference[static_cast<Index>(i)]).eval();
    const VectorXd rate = rates(reference);
    knots_.push_back({volumes(), rate, rate});
  }
}

void VolumeHistory::at(double time, VectorXd& volumes, VectorXd& rates) const {
  const double place = time / knot_time_;
  if (place <= 0 || (knots_.size() == 1 && place <= 1e-6)) {
    volumes = rates = VectorXd::Zero(knots_[0].volumes.size());
    return;
  }
  const auto last = static_cast<double>(knots_.size() - 1);
  if (place > last + 1e-6)
    throw std::invalid_argument("VolumeHistory::at: " + to_text(time) + " s, but it ends at " + to_text(this->time()) +
                                " s");
  const auto k = static_cast<std::size_t>(std::max(0., std::min(std::floor(place), last - 1)));
  const Knot &a = knots_[k], &b = knots_[k + 1];
  const double t = std::min(place - static_cast<double>(k), 1.), h = knot_time_;
  volumes = (1 - t) * (1 - t) * (1 + 2 * t) * a.volumes + t * t * (3 - 2 * t) * b.volumes +
            h * t * (1 - t) * ((1 - t) * a.after - t * b.before);
  rates = 6 * t * (1 - t) / h * (b.volumes - a.volumes) + (1 - t) * (1 - 3 * t) * a.after + t * (3 * t - 2) * b.before;
}

}  // namespace quoin::fluidic_arm
