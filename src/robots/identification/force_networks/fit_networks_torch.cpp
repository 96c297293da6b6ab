// SPDX-License-Identifier: BSD-3-Clause
// The only translation unit of the component that uses libtorch.
#include "quoin/robots/identification/force_networks/fit_networks.hpp"

#include "lower_triangle.hpp"
#include "util/one_torch_thread.hpp"

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using torch::Tensor;

/// Column by column in memory: columns x rows for libtorch. Refers to the matrix.
Tensor rows_of(MatrixXf& columns) {
  return torch::from_blob(columns.data(), {columns.cols(), columns.rows()}, torch::kFloat32);
}

/// X W, or X W^T, by Eigen: libtorch would call the BLAS it was linked with, and Debian's is the reference BLAS, which
/// takes about eight times as long for such small matrices.
template <bool transposed>
struct Product : torch::autograd::Function<Product<transposed>> {
  using Columns = Eigen::Map<const MatrixXf>;
  static Columns columns(const Tensor& rows) { return {rows.data_ptr<float>(), rows.size(1), rows.size(0)}; }
  static Tensor rows(const auto& columns) {
    Tensor result = torch::empty({columns.cols(), columns.rows()}, torch::kFloat32);
    Eigen::Map<MatrixXf>(result.data_ptr<float>(), columns.rows(), columns.cols()).noalias() = columns;
    return result;
  }

  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& X, const Tensor& W) {
    context->save_for_backward({X, W});
    if constexpr (transposed)
      return rows(columns(W).transpose() * columns(X));
    else
      return rows(columns(W) * columns(X));
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& slopes) {
    const auto saved = context->get_saved_variables();
    const Tensor slope = slopes[0].contiguous();
    const Columns G = columns(slope), X = columns(saved[0]), W = columns(saved[1]);
    Tensor by_X, by_W;
    if constexpr (transposed) {
      if (context->needs_input_grad(0)) by_X = rows(W * G);
      if (context->needs_input_grad(1)) by_W = rows(X * G.transpose());
    } else {
      if (context->needs_input_grad(0)) by_X = rows(W.transpose() * G);
      if (context->needs_input_grad(1)) by_W = rows(G * X.transpose());
    }
    return {by_X, by_W};
  }
};

Tensor times(const Tensor& X, const Tensor& W) { return Product<false>::apply(X.contiguous(), W); }
Tensor times_transposed(const Tensor& X, const Tensor& W) { return Product<true>::apply(X.contiguous(), W); }

struct Layer {
  Tensor W, b;  ///< inputs x outputs, 1 x outputs
};

/// The variables of a loss: numbers in single precision, taken one after the other.
class Leaves {
 public:
  explicit Leaves(const VectorXd& numbers) : numbers_(numbers.cast<float>()) {}

  Tensor take(Index rows, Index columns) {
    leaves_.push_back(torch::from_blob(numbers_.data() + taken_, {rows, columns}, torch::kFloat32).requires_grad_());
    taken_ += rows * columns;
    return leaves_.back();
  }

  std::vector<Layer> take(const DenseNetwork& network) {
    std::vector<Layer> layers;
    for (std::size_t k = 1; k < network.sizes.size(); ++k) {
      Tensor W = take(network.sizes[k - 1], network.sizes[k]);
      layers.push_back({std::move(W), take(1, network.sizes[k])});
    }
    return layers;
  }

  VectorXd gradient(const Tensor& loss) const {
    const auto slopes = torch::autograd::grad({loss}, leaves_, {}, false, false, /*allow_unused=*/true);
    VectorXd gradient = VectorXd::Zero(taken_);
    Index first = 0;
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
      const Index count = leaves_[k].numel();
      if (slopes[k].defined()) {
        const Tensor slope = slopes[k].contiguous();
        gradient.segment(first, count) =
            Eigen::Map<const Eigen::VectorXf>(slope.data_ptr<float>(), count).cast<double>();
      }
      first += count;
    }
    return gradient;
  }

 private:
  Eigen::VectorXf numbers_;
  std::vector<Tensor> leaves_;
  Index taken_ = 0;
};

