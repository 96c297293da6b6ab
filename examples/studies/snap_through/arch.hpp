// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/equilibria.hpp"
#include "quoin/map/error_norm.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace studies::branches {

/// A shallow arch. The defaults are a strip with a rise of a tenth of its span, three times what is
/// needed for a second stable state.
struct ArchOptions {
  double span = 1;               ///< m
  double rise = 0.1;             ///< of the half sine of its stress-free shape, m
  int segments = 32;             ///< even
  double axial_stiffness = 1e4;  ///< E A, N
  double bending_stiffness = 1;  ///< E I, N m^2; 0: a chain of hinged bars
  Eigen::MatrixXd loads = {};    ///< force on each coordinate per unit of x, 2 (segments + 1) x 2, N; empty: x_0 pushes
                                 ///< down on the crown, x_1 on the quarter point (node segments / 4)
};

/// An elastic arch between two hinges, which snaps through: a discrete elastic rod in the plane,
///
///     E(p, x) = sum over segments EA/2 l (|e|/l - 1)^2
///               + sum over inner nodes EI/(2 l) (phi - phi_0)^2 - x . loads^T p,
///
/// with e the segments, l their rest lengths, and phi the turning angles (Bergou et al. 2008, in the plane). Its
/// equilibria are found by Newton's method with line search; an indefinite Hessian is used with the absolute values of
/// its eigenvalues, so that every answer is a minimum. The Jacobian is H^-1 loads.
///
///     Arch arch;
///     auto pressed = arch.settle(arch.rest(), {20, 0});   // y: node by node, x0 y0 x1 y1 ...; branch 1: up, -1: down
///
/// Under a small load it has two stable states: up and, where the arch is high or thin enough, down. Immutable; every
/// call is safe from many threads. Cost: about 0.3 ms for 32 segments.
class Arch {
 public:
  explicit Arch(ArchOptions options = {});

  const ArchOptions& options() const { return options_; }
  Eigen::Index output_size() const { return rest_.size(); }  ///< 2 (segments + 1)
  const Eigen::VectorXd& rest() const { return rest_; }
  /// Up, and its mirror image.
  std::vector<Eigen::VectorXd> starts() const;

  double crown_height(const Eigen::VectorXd& y) const { return y[options_.segments + 1]; }

  /// The stable equilibrium that descent in energy reaches from a start; empty if Newton's method does not converge.
  std::optional<Equilibrium> settle(const Eigen::VectorXd& start, const Point<2>& x) const;

  /// What a guess of y is off by, from the equilibrium on its own branch (see Verifiable). False if the Hessian at
  /// either is not positive definite, or if Newton's corrections do not contract.
  bool correction(const Point<2>& x, const Eigen::VectorXd& guess, const ErrorNorm& norm, Eigen::VectorXd& dy) const;

  double energy(const Eigen::VectorXd& y, const Point<2>& x) const;
  /// gradient: by all coordinates; hessian: likewise, full and symmetric. Both are resized. Returns the energy.
  double derivatives(const Eigen::VectorXd& y, const Point<2>& x, Eigen::VectorXd& gradient,
                     Eigen::MatrixXd& hessian) const;

 private:
  ArchOptions options_;
  Eigen::VectorXd rest_, lengths_, angles_;
};

}  // namespace studies::branches
