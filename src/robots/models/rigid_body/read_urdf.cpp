// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/urdf.hpp"

#include "document_urdf.hpp"

#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "quoin/util/files.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <stdexcept>
#include <unordered_set>
#include <utility>

namespace quoin::rigid_body {
namespace {

/// Why no body can have this inertia; empty if one can.
std::string impossibility(const Inertia& body) {
  if (!(body.mass >= 0)) return "mass " + to_text(body.mass) + " kg is negative";
  const Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(body.about_centre).eigenvalues();
  // The few digits in files put flat and thin bodies slightly outside the possible range.
  const double rounding = 0.01 * moments.cwiseAbs().maxCoeff();
  if (moments[0] >= -rounding && moments[2] <= moments[0] + moments[1] + rounding) return "";
  return "no body has the principal moments of inertia " + to_text(moments[0]) + ", " + to_text(moments[1]) + ", " +
         to_text(moments[2]) + " kg m^2: none is negative, none larger than the sum of the others";
}

Inertia body_of(const urdf::Inertial& inertial) {
  Eigen::Matrix3d I;
  I << inertial.ixx, inertial.ixy, inertial.ixz, inertial.ixy, inertial.iyy, inertial.iyz, inertial.ixz, inertial.iyz,
      inertial.izz;
  const Eigen::Isometry3d frame = pose_of(inertial.origin);
  I = (frame.linear() * I * frame.linear().transpose()).eval();
  return {.mass = inertial.mass, .centre = frame.translation(), .about_centre = 0.5 * (I + I.transpose())};
}

class Conversion {
 public:
  Conversion(const urdf::ModelInterface& model, const UrdfElements& elements, const std::string& file)
      : elements_(elements), file_(file) {
    for (auto name = elements.joints.rbegin(); name != elements.joints.rend(); ++name) {
      const urdf::Joint& joint = *model.getJoint(*name);
      const urdf::Link& child = *model.getLink(joint.child_link_name);
      if (child.inertial || carrying_.contains(child.name)) {
        carrying_.insert(child.name);
        if (joint.type == urdf::Joint::FIXED) carrying_.insert(joint.parent_link_name);
      }
    }
    add(*model.getLink(elements.root), nullptr);
    for (const std::string& name : elements.joints) {
      const urdf::Joint& joint = *model.getJoint(name);
      add(*model.getLink(joint.child_link_name), &joint);
    }
  }

  std::vector<Link> links;

 private:
  void add(const urdf::Link& from, const urdf::Joint* joint) {
    Link link;
    link.name = from.name;
    if (joint) {
      link.parent = joint->parent_link_name;
      link.joint = joint_of(*joint);
      link.placement = pose_of(joint->parent_to_joint_origin_transform);
    }
    if (from.inertial) {
      link.inertia = body_of(*from.inertial);
      if (const std::string reason = impossibility(link.inertia); !reason.empty())
        refuse_urdf(file_, elements_.lines.at("link " + from.name), "link", from.name, reason);
    }
    links.push_back(std::move(link));
  }

  Joint joint_of(const urdf::Joint& from) const {
    const auto refuse = [&](const std::string& reason) {
      refuse_urdf(file_, elements_.lines.at("joint " + from.name), "joint", from.name, reason);
    };
    Joint joint{.name = from.name};
    if (from.type == urdf::Joint::FIXED) return joint;
    joint.type = from.type == urdf::Joint::PRISMATIC ? JointType::prismatic : JointType::revolute;
    if (!carrying_.contains(from.child_link_name))
      refuse("its link '" + from.child_link_name + "' moves, but neither it nor what is fixed to it has an <inertial>");

    joint.axis = vector_of(from.axis);
    const double length = joint.axis.norm();
    if (!(std::abs(length - 1) < 1e-3)) {
      refuse("the axis (" + to_text(joint.axis[0]) + " " + to_text(joint.axis[1]) + " " + to_text(joint.axis[2]) +
             ") has length " + to_text(length) + " instead of 1");
    }
    joint.axis /= length;
    if (from.limits) {
      if (from.type != urdf::Joint::CONTINUOUS) {
        joint.lower = from.limits->lower;
        joint.upper = from.limits->upper;
      }
      joint.velocity = from.limits->velocity;
      joint.effort = from.limits->effort;
    }
    if (from.dynamics) {
      joint.damping = from.dynamics->damping;
      joint.friction = from.dynamics->friction;
    }
    return joint;
  }

  const UrdfElements& elements_;
  const std::string& file_;
  std::unordered_set<std::string> carrying_;  // links with an inertial, their own or of a link fixed to them
};

}  // namespace

std::vector<Link> parse_urdf(const std::string& text, const std::string& name) {
  const UrdfDocument document = parse_document(text, name);
  Conversion conversion(*document.model, document.elements, name);
  try {
    RigidBodyTree{conversion.links};
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(name + ": " + error.what());
  }
  return std::move(conversion.links);
}

std::vector<Link> read_urdf(const std::filesystem::path& file) {
  return parse_urdf(read_file(file, longest_urdf), file.string());
}

}  // namespace quoin::rigid_body
