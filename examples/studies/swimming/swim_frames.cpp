// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimming/swim_frames.hpp"

#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"

#include <utility>

namespace studies::stroke {

using swimmer::Motion;

std::vector<SwimFrame> swim_frames(const Fish& fish, const GridView<joints>& water, const Eigen::MatrixXd& states,
                                   const std::vector<Eigen::Index>& instants) {
  using Mass = swimmer::GeneralizedMass<joints, GridView<joints>>;
  const swimmer::SwimmerDynamics<joints, Mass> swim(Mass(fish.body, Motion::planar, water), Motion::planar,
                                                    {.time_step = fish.setup.time_step});
  const swimmer::SwimmerFlow& flow = fish.water.flow();
  std::vector<SwimFrame> frames;
  Eigen::MatrixXd jacobians;
  for (const Eigen::Index i : instants) {
    const Eigen::VectorXd x = states.col(i), q = x.head<joints>(), w = swim.velocity(x);
    SwimFrame frame{.time = static_cast<double>(i) * fish.setup.time_step,
                    .poses = fish.body.poses(swim.base_pose(x), q)};
    const Eigen::VectorXd potential = flow.potentials(q, Motion::planar) * w;
    fish.body.link_jacobians(q, jacobians);
    Eigen::VectorXd velocities = Eigen::VectorXd::Zero(6 + joints);
    velocities(swimmer::planar_components) = w.head<3>();
    velocities.tail<joints>() = w.tail<joints>();
    const Eigen::VectorXd twists = jacobians * velocities;
    for (int b = 0; b < fish.body.links(); ++b) {
      const Eigen::Index first = flow.flow().first_vertex(b);
      frame.potential.emplace_back(potential.segment(first, flow.flow().first_vertex(b + 1) - first));
      const Eigen::Vector3d turning = twists.segment<3>(6 * b), moving = twists.segment<3>(6 * b + 3);
      const Eigen::Matrix3Xd& vertices = fish.body.link(b).surface.vertices;
      Eigen::Matrix3Xd velocity(3, vertices.cols());
      for (Eigen::Index v = 0; v < vertices.cols(); ++v)
        velocity.col(v) = frame.poses[static_cast<std::size_t>(b)].linear() * (moving + turning.cross(vertices.col(v)));
      frame.velocity.push_back(std::move(velocity));
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

std::vector<Eigen::Index> every_so_many(Eigen::Index every, Eigen::Index count) {
  std::vector<Eigen::Index> instants;
  for (Eigen::Index i = 0; i < count; i += every) instants.push_back(i);
  return instants;
}

Eigen::Matrix3Xd locus(const Fish& fish, const Eigen::MatrixXd& states) {
  const CentreOfMass centre(fish.body);
  Eigen::Matrix3Xd path = Eigen::Matrix3Xd::Zero(3, states.cols());
  for (Eigen::Index i = 0; i < states.cols(); ++i) path.col(i).head<2>() = centre(states.col(i));
  return path;
}

}  // namespace studies::stroke
