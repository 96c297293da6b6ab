// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// The slice of a map along some of its axes; the other coordinates stay at a base point. See restrict_to.
template <int Dim, int FullDim, class Map>
class RestrictedMap {
 public:
  /// Throws std::invalid_argument for an axis that is not one of FullDim, or named twice.
  RestrictedMap(Map map, const std::array<int, std::size_t{Dim}>& axes, const Point<FullDim>& base)
      : map_(std::move(map)), axes_(axes), base_(base) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] < 0 || axes[i] >= FullDim)
        throw std::invalid_argument("restrict_to: axis " + to_text(axes[i]) + " of a map of " + to_text(FullDim) +
                                    " dimensions");
      for (std::size_t j = 0; j < i; ++j)
        if (axes[i] == axes[j])
          throw std::invalid_argument("restrict_to: axis " + to_text(axes[i]) + " is named twice");
    }
  }

  Eigen::Index output_size() const { return map_.output_size(); }
  FunctionTraits traits() const {
    if constexpr (requires { map_.traits(); })
      return map_.traits();
    else
      return {};
  }
  /// Of the map, the axes and the coordinates that are held.
  Fingerprint fingerprint() const
    requires Fingerprinted<Map>
  {
    return Fingerprint("restrict_to")
        .add("map", map_.fingerprint())
        .add("axes", axes_)
        .add_rounded("held", full(Point<Dim>::Zero()));
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return map_.evaluate(full(x), y); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::MatrixXd J_full;
    const Answer answer = map_.evaluate(full(x), y, J_full);
    resize_strong(J, J_full.rows(), Dim);
    J = J_full(Eigen::all, axes_);
    return answer;
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::MatrixXd J_full;
    const Answer answer = quoin::try_evaluate<FullDim>(map_, full(x), y, J_full);
    if (!answer.has_value()) return answer;
    resize_strong(J, J_full.rows(), Dim);
    J = J_full(Eigen::all, axes_);
    return answer;
  }

 private:
  Point<FullDim> full(const Point<Dim>& x) const {
    Point<FullDim> point = base_;
    Eigen::Index i = 0;
    for (const int axis : axes_) point[axis] = x[i++];
    return point;
  }

  Map map_;
  std::array<int, std::size_t{Dim}> axes_;
  Point<FullDim> base_;
};

/// Slices a map of many dimensions so that a grid can hold it:
///   auto slice = restrict_to(map, std::array{0, 3}, base);   // x -> map(x_0, base_1, base_2, x_1, base_4, ...)
/// The result is a DifferentiableMap over the named axes, in the order named.
template <std::size_t Dim, int FullDim, class Map>
  requires DifferentiableMap<Map, FullDim>
auto restrict_to(Map map, const std::array<int, Dim>& axes, const Point<FullDim>& base) {
  return RestrictedMap<static_cast<int>(Dim), FullDim, Map>(std::move(map), axes, base);
}

}  // namespace quoin
