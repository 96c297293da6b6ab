// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/gradient_kriging.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace benchmarks {
namespace {
constexpr double jitter = 1e-12;
}  // namespace

GradientKriging::GradientKriging(SampledFunction f, Eigen::MatrixXd candidates, double length, bool gradients)
    : f_(std::move(f)),
      candidates_(std::move(candidates)),
      length_(length),
      gradients_(gradients),
      points_(f_.dim, 0),
      data_(0, f_.outputs),
      variance_(Eigen::VectorXd::Ones(candidates_.cols())) {}

void GradientKriging::covariance(double length, const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                                 Eigen::Ref<Eigen::MatrixXd> block) const {
  const Eigen::VectorXd r = (a - b) / length;
  const double k = std::exp(-0.5 * r.squaredNorm());
  block(0, 0) = k;
  if (block.cols() > 1) block.row(0).tail(f_.dim) = k * r.transpose();
  if (block.rows() > 1) block.col(0).tail(f_.dim) = -k * r;
  if (block.cols() > 1 && block.rows() > 1)
    block.bottomRightCorner(f_.dim, f_.dim) = k * (Eigen::MatrixXd::Identity(f_.dim, f_.dim) - r * r.transpose());
}

Eigen::MatrixXd GradientKriging::covariance_of_samples(double length) const {
  const Eigen::Index n = block();
  Eigen::MatrixXd K(n * samples(), n * samples());
  for (Eigen::Index i = 0; i < samples(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      covariance(length, points_.col(i), points_.col(j), K.block(i * n, j * n, n, n));
  K.diagonal().array() += jitter;
  return K;
}

Eigen::MatrixXd GradientKriging::centred_data(double length) const {
  Eigen::MatrixXd data = data_;
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(f_.outputs);
  for (Eigen::Index s = 0; s < samples(); ++s) mean += data_.row(s * block()) / static_cast<double>(samples());
  for (Eigen::Index s = 0; s < samples(); ++s) {
    data.row(s * block()) -= mean;
    data.middleRows(s * block() + 1, block() - 1) *= length;
  }
  return data;
}

bool GradientKriging::refine(Eigen::Index wanted) {
  const Eigen::Index n = block();
  while (samples() < wanted) {
    Eigen::Index chosen;
    if (samples() == 0) {
      const Eigen::VectorXd mean = candidates_.rowwise().mean();
      (candidates_.colwise() - mean).colwise().squaredNorm().minCoeff(&chosen);
    } else if (variance_.maxCoeff(&chosen) < 4 * jitter) {  // rounding alone: fill the largest hole
      Eigen::VectorXd distance = Eigen::VectorXd::Constant(candidates_.cols(), std::numeric_limits<double>::infinity());
      for (Eigen::Index s = 0; s < samples(); ++s)
        distance =
            distance.cwiseMin((candidates_.colwise() - points_.col(s)).colwise().squaredNorm().transpose().eval());
      if (distance.maxCoeff(&chosen) == 0) return false;
    }
    const Eigen::VectorXd x = candidates_.col(chosen);
    const Eigen::Index old = n * samples();
    if (factor_.rows() < old + n) {
      const Eigen::Index capacity = 2 * (old + n);
      factor_.conservativeResizeLike(Eigen::MatrixXd::Zero(capacity, capacity));
      whitened_.conservativeResizeLike(Eigen::MatrixXd::Zero(capacity, candidates_.cols()));
    }
    Eigen::MatrixXd across(old, n), own(n, n), fresh(n, candidates_.cols());
    for (Eigen::Index s = 0; s < samples(); ++s) covariance(length_, points_.col(s), x, across.middleRows(s * n, n));
    covariance(length_, x, x, own);
    for (Eigen::Index c = 0; c < candidates_.cols(); ++c) covariance(length_, x, candidates_.col(c), fresh.col(c));
    if (old > 0) factor_.topLeftCorner(old, old).triangularView<Eigen::Lower>().solveInPlace(across);
    own -= across.transpose() * across;
    own.diagonal().array() += jitter;
    const Eigen::LLT<Eigen::MatrixXd> llt(own);
    if (llt.info() != Eigen::Success) return false;
    fresh -= across.transpose() * whitened_.topRows(old);
    llt.matrixL().solveInPlace(fresh);
    factor_.block(old, 0, n, old) = across.transpose();
    factor_.block(old, old, n, n) = llt.matrixL();
    whitened_.middleRows(old, n) = fresh;
    variance_ -= fresh.colwise().squaredNorm().transpose();

    Eigen::MatrixXd jet(f_.outputs, n);
    f_.sample(x, gradients_ ? 1 : 0, jet);
    points_.conservativeResize(Eigen::NoChange, samples() + 1);
    points_.rightCols(1) = x;
    data_.conservativeResize(old + n, Eigen::NoChange);
    data_.bottomRows(n) = jet.transpose();
  }
  return true;
}

void GradientKriging::tune() {
  const auto rows = static_cast<double>(data_.rows());
  const Eigen::Index stride = (f_.outputs + 31) / 32;  // about 32 outputs tell as much as all
  double best = std::numeric_limits<double>::infinity(), likeliest = length_;
  for (const double factor : {0.5, 0.7, 0.85, 1.0, 1.2, 1.45, 2.0}) {
    const double length = factor * length_;
    const Eigen::LLT<Eigen::MatrixXd> llt(covariance_of_samples(length));
    if (llt.info() != Eigen::Success) continue;
    const Eigen::MatrixXd data = centred_data(length)(Eigen::all, Eigen::seq(0, f_.outputs - 1, stride));
    const double scale = llt.matrixL().solve(data).squaredNorm() / static_cast<double>(data.size());
    // -2 log likelihood per output, up to constants; the last term is the change of units of the gradients.
    const double minus = rows * std::log(scale) + 2 * llt.matrixLLT().diagonal().array().log().sum() -
                         2 * static_cast<double>((block() - 1) * samples()) * std::log(length);
    if (minus < best) {
      best = minus;
      likeliest = length;
    }
  }
  if (likeliest == length_) return;
  length_ = likeliest;
  restart();
}

void GradientKriging::restart() {
  const Eigen::Index n = block(), rows = n * samples();
  const Eigen::LLT<Eigen::MatrixXd> llt(covariance_of_samples(length_));
  factor_.topLeftCorner(rows, rows) = llt.matrixL();
  for (Eigen::Index c = 0; c < candidates_.cols(); ++c)
    for (Eigen::Index s = 0; s < samples(); ++s)
      covariance(length_, points_.col(s), candidates_.col(c), whitened_.block(s * n, c, n, 1));
  auto whitened = whitened_.topRows(rows);
  factor_.topLeftCorner(rows, rows).triangularView<Eigen::Lower>().solveInPlace(whitened);
  variance_ = 1 - whitened.colwise().squaredNorm().transpose().array();
}

void GradientKriging::fit() {
  if (samples() == 0) throw std::logic_error("GradientKriging::fit: no samples");
  mean_.setZero(f_.outputs);
  for (Eigen::Index s = 0; s < samples(); ++s)
    mean_ += data_.row(s * block()).transpose() / static_cast<double>(samples());
  Eigen::MatrixXd weights = centred_data(length_);
  const auto factor = factor_.topLeftCorner(weights.rows(), weights.rows()).triangularView<Eigen::Lower>();
  factor.solveInPlace(weights);
  factor.transpose().solveInPlace(weights);
  weights_ = weights.transpose();
}

void GradientKriging::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  const Eigen::Index n = block(), dim = f_.dim;
  Eigen::MatrixXd basis(weights_.cols(), 1 + dim);
  for (Eigen::Index s = 0; s < weights_.cols() / n; ++s) {
    const Eigen::VectorXd r = (x - points_.col(s)) / length_;
    const double k = std::exp(-0.5 * r.squaredNorm());
    auto rows = basis.middleRows(s * n, n);
    rows(0, 0) = k;
    rows.row(0).tail(dim) = -k / length_ * r.transpose();
    if (n == 1) continue;
    rows.col(0).tail(dim) = k * r;
    rows.bottomRightCorner(dim, dim) = -k / length_ * r * r.transpose();
    rows.bottomRightCorner(dim, dim).diagonal().array() += k / length_;
  }
  y = mean_;
  y.noalias() += weights_ * basis.col(0);
  J.noalias() = weights_ * basis.rightCols(dim);
}

}  // namespace benchmarks
