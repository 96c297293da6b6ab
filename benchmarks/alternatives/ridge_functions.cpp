// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/ridge_functions.hpp"

#include "quoin/map/multi_index.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace benchmarks {
namespace {

using Profile = std::array<double, 4> (*)(double);  // value and first three derivatives

std::array<double, 4> sine(double s) { return {std::sin(s), std::cos(s), -std::sin(s), -std::cos(s)}; }

std::array<double, 4> step(double s) {
  const double t = std::tanh(s), slope = 1 - t * t;
  return {t, slope, -2 * t * slope, slope * (6 * t * t - 2)};
}

template <int Dim>
std::vector<std::vector<int>> multi_indices(int order) {
  std::vector<std::vector<int>> indices;
  for (const MultiIndex<Dim>& index : graded_multi_indices<Dim>(order))
    indices.emplace_back(index.begin(), index.end());
  return indices;
}

std::vector<std::vector<int>> multi_indices(int dim, int order) {
  switch (dim) {
    case 1: return multi_indices<1>(order);
    case 2: return multi_indices<2>(order);
    case 3: return multi_indices<3>(order);
    case 4: return multi_indices<4>(order);
    case 5: return multi_indices<5>(order);
    default: return multi_indices<6>(order);
  }
}

/// Output r mod outputs is the mean of g(k_r . x + phase_r) over its rows r of k.
SampledFunction ridges(Eigen::Index outputs, Eigen::MatrixXd k, Eigen::VectorXd phase, Profile g) {
  const int dim = static_cast<int>(k.cols());
  std::array<std::vector<std::vector<int>>, 4> indices;
  for (int order = 0; order <= 3; ++order) indices[order] = multi_indices(dim, order);
  return {dim, outputs, 3, [=](const Eigen::VectorXd& x, int order, Eigen::Ref<Eigen::MatrixXd> jet) {
            const double share = static_cast<double>(outputs) / static_cast<double>(k.rows());
            jet.setZero();
            for (Eigen::Index r = 0; r < k.rows(); ++r) {
              const std::array<double, 4> derivatives = g(k.row(r).dot(x) + phase[r]);
              for (std::size_t a = 0; a < indices[order].size(); ++a) {
                double factor = share;
                int total = 0;
                for (int i = 0; i < dim; ++i)
                  for (int n = 0; n < indices[order][a][i]; ++n, ++total) factor *= k(r, i);
                jet(r % outputs, static_cast<Eigen::Index>(a)) += factor * derivatives[total];
              }
            }
          }};
}

}  // namespace

SampledFunction plane_waves(int dim, double wavelength) {
  constexpr int outputs = 6, waves = 3;
  std::mt19937_64 random(20 + dim);
  std::uniform_real_distribution<double> component(0.3, 1);
  Eigen::MatrixXd k(outputs * waves, dim);
  for (double& entry : k.reshaped()) entry = component(random) * (random() % 2 ? 1 : -1);
  for (auto row : k.rowwise()) row *= 2 * std::numbers::pi / wavelength / row.norm();
  return ridges(outputs, std::move(k), Eigen::VectorXd::LinSpaced(outputs * waves, 0, outputs * waves - 1), sine);
}

SampledFunction layer(int dim, const Eigen::VectorXd& centre, double width) {
  Eigen::RowVectorXd n(dim);
  for (int i = 0; i < dim; ++i) n[i] = 1 - 0.6 * i / dim;
  n /= n.norm() * width;
  return ridges(1, n, Eigen::VectorXd::Constant(1, -n.dot(centre)), step);
}

}  // namespace benchmarks
