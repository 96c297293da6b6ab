// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Geometry>
#include <mujoco/mujoco.h>

#include <cstring>
#include <iomanip>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace quoin::rigid_body {

/// A joint of the tree with all that hangs on it, in MuJoCo's language.
inline void write_body(const RigidBodyTree& tree, int joint, std::ostream& out) {
  const Eigen::Isometry3d& place = tree.placement(joint);
  const Eigen::Quaterniond q(place.linear());
  const Inertia body = inertia_of(tree.parameters().col(joint));
  const Eigen::Matrix3d& I = body.about_centre;
  out << "<body pos='" << place.translation().transpose() << "' quat='" << q.w() << ' ' << q.vec().transpose()
      << "'><inertial pos='" << body.centre.transpose() << "' mass='" << body.mass << "' fullinertia='" << I(0, 0)
      << ' ' << I(1, 1) << ' ' << I(2, 2) << ' ' << I(0, 1) << ' ' << I(0, 2) << ' ' << I(1, 2) << "'/><joint name='"
      << tree.link_name(joint) << "' type='" << (tree.joint(joint).type == JointType::prismatic ? "slide" : "hinge")
      << "' axis='" << tree.joint(joint).axis.transpose() << "'/>";
  for (int child = joint + 1; child < tree.joints(); ++child)
    if (tree.parent(child) == joint) write_body(tree, child, out);
  out << "</body>";
}

/// The tree as MuJoCo sees it, for mj_inverse. Its joints are named after the tree's links.
class MujocoTree {
 public:
  explicit MujocoTree(const RigidBodyTree& tree) {
    std::ostringstream xml;
    xml << std::setprecision(17)
        << "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option gravity='0 0 -9.81'>"
           "<flag contact='disable' constraint='disable'/></option><worldbody>";
    for (int i = 0; i < tree.joints(); ++i)
      if (tree.parent(i) < 0) write_body(tree, i, xml);
    xml << "</worldbody></mujoco>";
    const std::string text = xml.str();
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[500] = "";
    model_.reset(mj_loadXML("tree.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(std::string("mj_loadXML: ") + error);
    data_.reset(mj_makeData(model_.get()));
    for (int i = 0; i < tree.joints(); ++i)
      at_.push_back(model_->jnt_dofadr[mj_name2id(model_.get(), mjOBJ_JOINT, tree.link_name(i).c_str())]);
  }

  void inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd,
                        Eigen::VectorXd& tau) {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      data_->qpos[at_[i]] = q[static_cast<Eigen::Index>(i)];
      data_->qvel[at_[i]] = qd[static_cast<Eigen::Index>(i)];
      data_->qacc[at_[i]] = qdd[static_cast<Eigen::Index>(i)];
    }
    mj_inverse(model_.get(), data_.get());
    for (std::size_t i = 0; i < at_.size(); ++i) tau[static_cast<Eigen::Index>(i)] = data_->qfrc_inverse[at_[i]];
  }

 private:
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data_{nullptr, mj_deleteData};
  std::vector<int> at_;
};

}  // namespace quoin::rigid_body
