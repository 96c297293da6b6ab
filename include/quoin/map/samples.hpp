// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin {

/// What a function of N outputs answered at M points, as arrays: read from a grid or a kernel by their samples(), given
/// to another by insert().
///
///   const Samples<4> known = coarse.samples();
///   known.points;             // Dim x M
///   known.jet(m);             // N x C(Dim + K, K), plain derivatives in graded lexicographic order
///   const InsertedSamples use = fine.insert(known);
template <int Dim>
struct Samples {
  int jet_order = 1;  ///< K
  /// Gradients are to be differenced from values on the lattice (exact_function_without_derivatives); K is 0.
  bool difference_gradients = false;
  Eigen::Matrix<double, Dim, Eigen::Dynamic> points = {};  ///< Dim x M
  /// N x (M C(Dim + K, K)), the jets side by side; NaN where the function failed.
  Eigen::MatrixXd jets = {};
  std::vector<int> branches = {};         ///< the function's labels
  std::vector<std::string> reasons = {};  ///< of failures; empty where there was none
  std::vector<bool> retry = {};           ///< the failure may pass (RetryableFailure)
  std::vector<double> seconds = {};       ///< spent in the function

  /// M, the number of points.
  Eigen::Index size() const { return points.cols(); }
  Eigen::Index output_size() const { return jets.rows(); }
  /// Columns of each jet, C(Dim + K, K).
  int derivatives() const { return jet_size(Dim, jet_order); }
  /// Of sample m, 0 to M - 1.
  Point<Dim> point(Eigen::Index m) const { return points.col(m); }
  /// Of sample m: N x C(Dim + K, K), NaN where the function failed.
  auto jet(Eigen::Index m) const { return jets.middleCols(m * derivatives(), derivatives()); }
  auto jet(Eigen::Index m) { return jets.middleCols(m * derivatives(), derivatives()); }
  /// Whether the function failed at point m; reasons[m] says why.
  bool failed(Eigen::Index m) const { return !reasons[static_cast<std::size_t>(m)].empty(); }

  /// Room for this many samples: points and jets of NaN, no failure, no time.
  void resize(Eigen::Index outputs, Eigen::Index samples) {
    points.setConstant(Dim, samples, std::numeric_limits<double>::quiet_NaN());
    jets.setConstant(outputs, samples * derivatives(), std::numeric_limits<double>::quiet_NaN());
    const auto count = static_cast<std::size_t>(samples);
    branches.assign(count, 0);
    reasons.assign(count, {});
    retry.assign(count, false);
    seconds.assign(count, 0.0);
  }

  /// Throws std::invalid_argument, with the numbers, if the arrays do not fit together, or to `outputs`, or if a sample
  /// that did not fail is not finite. who: begins the message.
  void check(Eigen::Index outputs, const std::string& who) const {
    const auto refuse = [&](const std::string& what) { throw std::invalid_argument(who + ": " + what); };
    if (jet_order < 0 || jet_order > 3) refuse("samples of jet order " + to_text(jet_order) + ", expected 0 to 3");
    if (jets.rows() != outputs) refuse("samples of " + to_text(jets.rows()) + " outputs, expected " + to_text(outputs));
    if (jets.cols() != size() * derivatives())
      refuse("jets of " + to_text(jets.cols()) + " columns for " + to_text(size()) + " points of " +
             to_text(derivatives()) + " derivatives");
    const auto has_all = [&](const char* name, std::size_t count) {
      if (count != static_cast<std::size_t>(size()))
        refuse(to_text(count) + " " + name + " for " + to_text(size()) + " points");
    };
    has_all("branches", branches.size());
    has_all("reasons", reasons.size());
    has_all("retry flags", retry.size());
    has_all("seconds", seconds.size());
    for (Eigen::Index m = 0; m < size(); ++m) {
      if (!points.col(m).allFinite()) refuse("point " + to_text(m) + " is " + to_text(point(m)));
      if (!failed(m) && !jet(m).allFinite()) refuse("the jet at " + to_text(point(m)) + " is not finite");
    }
  }
};

/// What became of samples that were inserted. Their sum is the number of samples.
struct InsertedSamples {
  std::size_t used = 0;            ///< kept; permanent failures too
  std::size_t known = 0;           ///< at points that were there, or that are being evaluated
  std::size_t off_lattice = 0;     ///< at points that are no corners of any level, or outside the domain
  std::size_t of_lower_order = 0;  ///< without derivatives that are needed here
  std::size_t to_retry = 0;        ///< failures that may pass: they are tried here when they are asked for
  std::size_t failed = 0;          ///< failures that a kernel has no use for
};

}  // namespace quoin
