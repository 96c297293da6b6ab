// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/kernel/detail/leave_one_out.hpp"
#include "quoin/kernel/kernel_options.hpp"
#include "quoin/map/answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace quoin {

/// What turns a deviation into an estimate of the errors: the samples' own errors where each is left out in turn. The
/// estimate is safety() * value * sigma, `value` being the largest error / sigma of a sample that the others predict.
///
/// It is stated where samples like it have tested it: where the deviation is at most twice what the fourth of the
/// samples had that were left out, from the largest on, and x is as near to the samples as these are to each other, in
/// that direction (kernel_detail::SampleClusters). Elsewhere answers are unchecked.
///
/// The safety was chosen on random functions, smooth ones and others, so that at most 1 % of errors exceed what is
/// called estimated (docs/notes/kernel.md has how many did on functions that had no part in the choice).
struct KernelCalibration {
  static constexpr int fewest = 3;   ///< samples; with fewer nothing is known of the error
  static constexpr int enough = 12;  ///< samples; with fewer an estimate is no more than an indication

  int samples = 0;  ///< that were left out in turn; those that are next to each other count once
  /// The largest error / sigma of a value; NaN with too few samples.
  double value = std::numeric_limits<double>::quiet_NaN();
  double gradient = std::numeric_limits<double>::quiet_NaN();  ///< of derivatives times length scales

  /// The largest of few errors says less of those in between.
  double safety() const { return 3 + std::pow(90.0 / samples, 1.5); }

  double tested_deviation = 0;  ///< the fourth largest sigma of a value that was left out; of fewer, the smallest

  /// length: the smallest length scale; in_reach: of the samples.
  Answer answer(const KernelDeviation& deviation, double length, bool in_reach) const {
    if (samples < fewest || !in_reach || !(deviation.value <= 2 * tested_deviation)) return {};
    // Where all samples say the same, as far from a jump, none has tested anything.
    const bool tested = samples >= enough && value > 0;
    return {.trust = tested ? Trust::estimated : Trust::indicated,
            .error = safety() * value * deviation.value,
            .jacobian_error = safety() * gradient * deviation.gradient / length};
  }
};

namespace kernel_detail {
/// jet_order: of the samples; without derivatives no gradient was predicted.
inline KernelCalibration calibrate(const std::vector<LeftOutSample>& left_out, int jet_order) {
  const auto ratio = [](const LeftOut& sample) { return sample.error / sample.sigma; };
  KernelCalibration calibration{.samples = static_cast<int>(left_out.size()), .value = 0};
  if (jet_order > 0) calibration.gradient = 0;
  std::vector<double> sigmas;
  for (const LeftOutSample& sample : left_out) {
    calibration.value = std::max(calibration.value, ratio(sample.value));
    if (jet_order > 0) calibration.gradient = std::max(calibration.gradient, ratio(sample.gradient));
    sigmas.push_back(sample.value.sigma);
  }
  std::sort(sigmas.rbegin(), sigmas.rend());
  if (!sigmas.empty()) calibration.tested_deviation = sigmas[std::min<std::size_t>(3, sigmas.size() - 1)];
  return calibration;
}
}  // namespace kernel_detail

}  // namespace quoin
