// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"

#include "pack.hpp"

#include "quoin/robots/models/rigid_body/detail/newton_euler.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::rigid_body {

using detail::Body;
using detail::LinkMotion;
using detail::Matrix3;
using detail::Pack;
using detail::pack_lanes;
using detail::Segment;
using detail::Twist;
using detail::Wrench;

struct BatchNewtonEuler::Lanes {
  Lanes(RigidBodyTree its_tree, const DynamicsOptions& its_options)
      : tree(std::move(its_tree)),
        options(its_options),
        joints(tree.joints()),
        bodies(tree.segments().size()),
        sine(bodies.size()),
        cosine(bodies.size()),
        q(bodies.size()),
        qd(bodies.size()),
        qdd(bodies.size()),
        w(bodies.size()),
        force(bodies.size()),
        rotations(bodies.size() + 1),
        motions(bodies.size() + 1),
        wrenches(bodies.size() + 1),
        twists(bodies.size() + 1),
        gradients(bodies.size()) {
    if (!options.gravity.allFinite()) throw std::invalid_argument("BatchNewtonEuler: the gravity is not finite");
    const auto none = detail::zero_vector<Pack>();
    motions[0] = {none, none, {-options.gravity[0], -options.gravity[1], -options.gravity[2]}};
    twists[0] = {none, none};
  }

  void set(const InParameters& parameters) {
    for (int i = 0; i < joints; ++i)
      bodies[static_cast<std::size_t>(i)] =
          detail::turned_body<double>(tree.segments()[static_cast<std::size_t>(i)], parameters.col(i));
  }

  /// Loads the states from `first` on; unused lanes repeat the last state.
  void load(const In& from, Eigen::Index first, std::vector<Pack>& to) const {
    const double* columns[pack_lanes];
    for (int k = 0; k < pack_lanes; ++k) {
      const Eigen::Index state = std::min<Eigen::Index>(first + k, from.cols() - 1);
      columns[k] = from.data() + state * from.outerStride();
    }
    for (std::size_t i = 0; i < to.size(); ++i)
      for (int k = 0; k < pack_lanes; ++k) to[i][k] = columns[k][i];
  }

  void check(const char* function, const char* what, Eigen::Index rows, Eigen::Index columns, Eigen::Index wanted_rows,
             Eigen::Index wanted_columns) const {
    if (rows != wanted_rows || columns != wanted_columns)
      throw std::invalid_argument(std::string("BatchNewtonEuler::") + function + ": " + what + " is " + to_text(rows) +
                                  " x " + to_text(columns) + " instead of " + to_text(wanted_rows) + " x " +
                                  to_text(wanted_columns));
  }

  void add_friction(const In& rates, Out& tau) const {
    if (options.friction == Friction::none) return;
    for (int i = 0; i < joints; ++i) {
      const Joint& joint = tree.joint(i);
      tau.row(i) += joint.damping * rates.row(i);
      if (options.friction == Friction::viscous || joint.friction == 0) continue;
      for (Eigen::Index state = 0; state < tau.cols(); ++state) {
        const double rate = rates(i, state);
        tau(i, state) += joint.friction * (options.friction_velocity > 0 ? std::tanh(rate / options.friction_velocity)
                                                                         : (rate > 0) - (rate < 0));
      }
    }
  }

  void inverse_dynamics(const In& all_q, const In& all_qd, const In& all_qdd, Out& tau) {
    const Eigen::Index states = all_q.cols();
    check("inverse_dynamics", "q", all_q.rows(), states, joints, states);
    check("inverse_dynamics", "qd", all_qd.rows(), all_qd.cols(), joints, states);
    check("inverse_dynamics", "qdd", all_qdd.rows(), all_qdd.cols(), joints, states);
    check("inverse_dynamics", "tau", tau.rows(), tau.cols(), joints, states);
    for (Eigen::Index first = 0; first < states; first += pack_lanes) {
      load(all_q, first, q);
      load(all_qd, first, qd);
      load(all_qdd, first, qdd);
      sines_cosines(q.data(), sine.data(), cosine.data(), joints);
      detail::newton_euler(tree.segments(), bodies.data(), sine.data(), cosine.data(), q.data(), qd.data(), qdd.data(),
                           rotations.data(), motions.data(), wrenches.data(), force.data());
      const int here = static_cast<int>(std::min<Eigen::Index>(pack_lanes, states - first));
      for (int k = 0; k < here; ++k)
        for (int i = 0; i < joints; ++i) tau(i, first + k) = force[static_cast<std::size_t>(i)][k];
    }
    add_friction(all_qd, tau);
  }

