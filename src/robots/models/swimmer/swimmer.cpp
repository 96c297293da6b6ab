// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/swimmer.hpp"

#include "quoin/map/point.hpp"
#include "quoin/robots/models/swimmer/hinge_transfer.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::swimmer {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("Swimmer: " + what); }

const LinkInertia& checked(const LinkInertia& inertia, int index) {
  const std::string who = "link " + to_text(index);
  if (!(inertia.mass > 0) || !std::isfinite(inertia.mass)) refuse(who + " has the mass " + to_text(inertia.mass));
  if (!inertia.centre.allFinite() || !inertia.inertia.allFinite()) refuse(who + " has an inertia that is not finite");
  const double scale = inertia.inertia.cwiseAbs().maxCoeff();
  if ((inertia.inertia - inertia.inertia.transpose()).cwiseAbs().maxCoeff() > 1e-9 * scale)
    refuse(who + " has an inertia that is not symmetric");
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(moments.minCoeff() >= -1e-9 * scale)) refuse(who + " has the principal moments of inertia " + to_text(moments));
  return inertia;
}

LinkInertia inertia_of(const Link& link, int index) {
  if (link.surface.vertices.cols() > 0 || !link.inertia)
    require_closed_surface(link.surface, "Swimmer: link " + to_text(index));
  if (link.inertia) return checked(*link.inertia, index);
  if (!(link.density > 0) || !std::isfinite(link.density))
    refuse("link " + to_text(index) + " has the density " + to_text(link.density));
  const SolidMoments moments = solid_moments(link.surface);
  return {link.density * moments.volume, moments.centroid, link.density * moments.inertia};
}

Hinge checked(Hinge hinge, int index) {
  const std::string who = "hinge " + to_text(index);
  if (hinge.parent < 0 || hinge.parent > index)
    refuse(who + " hangs on link " + to_text(hinge.parent) + ", wanted one of 0 to " + to_text(index));
  if (!hinge.axis.allFinite() || !(hinge.axis.norm() > 0)) refuse(who + " has the axis " + to_text(hinge.axis));
  if (!hinge.in_parent.allFinite() || !hinge.in_link.allFinite())
    refuse(who + " is at " + to_text(hinge.in_parent) + " and " + to_text(hinge.in_link));
  hinge.axis.normalize();
  return hinge;
}

}  // namespace

Swimmer::Swimmer(std::vector<Link> links, std::vector<Hinge> hinges, double fluid_density)
    : links_(std::move(links)), hinges_(std::move(hinges)), fluid_density_(fluid_density) {
  if (links_.size() != hinges_.size() + 1)
    refuse(to_text(links_.size()) + " links on " + to_text(hinges_.size()) +
           " hinges, wanted one link more than hinges");
  if (!(fluid_density >= 0) || !std::isfinite(fluid_density))
    refuse("the fluid's density is " + to_text(fluid_density));
  for (int k = 0; k < this->hinges(); ++k) hinges_[static_cast<std::size_t>(k)] = checked(hinge(k), k);
  inertias_.reserve(links_.size());
  for (int b = 0; b < this->links(); ++b) inertias_.push_back(inertia_of(link(b), b));
}

Eigen::Matrix<double, 6, 6> Swimmer::mass_matrix(int link) const {
  const LinkInertia& body = inertia(link);
  const Eigen::Matrix3d c = cross_matrix(body.centre);
  Eigen::Matrix<double, 6, 6> m;
  m << body.inertia - body.mass * c * c, body.mass * c, -body.mass * c, body.mass * Eigen::Matrix3d::Identity();
  return m;
}

double Swimmer::mass() const {
  double sum = 0;
  for (const LinkInertia& body : inertias_) sum += body.mass;
  return sum;
}

std::vector<Eigen::Isometry3d> Swimmer::poses(const Eigen::VectorXd& q) const {
  return poses(Eigen::Isometry3d::Identity(), q);
}