/// DenseNetwork's passes, with a state per row.
class Pass {
 public:
  Pass(const std::vector<Layer>& layers, const Tensor& X) : layers_(layers), inputs_{X} {
    for (std::size_t k = 0; k + 1 < layers_.size(); ++k)
      inputs_.push_back(torch::tanh(times(inputs_[k], layers_[k].W) + layers_[k].b));
  }

  Tensor value() const { return times(inputs_.back(), layers_.back().W) + layers_.back().b; }
  /// Call before the first derivative.
  void differentiate() {
    for (std::size_t k = 1; k < inputs_.size(); ++k) slopes_.push_back(1 - inputs_[k].square());
  }
  Tensor push(Tensor d) const {
    for (std::size_t k = 0; k < slopes_.size(); ++k) d = times(d, layers_[k].W) * slopes_[k];
    return times(d, layers_.back().W);
  }
  Tensor pull(Tensor g) const {
    for (std::size_t k = slopes_.size(); k > 0; --k) g = times_transposed(g, layers_[k].W) * slopes_[k - 1];
    return times_transposed(g, layers_.front().W);
  }

 private:
  const std::vector<Layer>& layers_;
  std::vector<Tensor> inputs_;  ///< of every layer
  std::vector<Tensor> slopes_;  ///< of tanh, of every hidden layer
};

VectorXd numbers_of(const ForceMlp& mlp) { return mlp.network.weights; }
void set_numbers(const VectorXd& numbers, ForceMlp& mlp) { mlp.network.weights = numbers; }

VectorXd numbers_of(const LagrangianNetwork& delan) {
  VectorXd numbers(delan.inertia.weights.size() + delan.potential.weights.size() + delan.damping_root.size());
  numbers << delan.inertia.weights, delan.potential.weights, delan.damping_root;
  return numbers;
}
void set_numbers(const VectorXd& numbers, LagrangianNetwork& delan) {
  const Index inertia = delan.inertia.weights.size(), potential = delan.potential.weights.size();
  delan.inertia.weights = numbers.head(inertia);
  delan.potential.weights = numbers.segment(inertia, potential);
  delan.damping_root = numbers.tail(delan.damping_root.size());
}

/// The loss of a batch as a function of leaves. Keeps the batch in single precision while libtorch refers to it.
class Loss {
 public:
  explicit Loss(const VectorXd& weights) : weights_(weights) {}

  Tensor operator()(const ForceMlp& mlp, const RobotMotion& batch, Leaves& leaves) {
    const Tensor X = keep(mlp.standardized_inputs(batch.q, batch.qd, batch.qdd));
    const auto layers = leaves.take(mlp.network);
    const Tensor off = Pass(layers, X).value() - keep(mlp.standardized_forces(batch.tau));
    return weights_.size() == 0 ? mean_square(off)
                                : mean_square(off * keep(weights_.cwiseSqrt().cwiseProduct(mlp.force_deviation)));
  }

  Tensor operator()(const LagrangianNetwork& delan, const RobotMotion& batch, Leaves& leaves) {
    const auto inertia_layers = leaves.take(delan.inertia), potential_layers = leaves.take(delan.potential);
    const Index n = batch.joints();
    const LowerTriangle triangle{n};
    // Sums over the entries of a row, or of a column; their transposes spread a joint's number over these.
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(n, triangle.entries()), columns = rows;
    triangle.for_each([&](Index e, Index i, Index j) { rows(i, e) = columns(j, e) = 1; });
    const Tensor by_row = keep(rows), by_column = keep(columns);  // entries x n
    const Tensor q = keep(batch.q), qd = keep(batch.qd);
    const Tensor scale = keep(rows.transpose() * delan.inertia_scale);  // 1 x entries
    const Tensor velocity = keep(rows.transpose() * batch.qd), acceleration = keep(rows.transpose() * batch.qdd);

    Pass inertia(inertia_layers, q);
    inertia.differentiate();
    const Tensor raw = inertia.value(), raw_rate = inertia.push(qd);
    const Tensor diagonal = raw.narrow(1, 0, n), below = raw.narrow(1, n, raw.size(1) - n);
    const Tensor L = torch::cat({torch::softplus(diagonal), below}, 1) * scale;
    const Tensor slope = torch::cat({torch::sigmoid(diagonal), torch::ones_like(below)}, 1) * scale;
    const Tensor dL = raw_rate * slope;
    const Tensor u = times(L * velocity, by_column);
    const Tensor w = times(L * acceleration + dL * velocity, by_column);
    const Tensor spread_u = times_transposed(u, by_column), spread_w = times_transposed(w, by_column);
    const Tensor inertial = times(L * spread_w + dL * spread_u, by_row) - inertia.pull(velocity * spread_u * slope);

    Pass potential(potential_layers, q);
    potential.differentiate();
    const Tensor gravity = potential.pull(torch::ones({q.size(0), 1}));

    Tensor off = inertial + gravity - keep(batch.tau - delan.floor * batch.qdd);
    if (delan.damping_root.size() > 0) off = off + qd * leaves.take(1, n).square();
    return mean_square(weights_.size() == 0 ? off : off * keep(weights_.cwiseSqrt()));
  }

