// SPDX-License-Identifier: BSD-3-Clause
// The members of KernelView, apart from the class as those of grids are (grid/detail/grid_members.hpp).
#pragma once

#ifndef QUOIN_LINKS_COMPILED_GRID
#include "quoin/kernel/detail/leave_one_out.hpp"
#include "quoin/kernel/detail/sample_clusters.hpp"
#include "quoin/kernel/detail/sampled_surface.hpp"
#include "quoin/kernel/kernel_view.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

template <int Dim>
struct KernelView<Dim>::Coefficients {
  std::once_flag made;
  Eigen::MatrixXd matrix;  // rows x (members * derivatives)
  KernelCalibration calibration;
  std::optional<kernel_detail::SampleClusters<Dim>> clusters;  // with a calibration
  std::optional<kernel_detail::SampledSurface<Dim>> surface;   // as clusters
};

template <int Dim>
struct KernelView<Dim>::Outputs {
  Eigen::Index rows = 0;
  bool estimated = false;  // these are all outputs, whose errors have a norm
  Eigen::VectorXd offset;
  std::vector<std::shared_ptr<const Eigen::MatrixXd>> jets;
  std::vector<Coefficients> coefficients;  // per patch
};

template <int Dim>
KernelView<Dim>::KernelView(std::shared_ptr<const kernel_detail::KernelSamples<Dim>> samples)
    : samples_(std::move(samples)), outputs_(std::make_shared<Outputs>()) {
  outputs_->estimated = true;
  outputs_->rows = samples_->rows();
  outputs_->offset = samples_->offset();
  outputs_->jets = samples_->jets();
  outputs_->coefficients = std::vector<Coefficients>(static_cast<std::size_t>(samples_->patch_count()));
}

template <int Dim>
Eigen::Index KernelView<Dim>::output_size() const {
  return outputs_->rows;
}

template <int Dim>
Eigen::MatrixXd& KernelView<Dim>::scratch(int which) {
  thread_local Eigen::MatrixXd buffers[2];
  return buffers[which];
}

template <int Dim>
std::string KernelView<Dim>::who(const char* function) {
  return "KernelView<" + to_text(Dim) + ">::" + function + ": ";
}

template <int Dim>
KernelCalibration KernelView<Dim>::calibration(const Point<Dim>& x) const {
  if (samples_->size() == 0) return {};
  const int index = samples_->patch_index(x);
  return coefficients(index, samples_->patch(index)).calibration;
}

template <int Dim>
KernelView<Dim> KernelView<Dim>::linear_output(const Eigen::MatrixXd& C) const {
  if (C.cols() != output_size() || C.rows() < 1)
    throw std::invalid_argument(who("linear_output") + "C is " + shape_text(C) + ", the map has " +
                                to_text(output_size()) + " outputs");
  KernelView functional(*this);
  functional.outputs_ = std::make_shared<Outputs>();
  functional.outputs_->rows = C.rows();
  if (samples_->size() > 0) functional.outputs_->offset = C * outputs_->offset;
  for (const auto& jet : outputs_->jets)
    functional.outputs_->jets.push_back(std::make_shared<const Eigen::MatrixXd>(C * *jet));
  functional.outputs_->coefficients = std::vector<Coefficients>(outputs_->coefficients.size());
  return functional;
}

template <int Dim>
KernelDeviation KernelView<Dim>::deviation(const Point<Dim>& x) const {
  return samples_->size() == 0 ? KernelDeviation{} : samples_->deviation(x, scratch(1));
}

template <int Dim>
std::vector<Answer> KernelView<Dim>::estimates(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  const std::vector<KernelDeviation> deviations = samples_->deviations(X);
  std::vector<Answer> all;
  all.reserve(deviations.size());
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    if (samples_->size() == 0) return std::vector<Answer>(deviations.size());
    const int index = samples_->patch_index(X.col(m));
    const Coefficients& made = coefficients(index, samples_->patch(index));
    all.push_back(estimate(made, X.col(m), deviations[static_cast<std::size_t>(m)]));
  }
  return all;
}

template <int Dim>
const typename KernelView<Dim>::Coefficients& KernelView<Dim>::coefficients(int index, const Patch& patch) const {
  Coefficients& c = outputs_->coefficients[static_cast<std::size_t>(index)];
  std::call_once(c.made, [&] {
    c.matrix = samples_->coefficients(patch, outputs_->jets);
    if (!outputs_->estimated) return;
    c.clusters = samples_->clusters(patch);
    c.surface.emplace(c.clusters->firsts());
    c.calibration =
        kernel_detail::calibrate(kernel_detail::leave_clusters_out<Dim>(patch.factor, patch.inverse, c.matrix,
                                                                        c.clusters->members(), samples_->norm()),
                                 samples_->order());
  });
  return c;
}

template <int Dim>
Answer KernelView<Dim>::estimate(const Coefficients& made, const Point<Dim>& x,
                                 const KernelDeviation& deviation) const {
  const Point<Dim>& length = samples_->options().length_scale;
  const Point<Dim> scaled = x.cwiseQuotient(length);
  const bool in_reach = made.clusters && made.clusters->reach(scaled) && made.surface->holds(scaled);
  return made.calibration.answer(deviation, length.minCoeff(), in_reach);
}

template <int Dim>
Answer KernelView<Dim>::answer(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, bool throwing,
                               Eigen::MatrixXd* H) const {
  const KernelOptions<Dim>& options = samples_->options();
  for (int i = 0; i < Dim; ++i)
    if (!(x[i] >= options.lower[i] && x[i] <= options.upper[i]) || !std::isfinite(x[i])) {
      if (!throwing) return {.trust = Trust::outside};
      throw DomainError(who("evaluate") + "x[" + to_text(i) + "] = " + to_text(x[i]) + " is outside the domain, " +
                        to_text(options.lower[i]) + " to " + to_text(options.upper[i]));
    }
  if (samples_->size() == 0) {
    if (!throwing) return {.trust = Trust::failed};
    throw CornerFailure(who("evaluate") + "there is no sample yet");
  }
  const int index = samples_->patch_index(x);
  const Patch& patch = samples_->patch(index);
  const Coefficients& made = coefficients(index, patch);
  const Eigen::MatrixXd& c = made.matrix;
  Eigen::MatrixXd& k = scratch(0);
  resize_strong(k, c.cols(), H ? jet_size(Dim, 2) : J ? 1 + Dim : 1);
  samples_->correlate(patch, x, k);
  resize_strong(y, outputs_->offset.size());
  y = outputs_->offset;
  y.noalias() += c * k.col(0);
  if (J) {
    for (int j = 0; j < Dim; ++j) k.col(1 + j) /= options.length_scale[j];
    resize_strong(*J, c.rows(), Dim);
    J->noalias() = c * k.template middleCols<Dim>(1);
  }
  if (H) {
    const Eigen::VectorXd scales = samples_->second_derivative_scales();
    resize_strong(*H, c.rows(), scales.size());
    H->noalias() = c * k.rightCols(scales.size()) * scales.cwiseInverse().asDiagonal();
    k.conservativeResize(Eigen::NoChange, 1 + Dim);
  }
  if (made.calibration.samples < KernelCalibration::fewest) return {};
  if (J)
    for (int j = 0; j < Dim; ++j) k.col(1 + j) *= options.length_scale[j];
  Answer estimated = estimate(made, x, samples_->deviation_of(patch, k));
  if (!J) estimated.jacobian_error = std::numeric_limits<double>::quiet_NaN();
  return estimated;
}

}  // namespace quoin
#endif
