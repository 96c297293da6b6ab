// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

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
    forces_.resize(at_.size());
  }

  using In = Eigen::Ref<const Eigen::VectorXd>;
  using Out = Eigen::Ref<Eigen::VectorXd>;
  using OutMatrix = Eigen::Ref<Eigen::MatrixXd>;  ///< n x n

  /// By mj_inverse.
  void inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau) {
    set(data_->qpos, q);
    set(data_->qvel, qd);
    set(data_->qacc, qdd);
    mj_inverse(model_.get(), data_.get());
    get(data_->qfrc_inverse, tau);
  }

  /// The same by mj_rne and what it needs of mj_inverse.
  void newton_euler(const In& q, const In& qd, const In& qdd, Out tau) {
    set(data_->qpos, q);
    set(data_->qvel, qd);
    set(data_->qacc, qdd);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 1, forces_.data());
    get(forces_.data(), tau);
  }

  /// By mj_forward, without sensors.
  void forward_dynamics(const In& q, const In& qd, const In& tau, Out qdd) {
    set(data_->qpos, q);
    set(data_->qvel, qd);
    set(data_->qfrc_applied, tau);
    mj_forwardSkip(model_.get(), data_.get(), mjSTAGE_NONE, 1);
    get(data_->qacc, qdd);
  }

  /// The same by mj_crb, mj_factorM, mj_rne, mj_solveM and what they need of mj_forward.
  void composite_bodies(const In& q, const In& qd, const In& tau, Out qdd) {
    set(data_->qpos, q);
    set(data_->qvel, qd);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    mj_factorM(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 0, forces_.data());
    for (std::size_t i = 0; i < at_.size(); ++i)
      forces_[static_cast<std::size_t>(at_[i])] =
          tau[static_cast<Eigen::Index>(i)] - forces_[static_cast<std::size_t>(at_[i])];
    mj_solveM(model_.get(), data_.get(), data_->qacc, forces_.data(), 1);
    get(data_->qacc, qdd);
  }

  /// Derivatives of qdd by q and qd from mjd_transitionFD, one-sided differences of a step, and M^-1 by mj_solveM.
  void forward_dynamics_derivatives(const In& q, const In& qd, const In& tau, double difference, OutMatrix by_q,
                                    OutMatrix by_qd, OutMatrix by_tau) {
    set(data_->qpos, q);
    set(data_->qvel, qd);
    set(data_->qfrc_applied, tau);
    const Eigen::Index n = by_q.rows();
    step_.resize(2 * n, 2 * n);
    mjd_transitionFD(model_.get(), data_.get(), difference, 0, step_.data(), nullptr, nullptr, nullptr);
    full_.setIdentity(n, n);
    inverse_.resize(n, n);
    mj_solveM(model_.get(), data_.get(), inverse_.data(), full_.data(), static_cast<int>(n));
    const double duration = model_->opt.timestep;
    for (std::size_t k = 0; k < at_.size(); ++k)
      for (std::size_t l = 0; l < at_.size(); ++l) {
        const auto i = static_cast<Eigen::Index>(k), j = static_cast<Eigen::Index>(l);
        by_q(i, j) = step_(n + at_[k], at_[l]) / duration;
        by_qd(i, j) = (step_(n + at_[k], n + at_[l]) - (k == l ? 1 : 0)) / duration;
        by_tau(i, j) = inverse_(at_[k], at_[l]);
      }
  }

  /// After the stages of mj_forward that it needs. M: n x n.
  void mass_matrix(const In& q, OutMatrix M) {
    set(data_->qpos, q);
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
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void set(mjtNum* of_joints, const In& values) const {
    for (std::size_t i = 0; i < at_.size(); ++i) of_joints[at_[i]] = values[static_cast<Eigen::Index>(i)];
  }
  void get(const mjtNum* of_joints, Out& values) const {
    for (std::size_t i = 0; i < at_.size(); ++i) values[static_cast<Eigen::Index>(i)] = of_joints[at_[i]];
  }

  std::unique_ptr<mjModel, void (*)(mjModel*)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data_{nullptr, mj_deleteData};
  std::vector<int> at_;
  std::vector<mjtNum> forces_;
  RowMajor full_, step_, inverse_;
};

}  // namespace quoin::rigid_body