 private:
  static Tensor mean_square(const Tensor& off) { return off.square().sum() / static_cast<double>(off.size(0)); }

  template <class Derived>
  Tensor keep(const Eigen::MatrixBase<Derived>& columns) {
    return rows_of(kept_.emplace_back(columns.template cast<float>()));
  }

  const VectorXd& weights_;
  std::deque<MatrixXf> kept_;
};

template <class Network>
std::optional<double> step(Network& network, const RobotMotion& batch, double learning_rate, Adam& adam,
                           const VectorXd& weights) {
  const OneThread one_thread;
  VectorXd numbers = numbers_of(network);
  Leaves leaves(numbers);
  Loss loss_of(weights);
  const Tensor loss = loss_of(network, batch, leaves);
  const VectorXd gradient = leaves.gradient(loss);
  const double value = loss.item<double>();
  if (!std::isfinite(value) || !gradient.allFinite()) return std::nullopt;
  adam.step(gradient, learning_rate, numbers);
  set_numbers(numbers, network);
  return value;
}

template <class Network>
FitCourse fit(Network& network, const RobotMotion& motion, const FitOptions& options,
              const NetworkObserver<Network>& observe) {
  detail::require(motion, options, "fit_forces");
  require(network, motion.joints(), "fit_forces");
  Adam adam;
  const auto take_step = [&](const RobotMotion& batch) {
    return step(network, batch, options.learning_rate, adam, options.weights);
  };
  const auto predict = [&] {
    Eigen::MatrixXd tau(motion.joints(), motion.instants());
    network.inverse_dynamics(motion.q, motion.qd, motion.qdd, tau);
    return tau;
  };
  return detail::run_epochs(motion, options, take_step, predict,
                            [&](const FitUpdate& update) { return !observe || observe(update, network); });
}

template <class Network>
std::optional<double> checked_step(Network& network, const RobotMotion& batch, double learning_rate, Adam& adam,
                                   const VectorXd& weights) {
  detail::require_weights(weights, batch.joints(), "fit_step");
  require(batch, "fit_step");
  require(network, batch.joints(), "fit_step");
  return step(network, batch, learning_rate, adam, weights);
}

}  // namespace

std::optional<double> fit_step(ForceMlp& mlp, const RobotMotion& batch, double learning_rate, Adam& adam,
                               const VectorXd& weights) {
  return checked_step(mlp, batch, learning_rate, adam, weights);
}

std::optional<double> fit_step(LagrangianNetwork& delan, const RobotMotion& batch, double learning_rate, Adam& adam,
                               const VectorXd& weights) {
  return checked_step(delan, batch, learning_rate, adam, weights);
}

FitCourse fit_forces(ForceMlp& mlp, const RobotMotion& motion, const FitOptions& options,
                     const NetworkObserver<ForceMlp>& observe) {
  return fit(mlp, motion, options, observe);
}

FitCourse fit_forces(LagrangianNetwork& delan, const RobotMotion& motion, const FitOptions& options,
                     const NetworkObserver<LagrangianNetwork>& observe) {
  return fit(delan, motion, options, observe);
}

}  // namespace quoin::identification
