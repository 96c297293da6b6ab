// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace quoin::rigid_body {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(std::numeric_limits<double>::max_digits10);  // applies to vectors
  text << "RigidBodyTree: ";
  const auto add = [&text](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>)
      text << to_text(part);
    else
      text << part;
  };
  (add(parts), ...);
  throw std::invalid_argument(text.str());
}

void check_joint(const std::string& where, const Joint& joint) {
  if (joint.type == JointType::fixed) return;
  if (!joint.axis.allFinite() || std::abs(joint.axis.norm() - 1) > 1e-9)
    refuse(where, "axis (", joint.axis.transpose(), ") has length ", joint.axis.norm(), " instead of 1");
  if (std::isnan(joint.lower) || std::isnan(joint.upper) || joint.lower > joint.upper)
    refuse(where, "limits from ", joint.lower, " to ", joint.upper, " leave nothing");
  if (!(joint.velocity >= 0) || !(joint.effort >= 0))
    refuse(where, "limits of velocity ", joint.velocity, " and effort ", joint.effort, " must not be negative");
  for (const auto& [what, value] : {std::pair{"damping", joint.damping}, std::pair{"friction", joint.friction}})
    if (!std::isfinite(value) || value < 0) refuse(where, what, " ", value, " must be finite and not negative");
}

void check_body(const std::string& where, const Link& link) {
  const Eigen::Matrix3d R = link.placement.linear();
  const double defect = (R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!link.placement.matrix().allFinite() || !(defect < 1e-9) || R.determinant() < 0)
    refuse(where, "its placement is not a rotation with a translation: R R^T misses 1 by ", defect,
           ", det R = ", R.determinant());
  const Inertia& body = link.inertia;
  if (!std::isfinite(body.mass) || body.mass < 0)
    refuse(where, "mass ", body.mass, " kg must be finite and not negative");
  if (!body.centre.allFinite()) refuse(where, "centre of mass (", body.centre.transpose(), ") is not finite");
  const double asymmetry = (body.about_centre - body.about_centre.transpose()).cwiseAbs().maxCoeff();
  if (!body.about_centre.allFinite() || asymmetry > 1e-9 * body.about_centre.cwiseAbs().maxCoeff())
    refuse(where, "the inertia about the centre is not symmetric: entries differ by ", asymmetry);
}

/// A rotation whose third column is the axis; made of zeros and ones where possible.
Eigen::Matrix3d axes_along(const Eigen::Vector3d& axis) {
  Eigen::Index main = 0;
  axis.cwiseAbs().maxCoeff(&main);
  Eigen::Matrix3d axes;
  axes.col(2) = axis;
  axes.col(0) = Eigen::Vector3d::Unit((main + 1) % 3);
  axes.col(0) = (axes.col(0) - axes.col(0).dot(axis) * axis).normalized();
  axes.col(1) = axis.cross(axes.col(0));
  return axes;
}

detail::Vector3<double> flat(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
detail::Matrix3<double> flat(const Eigen::Matrix3d& m) {
  return {flat(Eigen::Vector3d(m.col(0))), flat(Eigen::Vector3d(m.col(1))), flat(Eigen::Vector3d(m.col(2)))};
}

}  // namespace

RigidBodyTree::RigidBodyTree(const std::vector<Link>& links) {
  std::unordered_map<std::string, Frame> known;
  std::unordered_set<std::string> joint_names;
  std::vector<Eigen::Matrix3d> axes;
  std::vector<BodyParameters> bodies;
  for (const Link& link : links) {
    if (link.name.empty()) refuse("link ", &link - links.data(), " has no name");
    const std::string where = "link '" + link.name + "': ";
    if (known.contains(link.name)) refuse(where, "the name stands twice");
    if (!link.parent.empty() && !known.contains(link.parent))
      refuse(where, "its parent '", link.parent, "' does not stand before it");
    check_joint(where, link.joint);
    check_body(where, link);
    if (!link.joint.name.empty() && !joint_names.insert(link.joint.name).second)
      refuse(where, "the name of its joint, '", link.joint.name, "', stands twice");

    const Frame parent = link.parent.empty() ? Frame{} : known.at(link.parent);
    const Eigen::Isometry3d placement = parent.placement * link.placement;
    const BodyParameters body = body_parameters(link.inertia);
    Frame frame{parent.joint, placement};
    if (link.joint.type == JointType::fixed) {
      if (parent.joint >= 0) bodies[static_cast<std::size_t>(parent.joint)] += transformed(body, placement);
    } else {
      frame = {joints(), Eigen::Isometry3d::Identity()};
      joints_.push_back(link.joint);
      link_names_.push_back(link.name);
      parents_.push_back(parent.joint);
      placements_.push_back(placement);
      bodies.push_back(body);

      axes.push_back(axes_along(link.joint.axis));
      const Eigen::Matrix3d above =
          parent.joint < 0 ? Eigen::Matrix3d::Identity() : axes[static_cast<std::size_t>(parent.joint)];
      segments_.push_back({.parent = parent.joint + 1,
                           .prismatic = link.joint.type == JointType::prismatic,
                           .turned = axes.back() != Eigen::Matrix3d::Identity(),
                           .rotation = flat(Eigen::Matrix3d(above.transpose() * placement.linear() * axes.back())),
                           .offset = flat(Eigen::Vector3d(above.transpose() * placement.translation())),
                           .axes = flat(axes.back())});
    }
    known.emplace(link.name, frame);
    frames_.emplace_back(link.name, frame);
  }
  parameters_.resize(13, joints());
  for (int i = 0; i < joints(); ++i) parameters_.col(i) = bodies[static_cast<std::size_t>(i)];
}

bool RigidBodyTree::is_ancestor(int ancestor, int joint) const {
  while (joint > ancestor) joint = parent(joint);
  return joint == ancestor;
}

Frame RigidBodyTree::frame(const std::string& link) const {
  for (const auto& [name, frame] : frames_)
    if (name == link) return frame;
  throw std::invalid_argument("RigidBodyTree::frame: there is no link '" + link + "'");
}

int RigidBodyTree::joint_index(const std::string& joint) const {
  for (int i = 0; i < joints(); ++i)
    if (this->joint(i).name == joint) return i;
  throw std::invalid_argument("RigidBodyTree::joint_index: there is no moving joint '" + joint + "'");
}

RigidBodyTree RigidBodyTree::with_parameters(const Parameters& parameters) const {
  if (parameters.cols() != joints())
    throw std::invalid_argument("RigidBodyTree::with_parameters: " + to_text(parameters.cols()) + " columns for " +
                                to_text(joints()) + " moving joints");
  RigidBodyTree other = *this;
  other.parameters_ = parameters;
  return other;
}

}  // namespace quoin::rigid_body
