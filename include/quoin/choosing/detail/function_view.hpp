// SPDX-License-Identifier: BSD-3-Clause
// Where f is as fast as any surrogate: f itself, as a map.
#pragma once

#include "quoin/grid/evaluator.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::choosing_detail {

/// A function with derivatives, within a box, or a functional of it: a DifferentiableMap<Dim> that answers as the views
/// of grids and kernels do. Copies share the function, which one thread at a time calls unless its traits allow more.
template <int Dim>
class FunctionView {
 public:
  /// f: with derivatives, of order 1 at least.
  FunctionView(CornerFunction<Dim> f, const Point<Dim>& lower, const Point<Dim>& upper)
      : f_(std::make_shared<Shared>(std::move(f))),
        lower_(lower),
        upper_(upper),
        outputs_(f_->function.output_size()) {}

  Eigen::Index output_size() const { return outputs_; }

  FunctionView linear_output(const Eigen::MatrixXd& C) const {
    if (C.cols() != outputs_ || C.rows() < 1)
      throw std::invalid_argument("FunctionView::linear_output: C is " + shape_text(C) + ", the map has " +
                                  to_text(outputs_) + " outputs");
    FunctionView functional = *this;
    functional.C_ = C_ ? Eigen::MatrixXd(C * *C_) : C;
    functional.outputs_ = C.rows();
    return functional;
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, y, nullptr, nullptr, true); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, y, &J, nullptr, true);
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return answer(x, y, &J, &H, true);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, y, nullptr, nullptr, false); }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, y, &J, nullptr, false);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return answer(x, y, &J, &H, false);
  }

 private:
  struct Shared {
    explicit Shared(CornerFunction<Dim> f) : function(std::move(f)) {}
    CornerFunction<Dim> function;
    std::mutex alone;
  };

  static std::string who() { return "Surrogate<" + to_text(Dim) + ">: "; }

  Answer answer(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, Eigen::MatrixXd* H, bool throwing) const {
    for (int i = 0; i < Dim; ++i)
      if (!(x[i] >= lower_[i] && x[i] <= upper_[i])) {
        if (!throwing) return {.trust = Trust::outside};
        throw DomainError(who() + "x[" + to_text(i) + "] = " + to_text(x[i]) + " is outside the box, " +
                          to_text(lower_[i]) + " to " + to_text(upper_[i]));
      }
    try {
      const Eigen::MatrixXd jet = jet_at(x);
      if (H) {
        const Eigen::MatrixXd second = second_derivatives(x, jet);  // which may fail: nothing is written before
        resize_strong(*H, outputs_, second.cols());
        *H = second;
      }
      resize_strong(y, outputs_);
      y = jet.col(0);
      if (J) {
        resize_strong(*J, outputs_, Dim);
        *J = jet.middleCols(1, Dim);
      }
    } catch (const CornerFailure&) {
      if (throwing) throw;
      return {.trust = Trust::failed};
    }
    Answer exact{.trust = Trust::exact, .error = 0};
    if (J) exact.jacobian_error = 0;
    return exact;
  }

  Eigen::MatrixXd jet_at(const Point<Dim>& x) const {
    CornerSample<Dim> sample{.x = x, .jet = {}, .reason = {}};
    {
      std::unique_lock alone(f_->alone, std::defer_lock);
      if (!f_->function.traits().concurrent) alone.lock();
      f_->function.evaluate(sample);
    }
    if (!sample.reason.empty()) throw CornerFailure(who() + sample.reason, sample.retry);
    return C_ ? Eigen::MatrixXd(*C_ * sample.jet) : std::move(sample.jet);
  }

  // Those of the jet, or differences of Jacobians within the box, which cost little where f does.
  Eigen::MatrixXd second_derivatives(const Point<Dim>& x, const Eigen::MatrixXd& jet) const {
    const int count = second_derivative_count(Dim);
    if (f_->function.order() >= 2) return jet.middleCols(1 + Dim, count);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(outputs_, count);
    for (int b = 0; b < Dim; ++b) {
      Point<Dim> above = x, below = x;
      const double step = 6e-6 * (upper_[b] - lower_[b]);  // the cube root of the rounding error
      above[b] = std::min(x[b] + step, upper_[b]);
      below[b] = std::max(x[b] - step, lower_[b]);
      const Eigen::MatrixXd change = (jet_at(above) - jet_at(below)) / (above[b] - below[b]);
      for (int a = 0; a < Dim; ++a) H.col(second_derivative_index(Dim, a, b)) += (a == b ? 1 : 0.5) * change.col(1 + a);
    }
    return H;
  }

  std::shared_ptr<Shared> f_;
  Point<Dim> lower_, upper_;
  Eigen::Index outputs_;
  std::optional<Eigen::MatrixXd> C_;
};

}  // namespace quoin::choosing_detail
