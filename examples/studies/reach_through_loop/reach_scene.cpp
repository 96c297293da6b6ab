// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/reach_scene.hpp"

#include "quoin/robots/geometry/margin_map.hpp"
#include "quoin/robots/planning/aico/end_state_posterior.hpp"
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace studies::loop {
namespace {

HollowBox draw(const BoxDistribution& from, std::mt19937_64& random) {
  const auto between = [&](double low, double high) {
    return low + (high - low) * std::generate_canonical<double, 53>(random);
  };
  const auto either = [&](double size) { return between(-size, size); };
  const double distance = between(from.nearest, from.farthest), azimuth = either(from.azimuth);
  const double height = between(from.lowest, from.highest);
  const double turn = either(from.turn), tilt = either(from.tilt), roll = either(from.roll);
  HollowBox box{.side = from.side};
  box.pose.translation() << distance * std::cos(azimuth), distance * std::sin(azimuth), height;
  box.pose.linear() = (Eigen::AngleAxisd(azimuth + turn, Eigen::Vector3d::UnitZ()) *
                       Eigen::AngleAxisd(std::numbers::pi / 2 + tilt, Eigen::Vector3d::UnitY()) *
                       Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitZ()))
                          .toRotationMatrix();
  return box;
}

class EndPostures {
 public:
  explicit EndPostures(const ReachScene& scene)
      : points_(scene.arm.points()),
        chain_(scene.arm.chain_points()),
        tip_(scene.tip()),
        checker_(scene.arm.collision_model()),
        lower_(scene.arm.lower()),
        upper_(scene.arm.upper()) {}

  double clearance(const Eigen::VectorXd& q, const Obstacles& obstacles) {
    points_.evaluate(q, p_);
    return checker_.min_distance(p_, obstacles).distance;
  }

  bool exists(const HollowBox& box, std::mt19937_64& random) {
    const Obstacles obstacles = box.obstacles();
    const Eigen::Matrix3Xd goal = box.goal();
    const Eigen::Index d = lower_.size();
    const planning::TaskSum task(
        {{"goal", planning::map_residual(PointOffsets(tip_), [&](int) { return goal; }), planning::throughout(0, 1e4)},
         {"clear", planning::map_residual(MarginMap(points_, checker_, 0.02), [&](int) { return obstacles; }),
          planning::throughout(0, 1e4)},
         {"limits", planning::limit_residual(lower_, upper_, 0.02), planning::throughout(0, 1e3)}});
    for (int attempt = 0; attempt < 40; ++attempt) {
      planning::Gaussian prior{Eigen::VectorXd::Zero(2 * d), Eigen::MatrixXd::Identity(2 * d, 2 * d)};
      for (Eigen::Index i = 0; i < d; ++i)
        prior.mean(i) = lower_(i) + (upper_(i) - lower_(i)) * std::generate_canonical<double, 53>(random);
      const auto end = planning::end_state_posterior(
          prior, [&](const Eigen::VectorXd& x, planning::LocalTask& local) { return task(0, x, local); });
      const Eigen::VectorXd q = end.posterior.mean.head(d);
      chain_.evaluate(q, p_);
      const bool there = (p_.rightCols<1>() - goal).norm() < 0.01 && crossings(p_, box) == 1;
      if (there && (q - lower_).minCoeff() > 0 && (upper_ - q).minCoeff() > 0 && clearance(q, obstacles) > 0.005)
        return true;
    }
    return false;
  }

 private:
  rigid_body::TreePoints points_, chain_, tip_;
  CollisionChecker checker_;
  Eigen::VectorXd lower_, upper_;
  Eigen::Matrix3Xd p_;
};

}  // namespace

rigid_body::TreePoints ReachScene::tip() const { return {arm.tree, {arm.chain.back()}}; }

Eigen::VectorXd ReachScene::rod_places() { return Eigen::VectorXd::LinSpaced(4, rod_length, 0); }

rigid_body::TreePoints ReachScene::rod() const {
  std::vector<rigid_body::TreePoints::Point> places;
  for (const double from_tip : rod_places()) places.push_back({arm.chain.back().frame, {0, 0, rod_length - from_tip}});
  return {arm.tree, places};
}

Eigen::VectorXd ReachScene::state_at_start() const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * start.size());
  x.head(start.size()) = start;
  return x;
}

topology::WritheOptions rod_writhe() { return {.form = topology::WritheForm::of_robot_segments}; }

topology::InteractionMesh rod_mesh() {
  const Eigen::Index places = ReachScene::rod_places().size(), landmarks = HollowBox{}.rim_landmarks().cols();
  return {places, landmarks, topology::full_graph(places, landmarks)};
}

DrawnBoxes draw_boxes(const ReachScene& scene, const BoxDistribution& distribution, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  EndPostures postures(scene);
  DrawnBoxes result;
  const int most = draws_per_box * count;
  while (static_cast<int>(result.boxes.size()) < count) {
    if (result.drawn == most)
      throw std::runtime_error("draw_boxes: " + to_text(count) + " boxes wanted with seed " + to_text(seed) +
                               ", but of " + to_text(result.drawn) + " drawn only " + to_text(result.boxes.size()) +
                               " will do: " + to_text(result.at_start) + " touch the arm at its start, " +
                               to_text(result.unreachable) + " are out of reach");
    const HollowBox box = draw(distribution, random);
    ++result.drawn;
    if (postures.clearance(scene.start, box.obstacles()) < 0.02)
      ++result.at_start;
    else if (!postures.exists(box, random))
      ++result.unreachable;
    else
      result.boxes.push_back(box);
  }
  return result;
}

}  // namespace studies::loop
