// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/detail/mesh_extrapolation.hpp"

#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::swimmer::detail {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("ExtrapolatedAddedMass: " + why); }

void require_same_mechanism(const Swimmer& coarse, const Swimmer& fine) {
  if (coarse.links() != fine.links())
    refuse("the coarse swimmer has " + to_text(coarse.links()) + " links, the fine one " + to_text(fine.links()));
  if (coarse.fluid_density() != fine.fluid_density())
    refuse("the coarse swimmer is in a fluid of density " + to_text(coarse.fluid_density()) +
           ", the fine one in one of " + to_text(fine.fluid_density()));
  for (int k = 0; k < fine.hinges(); ++k) {
    const Hinge &a = coarse.hinge(k), &b = fine.hinge(k);
    const double axes = (a.axis - b.axis).norm();
    const double points = (a.in_parent - b.in_parent).norm() + (a.in_link - b.in_link).norm();
    if (a.parent != b.parent || axes > 1e-12 || points > 1e-12 * (b.in_parent.norm() + b.in_link.norm()))
      refuse("hinge " + to_text(k) + " is not the same on both meshes: its parents are links " + to_text(a.parent) +
             " and " + to_text(b.parent) + ", its axes differ by " + to_text(axes) + " and its points by " +
             to_text(points) + " m");
  }
}

// The coarse error over the difference of the errors: one number, because all links are refined alike.
double difference_weight(const Swimmer& coarse, const Swimmer& fine) {
  const auto panels = [](const Swimmer& swimmer, int link) { return swimmer.link(link).surface.triangles.cols(); };
  const auto c = panels(coarse, 0), f = panels(fine, 0);
  for (int b = 0; b < fine.links(); ++b) {
    const auto cb = panels(coarse, b), fb = panels(fine, b);
    if (fb <= cb)
      refuse("link " + to_text(b) + " has " + to_text(cb) + " panels on the coarse mesh and " + to_text(fb) +
             " on the fine one, which needs more");
    if (cb * f != fb * c)
      refuse("link " + to_text(b) + " has " + to_text(cb) + " and " + to_text(fb) + " panels, link 0 has " +
             to_text(c) + " and " + to_text(f) + ": all links need the same ratio");
  }
  return static_cast<double>(c) / static_cast<double>(f - c);
}

}  // namespace

MeshExtrapolation::MeshExtrapolation(SwimmerFlow coarse, SwimmerFlow fine)
    : coarse_(std::move(coarse)), fine_(std::move(fine)) {
  require_same_mechanism(coarse_.swimmer(), fine_.swimmer());
  weight_ = difference_weight(coarse_.swimmer(), fine_.swimmer());
}

void MeshExtrapolation::added_mass(const Eigen::VectorXd& q, Motion motion, Eigen::VectorXd& y,
                                   Eigen::MatrixXd* J) const {
  Eigen::VectorXd at_coarse;
  Eigen::MatrixXd dat_coarse;
  coarse_.added_mass(q, motion, at_coarse, J ? &dat_coarse : nullptr);
  fine_.added_mass(q, motion, y, J);
  y += weight_ * (y - at_coarse);
  if (J) *J += weight_ * (*J - dat_coarse);
  require_positive_energy(q, motion, y);
}

void MeshExtrapolation::require_positive_energy(const Eigen::VectorXd& q, Motion motion,
                                                const Eigen::VectorXd& added) const {
  const Swimmer& swimmer = fine_.swimmer();
  const int twist = twist_size(motion);
  Eigen::MatrixXd total(twist * swimmer.links(), twist * swimmer.links());
  unpack_symmetric(added, total);
  for (int b = 0; b < swimmer.links(); ++b) {
    auto own = total.block(twist * b, twist * b, twist, twist);
    if (motion == Motion::planar)
      own += swimmer.mass_matrix(b)(planar_components, planar_components);
    else
      own += swimmer.mass_matrix(b);
  }
  if (total.llt().info() == Eigen::Success) return;
  const linear_algebra::SymmetricEigen spectrum(total);
  throw std::domain_error("ExtrapolatedAddedMass: at |q| = " + to_text(q.norm()) +
                          " the extrapolated mass of links and water is not positive definite, its smallest "
                          "eigenvalue is " +
                          to_text(spectrum.eigenvalues()[0]) + ": the coarse mesh is too coarse");
}

}  // namespace quoin::swimmer::detail
