// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// x -> outer(inner(x)), with the Jacobian by the chain rule. See compose.
template <int Dim, int Between, class Outer, class Inner>
class ComposedMap {
 public:
  /// Throws std::invalid_argument unless the inner map has Between outputs.
  ComposedMap(Outer outer, Inner inner) : outer_(std::move(outer)), inner_(std::move(inner)) {
    if (inner_.output_size() != Between)
      throw std::invalid_argument("compose: the inner map has " + to_text(inner_.output_size()) +
                                  " outputs, the outer map takes " + to_text(Between));
  }

  Eigen::Index output_size() const { return outer_.output_size(); }
  Fingerprint fingerprint() const  ///< of both maps
    requires Fingerprinted<Outer> && Fingerprinted<Inner>
  {
    return Fingerprint("compose").add("outer", outer_.fingerprint()).add("inner", inner_.fingerprint());
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    Eigen::VectorXd between;
    const Answer inner = inner_.evaluate(x, between);
    return weaker(inner, outer_.evaluate(Point<Between>(between), y));
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd between;
    Eigen::MatrixXd J_inner, J_outer;
    const Answer inner = inner_.evaluate(x, between, J_inner);
    const Answer outer = outer_.evaluate(Point<Between>(between), y, J_outer);
    resize_strong(J, J_outer.rows(), Dim);
    J.noalias() = J_outer * J_inner;
    return weaker(inner, outer);
  }

  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd between;
    Eigen::MatrixXd J_inner, J_outer;
    const Answer inner = quoin::try_evaluate<Dim>(inner_, x, between, J_inner);
    if (!inner.has_value()) return inner;
    const Answer outer = quoin::try_evaluate<Between>(outer_, Point<Between>(between), y, J_outer);
    if (!outer.has_value()) return outer;
    resize_strong(J, J_outer.rows(), Dim);
    J.noalias() = J_outer * J_inner;
    return weaker(inner, outer);
  }

 private:
  // An error of the inner map is scaled by the outer map's slope, which is not bounded here: no error is claimed.
  static Answer weaker(const Answer& inner, const Answer& outer) {
    if (inner.trust == Trust::exact) return outer;
    return {.trust = std::max({inner.trust, outer.trust, Trust::unchecked}), .level = inner.level};
  }

  Outer outer_;
  Inner inner_;
};

/// Composes two maps: compose<Dim, Between>(outer, inner) has inner: Dim -> Between and outer: Between -> M.
template <int Dim, int Between, class Outer, class Inner>
  requires DifferentiableMap<Outer, Between> && DifferentiableMap<Inner, Dim>
auto compose(Outer outer, Inner inner) {
  return ComposedMap<Dim, Between, Outer, Inner>(std::move(outer), std::move(inner));
}

}  // namespace quoin
