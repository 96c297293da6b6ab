// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/rigid_body/urdf.hpp"

#include "urdf_elements.hpp"

#include "quoin/core/to_text.hpp"
#include "quoin/models/rigid_body/rigid_body_tree.hpp"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace quoin::rigid_body {
namespace {

/// Catches what urdfdom would print. console_bridge has one handler for the whole process, hence the lock.
class CaughtComplaints final : public console_bridge::OutputHandler {
 public:
  CaughtComplaints() : lock_(mutex()), previous_(console_bridge::getOutputHandler()) {
    console_bridge::useOutputHandler(this);
  }
  ~CaughtComplaints() override { console_bridge::useOutputHandler(previous_); }
  CaughtComplaints(const CaughtComplaints&) = delete;
  CaughtComplaints& operator=(const CaughtComplaints&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) text_ += (text_.empty() ? "" : "; ") + text;
  }
  const std::string& text() const { return text_; }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
  console_bridge::OutputHandler* previous_;
  std::string text_;
};

urdf::ModelInterfaceSharedPtr parse_model(const std::string& text, const std::string& file) {
  CaughtComplaints complaints;
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& error) {
    throw std::runtime_error(file + ": urdfdom: " + error.what());
  }
  if (!model || !complaints.text().empty())
    throw std::runtime_error(file +
                             ": urdfdom: " + (complaints.text().empty() ? "it is no valid robot" : complaints.text()));
  return model;
}

Eigen::Vector3d vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Eigen::Isometry3d pose_of(const urdf::Pose& pose) {
  const Eigen::Quaterniond q(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
  Eigen::Isometry3d placement = Eigen::Isometry3d::Identity();
  placement.linear() = q.normalized().toRotationMatrix();
  placement.translation() = vector_of(pose.position);
  return placement;
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
      : model_(model), elements_(elements), file_(file) {
    add(*model.getRoot(), nullptr);
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
    if (from.inertial) link.inertia = body_of(*from.inertial);
    links.push_back(std::move(link));
    for (const std::string& name : elements_.joints) {
      const auto child = model_.getJoint(name);
      if (child->parent_link_name == from.name) add(*model_.getLink(child->child_link_name), child.get());
    }
  }

  bool carries_inertia(const urdf::Link& link) const {
    if (link.inertial) return true;
    for (const auto& joint : link.child_joints)
      if (joint->type == urdf::Joint::FIXED && carries_inertia(*model_.getLink(joint->child_link_name))) return true;
    return false;
  }

  Joint joint_of(const urdf::Joint& from) const {
    const auto refuse = [&](const std::string& reason) {
      refuse_urdf(file_, elements_.lines.at("joint " + from.name), "joint", from.name, reason);
    };
    Joint joint{.name = from.name};
    if (from.type == urdf::Joint::FIXED) return joint;
    joint.type = from.type == urdf::Joint::PRISMATIC ? JointType::prismatic : JointType::revolute;
    if (!carries_inertia(*model_.getLink(from.child_link_name)))
      refuse("its link '" + from.child_link_name + "' moves, but neither it nor what is fixed to it has an <inertial>");

    joint.axis = vector_of(from.axis);
    const double length = joint.axis.norm();
    if (!(std::abs(length - 1) < 1e-3)) {
      std::ostringstream reason;
      reason << "the axis (" << joint.axis.transpose() << ") has length " << length << " instead of 1";
      refuse(reason.str());
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

  const urdf::ModelInterface& model_;
  const UrdfElements& elements_;
  const std::string& file_;
};

}  // namespace

std::vector<Link> parse_urdf(const std::string& text, const std::string& name) {
  TiXmlDocument document;
  document.Parse(text.c_str(), nullptr, TIXML_ENCODING_UTF8);
  if (document.Error())
    throw std::runtime_error(name + ":" + to_text(document.ErrorRow()) + ": not XML: " + document.ErrorDesc());
  const UrdfElements elements = check_elements(document, name);
  const urdf::ModelInterfaceSharedPtr model = parse_model(text, name);
  Conversion conversion(*model, elements, name);
  try {
    RigidBodyTree{conversion.links};
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(name + ": " + error.what());
  }
  return std::move(conversion.links);
}

std::vector<Link> read_urdf(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw std::runtime_error(file.string() + ": cannot be read");
  return parse_urdf(text.str(), file.string());
}

}  // namespace quoin::rigid_body
