// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// What a linear output of the shape is along InertialDynamics: y(z) = a(alpha) + sum_j q_j b_j(alpha), z = [alpha; q],
/// as the positions of a tip. The maps answer a (n rows) and the b_j, one after the other (n modes rows).
///
///     InertialImage<4, GridView<4>, GridView<4>> tip(of_shapes, of_inertia);
///     if (tip.try_evaluate(x, y, J).has_value()) ...      // x: z, or a state [z_i; z_{i-1}]; J: n x (4 + modes)
///
/// Keeps copies of the maps. Throws std::invalid_argument if b's rows are no multiple of a's.
template <int Lines, class Shapes, class Inertia>
  requires DifferentiableMap<Shapes, Lines> && DifferentiableMap<Inertia, Lines>
class InertialImage {
 public:
  InertialImage(Shapes shapes, Inertia inertia) : shapes_(std::move(shapes)), inertia_(std::move(inertia)) {
    const Eigen::Index n = shapes_.output_size(), all = inertia_.output_size();
    if (all < n || all % n != 0)
      throw std::invalid_argument("InertialImage: " + to_text(all) + " outputs of inertia for " + to_text(n) +
                                  " of shapes: one set for each mode needed");
  }

  Eigen::Index output_size() const { return shapes_.output_size(); }                     ///< n
  Eigen::Index modes() const { return inertia_.output_size() / shapes_.output_size(); }  ///< of inertia
  Eigen::Index size() const { return Lines + modes(); }                                  ///< of z

  /// y: n; J: n x size(), by z. Of x the first size() numbers are read. The answer's trust and errors are those of the
  /// shapes; without one of both maps there is no answer.
  Answer try_evaluate(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    thread_local Eigen::VectorXd b;
    thread_local Eigen::MatrixXd by_alpha, db;
    const Point<Lines> alpha = x.template head<Lines>();
    const Answer answer = quoin::try_evaluate<Lines>(shapes_, alpha, y, by_alpha);
    if (!answer.has_value()) return answer;
    if (const Answer other = quoin::try_evaluate<Lines>(inertia_, alpha, b, db); !other.has_value()) return other;
    const Eigen::Index n = output_size();
    J.resize(n, size());
    J.template leftCols<Lines>() = by_alpha.template leftCols<Lines>();
    for (Eigen::Index j = 0; j < modes(); ++j) {
      y += x[Lines + j] * b.segment(j * n, n);
      J.template leftCols<Lines>() += x[Lines + j] * db.template leftCols<Lines>().middleRows(j * n, n);
      J.col(Lines + j) = b.segment(j * n, n);
    }
    return answer;
  }
  /// The same, but throws as the maps do where there is no answer.
  Answer evaluate(const Eigen::Ref<const Eigen::VectorXd>& z, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const Answer answer = try_evaluate(z, y, J);
    if (answer.has_value()) return answer;
    const Point<Lines> alpha = z.template head<Lines>();
    shapes_.evaluate(alpha, y, J);
    return inertia_.evaluate(alpha, y, J);
  }

 private:
  Shapes shapes_;
  Inertia inertia_;
};

}  // namespace quoin