  void add_parameter_gradient(const In& all_q, const In& all_qd, const In& all_qdd, const In& all_w,
                              OutParameters& gradient) {
    const Eigen::Index states = all_q.cols();
    check("add_parameter_gradient", "q", all_q.rows(), states, joints, states);
    check("add_parameter_gradient", "qd", all_qd.rows(), all_qd.cols(), joints, states);
    check("add_parameter_gradient", "qdd", all_qdd.rows(), all_qdd.cols(), joints, states);
    check("add_parameter_gradient", "w", all_w.rows(), all_w.cols(), joints, states);
    check("add_parameter_gradient", "the gradient", gradient.rows(), gradient.cols(), 13, joints);
    for (Body<Pack>& sum : gradients) sum = {Pack(0.0), detail::zero_vector<Pack>(), detail::zero_matrix<Pack>()};
    for (Eigen::Index first = 0; first < states; first += pack_lanes) {
      load(all_q, first, q);
      load(all_qd, first, qd);
      load(all_qdd, first, qdd);
      load(all_w, first, w);
      for (Pack& weight : w)
        for (Eigen::Index k = states - first; k < pack_lanes; ++k) weight[static_cast<int>(k)] = 0;
      sines_cosines(q.data(), sine.data(), cosine.data(), joints);
      for (std::size_t i = 0; i < bodies.size(); ++i) add_link_gradient(i);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      std::array<Pack, 13> part;
      detail::write_gradient(tree.segments()[i], gradients[i], part);
      for (int k = 0; k < 13; ++k)
        for (int lane = 0; lane < pack_lanes; ++lane)
          gradient(k, static_cast<Eigen::Index>(i)) += part[static_cast<std::size_t>(k)][lane];
    }
  }

  void add_link_gradient(std::size_t i) {
    const Segment& segment = tree.segments()[i];
    const auto parent = static_cast<std::size_t>(segment.parent);
    const Matrix3<Pack> R = detail::rotation_of(segment, sine[i], cosine[i]);
    motions[i + 1] = detail::motion_of(segment, R, motions[parent], q[i], qd[i], qdd[i]);
    Twist<Pack>& twist = twists[i + 1];
    twist = detail::carried(segment, R, twists[parent], q[i]);
    (segment.prismatic ? twist.linear.z : twist.angular.z) += w[i];
    const Body<Pack> part = detail::power_gradient(twist, motions[i + 1]);
    gradients[i].mass += part.mass;
    gradients[i].h += part.h;
    gradients[i].inertia += part.inertia;
  }

  RigidBodyTree tree;
  DynamicsOptions options;
  int joints;
  std::vector<Body<double>> bodies;
  std::vector<Pack> sine, cosine, q, qd, qdd, w, force;
  std::vector<Matrix3<Pack>> rotations;
  std::vector<LinkMotion<Pack>> motions;
  std::vector<Wrench<Pack>> wrenches;
  std::vector<Twist<Pack>> twists;
  std::vector<Body<Pack>> gradients;
};

BatchNewtonEuler::BatchNewtonEuler(RigidBodyTree tree, const DynamicsOptions& options)
    : lanes_(std::make_unique<Lanes>(std::move(tree), options)) {}
BatchNewtonEuler::BatchNewtonEuler(const BatchNewtonEuler& other) : lanes_(std::make_unique<Lanes>(*other.lanes_)) {}
BatchNewtonEuler::BatchNewtonEuler(BatchNewtonEuler&&) noexcept = default;
BatchNewtonEuler& BatchNewtonEuler::operator=(BatchNewtonEuler other) noexcept {
  lanes_ = std::move(other.lanes_);
  return *this;
}
BatchNewtonEuler::~BatchNewtonEuler() = default;

const RigidBodyTree& BatchNewtonEuler::tree() const { return lanes_->tree; }
int BatchNewtonEuler::lanes() { return pack_lanes; }

void BatchNewtonEuler::inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau) {
  lanes_->set(lanes_->tree.parameters());
  lanes_->inverse_dynamics(q, qd, qdd, tau);
}

void BatchNewtonEuler::inverse_dynamics(const In& q, const In& qd, const In& qdd, const InParameters& parameters,
                                        Out tau) {
  lanes_->check("inverse_dynamics", "the parameters", parameters.rows(), parameters.cols(), 13, lanes_->joints);
  lanes_->set(parameters);
  lanes_->inverse_dynamics(q, qd, qdd, tau);
}

void BatchNewtonEuler::add_parameter_gradient(const In& q, const In& qd, const In& qdd, const In& w,
                                              OutParameters gradient) {
  lanes_->add_parameter_gradient(q, qd, qdd, w, gradient);
}

}  // namespace quoin::rigid_body
