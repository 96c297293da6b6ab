// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <utility>

namespace quoin::soft_arm::test {

/// A small "arm": coordinates y in R^6 and the internal energy |y|^2 / 2 + |y|^4 / 8, two lines of lengths
/// l_k = a_k . y + b_k (c_k . y)^2 / 2. Its equilibria under F0 = 1 are found by Newton's method to rounding, so that
/// it obeys the reduced identity as a true arm does. Outputs [y (6); l (2)], mass matrix the identity.
class ToyArm {
 public:
  ToyArm() {
    a_.resize(2, 6);
    a_ << -0.30, 0.20, 0.10, -0.15, 0.05, 0.12,  //
        -0.25, -0.22, 0.14, 0.10, -0.08, 0.06;
    c_.resize(2, 6);
    c_ << 0.3, 0.1, -0.2, 0.4, 0.2, -0.1,  //
        0.1, -0.4, 0.3, 0.2, 0.1, 0.3;
  }

  Eigen::Index output_size() const { return 8; }
  Answer evaluate(const Point<2>& alpha, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(alpha, y, J);
  }
  Answer evaluate(const Point<2>& alpha, Eigen::VectorXd& out, Eigen::MatrixXd& J) const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(6);
    for (int i = 0; i < 30; ++i) {
      const Eigen::VectorXd dy = hessian(y, alpha).ldlt().solve(gradient(y, alpha));
      y -= dy;
      if (dy.norm() < 1e-15) break;
    }
    const Eigen::MatrixXd g = length_gradients(y);
    const Eigen::MatrixXd dy = -hessian(y, alpha).ldlt().solve(g.transpose());
    out.resize(8);
    out << y, lengths(y);
    J.resize(8, 2);
    J << dy, g * dy;
    return {.trust = Trust::exact, .error = 0};
  }

  Eigen::Vector2d lengths(const Eigen::VectorXd& y) const { return a_ * y + 0.5 * (c_ * y).array().square().matrix(); }
  double energy(const Eigen::VectorXd& y, const Eigen::Vector2d& u) const {
    const double s = y.squaredNorm();
    return s / 2 + s * s / 8 + u.dot(lengths(y));
  }
  Eigen::VectorXd gradient(const Eigen::VectorXd& y, const Eigen::Vector2d& u) const {
    return y + y * (y.squaredNorm() / 2) + length_gradients(y).transpose() * u;
  }

 private:
  Eigen::MatrixXd length_gradients(const Eigen::VectorXd& y) const {  // 2 x 6
    return a_ + (c_ * y).asDiagonal() * c_;
  }
  Eigen::MatrixXd hessian(const Eigen::VectorXd& y, const Eigen::Vector2d& u) const {
    return Eigen::MatrixXd::Identity(6, 6) * (1 + y.squaredNorm() / 2) + y * y.transpose() +
           c_.transpose() * u.asDiagonal() * c_;
  }

  Eigen::MatrixXd a_, c_;
};

/// A map in the form of a grid's: on each square cell the reduced Hermite cubic of another map, so that the Jacobian
/// jumps across faces. Outside [lower, upper]^2 it has no answer.
template <class Map>
class CellwiseMap {
 public:
  CellwiseMap(Map map, double spacing, double lower, double upper)
      : map_(std::move(map)), spacing_(spacing), lower_(lower), upper_(upper) {}

  Eigen::Index output_size() const { return map_.output_size(); }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const Answer answer = try_evaluate(x, y, J);
    if (!answer.has_value()) throw DomainError("CellwiseMap::evaluate: outside");
    return answer;
  }
  Answer try_evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    if ((x.array() < lower_).any() || (x.array() > upper_).any()) return {.trust = Trust::outside};
    const Point<2> origin = (x / spacing_).array().floor() * spacing_;
    const Eigen::Array2d t = (x - origin).array() / spacing_;
    y.setZero(output_size());
    J.setZero(output_size(), 2);
    Eigen::VectorXd fc;
    Eigen::MatrixXd gc;
    for (int corner = 0; corner < 4; ++corner) {
      Point<2> point = origin;
      Eigen::Array2d s, sigma;
      for (int i = 0; i < 2; ++i) {
        const bool up = (corner >> i) & 1;
        point[i] += up ? spacing_ : 0;
        s[i] = up ? t[i] : 1 - t[i];
        sigma[i] = up ? 1 : -1;
      }
      map_.evaluate(point, fc, gc);
      const double value = 1 + ((1 - s) * (2 * s - 1)).sum();
      const Eigen::Vector2d slope = -sigma * spacing_ * s * (1 - s);
      const Eigen::VectorXd p = value * fc + gc * slope;
      const double L = s[0] * s[1];
      y += L * p;
      for (int j = 0; j < 2; ++j) {
        J.col(j) += sigma[j] / spacing_ * (s[1 - j] * p + L * (3 - 4 * s[j]) * fc) - L * (1 - 2 * s[j]) * gc.col(j);
      }
    }
    return {.trust = Trust::unchecked};
  }

 private:
  Map map_;
  double spacing_, lower_, upper_;
};

}  // namespace quoin::soft_arm::test
