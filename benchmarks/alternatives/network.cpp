// SPDX-License-Identifier: BSD-3-Clause
// The only translation unit of the benchmark that uses libtorch, which unity builds must keep apart: its macros are
// those of other libraries.
#include "benchmarks/alternatives/sampled_models.hpp"

#include <stdexcept>

#ifdef QUOIN_HAS_TORCH
#include <torch/torch.h>

#include <cmath>
#include <optional>
#include <utility>
#endif

namespace benchmarks {

#ifdef QUOIN_HAS_TORCH

namespace {

using torch::Tensor;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int units = 64, adam_steps = 300, lbfgs_steps = 400;

Tensor tensor_of(const Rows& rows) {
  return torch::from_blob(const_cast<double*>(rows.data()), {rows.rows(), rows.cols()}, torch::kFloat64).clone();
}
Eigen::MatrixXd matrix_of(const Tensor& tensor) {
  const Tensor rows = tensor.detach().contiguous();
  return Eigen::Map<const Rows>(rows.data_ptr<double>(), rows.size(0), rows.size(1));
}

/// y = mean + scale (W_3 tanh(W_2 tanh(W_1 t + b_1) + b_2) + b_3), t the point relative to the box, -1 to 1.
class Network {
 public:
  Network(const SampledFunction& f, const Box& box, const Eigen::MatrixXd& points)
      : centre_(0.5 * (box.lower + box.upper)), half_edges_(0.5 * (box.upper - box.lower)) {
    const Eigen::Index n = points.cols();
    Rows t(n, f.dim), values(n, f.outputs), slopes(f.dim * n, f.outputs);
    Eigen::MatrixXd jet(f.outputs, 1 + f.dim);
    for (Eigen::Index s = 0; s < n; ++s) {
      f.sample(points.col(s), 1, jet);
      t.row(s) = (points.col(s) - centre_).cwiseQuotient(half_edges_).transpose();
      values.row(s) = jet.col(0).transpose();
      for (int i = 0; i < f.dim; ++i) slopes.row(i * n + s) = half_edges_[i] * jet.col(1 + i).transpose();
    }
    mean_ = values.colwise().mean().transpose();
    values.rowwise() -= mean_.transpose();
    scale_ = std::sqrt((values.squaredNorm() + slopes.squaredNorm()) / static_cast<double>(values.size()));
    fit(tensor_of(t), tensor_of(values / scale_), tensor_of(slopes / scale_));
  }

  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd h = (x - centre_).cwiseQuotient(half_edges_);
    Eigen::MatrixXd d = half_edges_.cwiseInverse().asDiagonal();
    for (std::size_t k = 0; k < 2; ++k) {
      h = (W_[k] * h + b_[k]).array().tanh();
      d = (1 - h.array().square()).matrix().asDiagonal() * (W_[k] * d);
    }
    y = mean_ + scale_ * (W_[2] * h + b_[2]);
    J.noalias() = scale_ * (W_[2] * d);
  }

 private:
  void fit(const Tensor& t, const Tensor& values, const Tensor& slopes) {
    torch::manual_seed(1);
    torch::set_num_threads(1);
    const long dim = t.size(1), n = t.size(0);
    const std::vector<long> sizes{dim, units, units, values.size(1)};
    std::vector<Tensor> weights, biases, all;
    for (std::size_t k = 0; k < 3; ++k) {
      const double bound = 1 / std::sqrt(static_cast<double>(sizes[k]));
      const auto leaf = [&](long rows) {
        return ((2 * torch::rand({rows, sizes[k + 1]}, torch::kFloat64) - 1) * bound).detach().requires_grad_();
      };
      weights.push_back(leaf(sizes[k]));
      biases.push_back(leaf(1));
      all.insert(all.end(), {weights.back(), biases.back()});
    }
    const double value_weight = 1 / (values.square().sum().item<double>() + 1e-12);
    const double slope_weight = 1 / (slopes.square().sum().item<double>() + 1e-12);
    const auto loss = [&] {
      Tensor h = t, d;  // d: the derivatives by each variable, one below the other
      for (std::size_t k = 0; k < 2; ++k) {
        h = torch::tanh(torch::matmul(h, weights[k]) + biases[k]);
        d = k == 0 ? weights[0].repeat_interleave(n, 0) : torch::matmul(d, weights[k]);
        d = d * (1 - h.square()).repeat({dim, 1});
      }
      return value_weight * (torch::matmul(h, weights[2]) + biases[2] - values).square().sum() +
             slope_weight * (torch::matmul(d, weights[2]) - slopes).square().sum();
    };
    torch::optim::Adam adam(all, torch::optim::AdamOptions(5e-3));
    for (int step = 0; step < adam_steps; ++step) {
      adam.zero_grad();
      loss().backward();
      adam.step();
    }
    torch::optim::LBFGS lbfgs(all, torch::optim::LBFGSOptions(1)
                                       .max_iter(lbfgs_steps)
                                       .history_size(30)
                                       .tolerance_grad(1e-12)
                                       .tolerance_change(1e-15)
                                       .line_search_fn("strong_wolfe"));
    lbfgs.step([&] {
      lbfgs.zero_grad();
      Tensor value = loss();
      value.backward();
      return value;
    });
    for (std::size_t k = 0; k < 3; ++k) {
      W_.push_back(matrix_of(weights[k]).transpose());
      b_.push_back(matrix_of(biases[k]).transpose());
    }
  }

  Eigen::VectorXd centre_, half_edges_, mean_;
  double scale_;
  std::vector<Eigen::MatrixXd> W_;  // outputs x inputs of each layer
  std::vector<Eigen::VectorXd> b_;
};

}  // namespace

bool can_fit_networks() { return true; }

Method network(const Workload& w, const SampleRecord& record, bool on_path) {
  return {std::string("network") + (on_path ? ", on the path" : ""), 1 + w.f.dim,
          [&w, record, step = std::size_t{0}, wanted = 4L]() mutable -> std::optional<Stage> {
            while (step + 1 < record->size() && (*record)[step].cols() < wanted) ++step;
            if (step >= record->size()) return {};
            const Eigen::MatrixXd& points = (*record)[step++];
            wanted = 4 * points.cols();
            const auto map = std::make_shared<Network>(w.f, w.box, points);
            return Stage{static_cast<long>(points.cols()),
                         [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

#else

bool can_fit_networks() { return false; }

Method network(const Workload&, const SampleRecord&, bool) {
  throw std::runtime_error("networks are fitted by libtorch, and quoin was built without it (Debian: libtorch-dev)");
}

#endif

}  // namespace benchmarks
