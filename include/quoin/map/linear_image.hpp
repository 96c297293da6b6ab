// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// The map x -> C f(x) with a constant C, for any map f; grids have the cheaper AdaptiveGrid::linear_output.
///
///   LinearImage<4, Statics<3>> tip(statics, arm.tip_rows());
///
/// Every call evaluates the whole of f. C: M x N; throws std::invalid_argument unless f has N outputs.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
class LinearImage {
 public:
  /// Throws std::invalid_argument unless C has as many columns as the map has outputs.
  LinearImage(Map map, Eigen::MatrixXd C) : map_(std::move(map)), C_(std::move(C)) {
    if (C_.cols() != map_.output_size())
      throw std::invalid_argument("LinearImage: C is " + shape_text(C_) + ", the map has " +
                                  to_text(map_.output_size()) + " outputs");
  }

  Eigen::Index output_size() const { return C_.rows(); }
  Fingerprint fingerprint() const  ///< of the map and C
    requires Fingerprinted<Map>
  {
    return Fingerprint("LinearImage").add("map", map_.fingerprint()).add_rounded("C", C_);
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    Eigen::VectorXd f;
    const Answer answer = map_.evaluate(x, f);
    resize_strong(y, C_.rows());
    y.noalias() = C_ * f;
    return answer.without_error();
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd f;
    Eigen::MatrixXd df;
    const Answer answer = map_.evaluate(x, f, df);
    resize_strong(y, C_.rows());
    y.noalias() = C_ * f;
    resize_strong(J, C_.rows(), Dim);
    J.noalias() = C_ * df;
    return answer.without_error();
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd f;
    Eigen::MatrixXd df;
    const Answer answer = quoin::try_evaluate<Dim>(map_, x, f, df);
    if (!answer.has_value()) return answer;
    resize_strong(y, C_.rows());
    y.noalias() = C_ * f;
    resize_strong(J, C_.rows(), Dim);
    J.noalias() = C_ * df;
    return answer.without_error();
  }

 private:
  Map map_;
  Eigen::MatrixXd C_;
};

}  // namespace quoin