std::vector<Eigen::Isometry3d> Swimmer::poses(const Eigen::Isometry3d& base, const Eigen::VectorXd& q) const {
  check_angles(q, "poses");
  std::vector<Eigen::Isometry3d> poses(links_.size());
  poses[0] = base;
  for (int k = 0; k < hinges(); ++k) {
    const Hinge& h = hinge(k);
    poses[static_cast<std::size_t>(k) + 1] = poses[static_cast<std::size_t>(h.parent)] *
                                             Eigen::Translation3d(h.in_parent) * Eigen::AngleAxisd(q[k], h.axis) *
                                             Eigen::Translation3d(-h.in_link);
  }
  return poses;
}

Eigen::Vector3d Swimmer::centre_of_mass(const Eigen::VectorXd& q) const {
  const std::vector<Eigen::Isometry3d> all = poses(q);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int b = 0; b < links(); ++b) sum += inertia(b).mass * (all[static_cast<std::size_t>(b)] * inertia(b).centre);
  return sum / mass();
}

void Swimmer::link_jacobians(const Eigen::VectorXd& q, Eigen::MatrixXd& J) const {
  std::vector<Eigen::MatrixXd> dJ;
  link_jacobians(q, J, dJ);
}

void Swimmer::link_jacobians(const Eigen::VectorXd& q, Eigen::MatrixXd& J, std::vector<Eigen::MatrixXd>& dJ) const {
  check_angles(q, "link_jacobians");
  J.setZero(6 * links(), 6 + hinges());
  J.topLeftCorner<6, 6>().setIdentity();
  dJ.assign(hinges_.size(), J);
  for (Eigen::MatrixXd& d : dJ) d.setZero();
  for (int k = 0; k < hinges(); ++k) {
    const HingeTransfer<6> transfer(hinge(k));
    const auto X = transfer(q[k]);
    const int child = 6 * (k + 1), parent = 6 * transfer.parent();
    J.middleRows<6>(child) = X * J.middleRows<6>(parent);
    dJ[static_cast<std::size_t>(k)].middleRows<6>(child) = transfer.minus_ad() * J.middleRows<6>(child);
    J.middleRows<6>(child).col(6 + k) += transfer.screw();
    for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l)
      dJ[l].middleRows<6>(child) = X * dJ[l].middleRows<6>(parent);
  }
}

void Swimmer::require_planar(const std::string& caller) const {
  for (int k = 0; k < hinges(); ++k) {
    const Hinge& h = hinge(k);
    if (std::abs(std::abs(h.axis.z()) - 1) > 1e-12)
      throw std::invalid_argument(caller + ": planar motion needs hinges along z, hinge " + to_text(k) +
                                  " has the axis " + to_text(h.axis));
    const double offset = h.in_parent.z() - h.in_link.z();
    if (std::abs(offset) > 1e-12 * (h.in_parent.norm() + h.in_link.norm()))
      throw std::invalid_argument(caller + ": planar motion needs links on one plane, hinge " + to_text(k) +
                                  " lifts its link by " + to_text(offset) + " m");
  }
  for (int b = 0; b < links(); ++b) {
    const LinkInertia& body = inertia(b);
    const Eigen::Matrix3Xd& vertices = link(b).surface.vertices;
    const bool has_surface = vertices.cols() > 0;
    const double size = has_surface ? vertices.cwiseAbs().maxCoeff() : std::sqrt(body.inertia.trace() / body.mass);
    const double height = body.centre.z();
    const double product = std::max(std::abs(body.inertia(0, 2)), std::abs(body.inertia(1, 2)));
    const double skew = has_surface ? vertices.row(2).maxCoeff() + vertices.row(2).minCoeff() : 0;
    if (std::abs(height) > 1e-6 * size || product > 1e-6 * body.inertia.trace() || std::abs(skew) > 1e-6 * size)
      throw std::invalid_argument(caller + ": planar motion needs links that are symmetric about z = 0, link " +
                                  to_text(b) + " has its centre of mass at z = " + to_text(height) +
                                  ", a product of inertia " + to_text(product) +
                                  " and its top and bottom at z of sum " + to_text(skew));
  }
}

void Swimmer::check_angles(const Eigen::VectorXd& q, const char* who) const {
  if (q.size() != hinges())
    throw std::invalid_argument(std::string("Swimmer::") + who + ": " + to_text(q.size()) + " angles for " +
                                to_text(hinges()) + " hinges");
}

}  // namespace quoin::swimmer
