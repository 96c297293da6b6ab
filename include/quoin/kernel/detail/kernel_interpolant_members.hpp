// SPDX-License-Identifier: BSD-3-Clause
// The members of KernelInterpolant, apart from the class as those of grids are (grid/detail/grid_members.hpp).
#pragma once

#ifndef QUOIN_LINKS_COMPILED_GRID
#include "quoin/kernel/detail/jet_correlation.hpp"
#include "quoin/kernel/detail/length_choice.hpp"
#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

template <int Dim>
KernelInterpolant<Dim>::KernelInterpolant(Eigen::Index output_size, int jet_order, const KernelOptions<Dim>& options)
    : samples_((check(output_size, jet_order, options), std::make_shared<const kernel_detail::KernelSamples<Dim>>(
                                                            output_size, jet_order, begun(options, jet_order)))),
      given_(options),
      view_(samples_) {}

template <int Dim>
std::string KernelInterpolant<Dim>::who(const char* function) {
  return "KernelInterpolant<" + to_text(Dim) + ">::" + function + ": ";
}

template <int Dim>
bool KernelInterpolant<Dim>::contains(const Point<Dim>& x) const {
  for (int s = 0; s < size(); ++s)
    if (point(s) == x) return true;
  return false;
}

template <int Dim>
void KernelInterpolant<Dim>::add(const Point<Dim>& x, const Eigen::MatrixXd& jet) {
  KernelInterpolant larger = *this;  // this one stays as it is if there is no memory
  larger.add_sample(x, jet);
  larger.view_ = KernelView<Dim>(larger.samples_);
  *this = std::move(larger);
}

template <int Dim>
Samples<Dim> KernelInterpolant<Dim>::samples() const {
  Samples<Dim> samples{.jet_order = jet_order()};
  samples.resize(output_size(), size());
  for (int s = 0; s < size(); ++s) {
    samples.points.col(s) = point(s);
    samples.jet(s) = samples_->jet(s);
  }
  return samples;
}

template <int Dim>
InsertedSamples KernelInterpolant<Dim>::insert(const Samples<Dim>& samples) {
  samples.check(output_size(), who("insert"));
  KernelInterpolant larger = *this;
  InsertedSamples use;
  StopCheck stop;
  for (Eigen::Index m = 0; m < samples.size(); ++m) {
    stop();
    if (samples.failed(m)) {
      ++(samples.retry[static_cast<std::size_t>(m)] ? use.to_retry : use.failed);
    } else if (samples.jet_order < jet_order()) {
      ++use.of_lower_order;
    } else if (larger.contains(samples.point(m))) {
      ++use.known;
    } else {
      larger.add_sample(samples.point(m), samples.jet(m).leftCols(samples_->derivatives()));
      ++use.used;
    }
  }
  if (use.used > 0) {
    larger.view_ = KernelView<Dim>(larger.samples_);
    *this = std::move(larger);
  }
  return use;
}

template <int Dim>
void KernelInterpolant<Dim>::check(Eigen::Index outputs, int order, const KernelOptions<Dim>& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("KernelOptions: " + what); };
  if (outputs < 1) refuse("for a map of " + to_text(outputs) + " outputs");
  if (order < 0 || order > kernel_detail::JetCorrelation<Dim>::largest_order)
    refuse("jets of order " + to_text(order) + ", expected 0 to 3");
  for (int i = 0; i < Dim; ++i) {
    if (!(options.length_scale[i] >= 0) || !std::isfinite(options.length_scale[i]))
      refuse("length_scale[" + to_text(i) + "] = " + to_text(options.length_scale[i]));
    if (!(options.lower[i] < options.upper[i]))
      refuse("lower[" + to_text(i) + "] = " + to_text(options.lower[i]) +
             " is not below upper = " + to_text(options.upper[i]));
  }
  if (!(options.jitter >= 1e-14) || !(options.jitter < 1))
    refuse("jitter = " + to_text(options.jitter) + " is not in [1e-14, 1)");
  if (options.localize_above < 0) refuse("localize_above = " + to_text(options.localize_above));
  const int all = begun(options, order).localize_above;
  if (options.neighbours < 0 || options.neighbours > all)
    refuse("neighbours = " + to_text(options.neighbours) + " is not in 1..localize_above = " + to_text(all) + ", or 0");
}

template <int Dim>
void KernelInterpolant<Dim>::add_sample(const Point<Dim>& x, const Eigen::MatrixXd& jet) {
  if (jet.rows() != output_size() || jet.cols() != samples_->derivatives())
    throw std::invalid_argument(who("add") + "a jet of " + shape_text(jet) + ", expected " + to_text(output_size()) +
                                " x " + to_text(samples_->derivatives()));
  if (!x.allFinite() || !jet.allFinite()) throw std::invalid_argument(who("add") + "a sample that is not finite");
  if (const double most = jet.cwiseAbs().maxCoeff(); most > largest_number)
    throw std::invalid_argument(who("add") + "a sample with a number of size " + to_text(most) +
                                ", on which sums of squares overflow; at most " + to_text(largest_number) +
                                " is allowed");
  if (contains(x)) throw std::invalid_argument(who("add") + "there is a sample at " + to_text(x) + " already");
  auto samples = std::make_shared<kernel_detail::KernelSamples<Dim>>(*samples_);
  samples->add(x, jet);
  if (!(given_.length_scale.array() > 0).all() && samples->size() >= next_choice_) {
    *samples = with_length(*samples, kernel_detail::LengthChoice<Dim>(*samples, given_.length_scale).chosen());
    next_choice_ = samples->size() + (samples->size() + 1) / 2;
  }
  samples_ = std::move(samples);
}

template <int Dim>
KernelOptions<Dim> KernelInterpolant<Dim>::begun(KernelOptions<Dim> options, int order) {
  const int derivatives = jet_size(Dim, order);
  if (options.localize_above == 0) options.localize_above = std::max(200, 1000 / derivatives);
  if (options.neighbours == 0) options.neighbours = std::min(std::max(40, 200 / derivatives), options.localize_above);
  const Point<Dim> domain = (options.upper - options.lower) / 2;
  for (int i = 0; i < Dim; ++i)
    if (options.length_scale[i] == 0) options.length_scale[i] = std::isfinite(domain[i]) ? domain[i] : 1;
  return options;
}

}  // namespace quoin
#endif
