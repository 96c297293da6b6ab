// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/rigid_body_tree.hpp"

#include <mujoco/mujoco.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <cstring>
#include <iomanip>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace quoin::rigid_body {

/// A joint of the tree with all its descendants, in MuJoCo's format.
inline void write_body(const RigidBodyTree& tree, int joint, std::ostream& out) {
  const Eigen::Isometry3d& place = tree.placement(joint);
  const Eigen::Quaterniond q(place.linear());
  const Inertia body = inertia_of(tree.parameters().col(joint));
  // Principal axes found here: those that MuJoCo 2.2.2 finds of a full inertia are right to 1e-6 only.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(body.about_centre);
  Eigen::Matrix3d axes = principal.eigenvectors();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  const Eigen::Quaterniond turned(axes);
  out << "<body pos='" << place.translation().transpose() << "' quat='" << q.w() << ' ' << q.vec().transpose()
      << "'><inertial pos='" << body.centre.transpose() << "' quat='" << turned.w() << ' ' << turned.vec().transpose()
      << "' mass='" << body.mass << "' diaginertia='" << principal.eigenvalues().transpose() << "'/><joint name='"
      << tree.link_name(joint) << "' type='" << (tree.joint(joint).type == JointType::prismatic ? "slide" : "hinge")
      << "' axis='" << tree.joint(joint).axis.transpose() << "'/>";
  for (int child = joint + 1; child < tree.joints(); ++child)
    if (tree.parent(child) == joint) write_body(tree, child, out);
  out << "</body>";
}

/// The tree as MuJoCo sees it. Its joints are named after the tree's links.
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
                        Eigen::Ref<Eigen::VectorXd> tau) {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      data_->qpos[at_[i]] = q[static_cast<Eigen::Index>(i)];
      data_->qvel[at_[i]] = qd[static_cast<Eigen::Index>(i)];
      data_->qacc[at_[i]] = qdd[static_cast<Eigen::Index>(i)];
    }
    mj_inverse(model_.get(), data_.get());
    for (std::size_t i = 0; i < at_.size(); ++i) tau[static_cast<Eigen::Index>(i)] = data_->qfrc_inverse[at_[i]];
  }

  /// After the stages of mj_forward that it needs. M: n x n.
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) {
    for (std::size_t i = 0; i < at_.size(); ++i) data_->qpos[at_[i]] = q[static_cast<Eigen::Index>(i)];
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    full_.resize(M.rows(), M.cols());
    mj_fullM(model_.get(), full_.data(), data_->qM);
    for (std::size_t j = 0; j < at_.size(); ++j)
      for (std::size_t i = 0; i < at_.size(); ++i)
        M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = full_(at_[i], at_[j]);
  }

 private:
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data_{nullptr, mj_deleteData};
  std::vector<int> at_;
  Eigen::MatrixXd full_;
};

}  // namespace quoin::rigid_body
