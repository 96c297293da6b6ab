// SPDX-License-Identifier: BSD-3-Clause
// A simulator that is not ours: MuJoCo bends an arm by three tendons, and its steady states go on a grid. The arm's tip
// follows a circle, planned through the grid and on MuJoCo itself; at the end MuJoCo says where the tip is.
//   mujoco_arm [--workers N] [--storage FILE]
// With workers MuJoCo runs in processes of its own: this program, started again. With a file, whatever was evaluated is
// found again when the program is killed and started anew.
#include "examples/terminal_progress.hpp"
#include "quoin/evaluation/workers.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/quoin.hpp"
#include "quoin/storage/sqlite_storage.hpp"
#include "share/workers/quoin_worker.h"

#include <mujoco/mujoco.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>

namespace {

using Pulls = quoin::Point<3>;  // of the tendons, N
const char* const model_file = "examples/bring_your_simulator/tendon_arm.xml";
const char* const fingerprint = "tendon arm 1";  // another model or method: another number

/// MuJoCo's arm at rest under constant pulls. Always from the straight arm: the answer depends on the pulls alone.
class RestingArm {
 public:
  RestingArm() {
    char error[1000] = "";
    model_.reset(mj_loadXML(model_file, nullptr, error, sizeof error));
    if (!model_) throw std::runtime_error(error);
    data_.reset(mj_makeData(model_.get()));
    tip_ = mj_name2id(model_.get(), mjOBJ_SITE, "tip");
  }

  /// The place of the tip, m, and its derivatives by the pulls, m/N. Throws where it finds no equilibrium.
  void operator()(const Pulls& pulls, Eigen::Ref<Eigen::VectorXd> tip, Eigen::Ref<Eigen::MatrixXd> J) {
    const int joints = model_->nv, steps = 2;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(joints);
    Eigen::PartialPivLU<Eigen::MatrixXd> stiffness;
    for (int step = 1; step <= steps; ++step) {  // the load comes in steps, and Newton's method follows
      const Pulls load = pulls * step / steps;
      double before = 0;
      for (int iteration = 0;; ++iteration) {
        const Eigen::VectorXd force = force_at(q, load);
        const double size = force.norm();
        if (size < 1e-11) break;
        if (iteration == 50 || !(size < 1e6)) throw std::runtime_error("the arm does not come to rest");
        if (!(size < 0.1 * before))  // a stiffness serves for as long as it brings the forces down
          stiffness.compute(derivative([&](const Eigen::VectorXd& at) { return force_at(at, load); }, q));
        before = size;
        q -= stiffness.solve(force);
      }
    }
    stiffness.compute(derivative([&](const Eigen::VectorXd& at) { return force_at(at, pulls); }, q));
    const Eigen::MatrixXd by_pulls =
        derivative([&](const Eigen::VectorXd& at) { return force_at(q, at); }, Eigen::VectorXd(pulls));
    force_at(q, pulls);
    tip = Eigen::Map<Eigen::Vector3d>(data_->site_xpos + 3 * tip_);
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> of_joints(3, joints);
    mj_jacSite(model_.get(), data_.get(), of_joints.data(), nullptr, tip_);
    J = -of_joints * stiffness.solve(by_pulls);
  }

 private:
  // What moves the joints of an arm that stands still.
  Eigen::VectorXd force_at(const Eigen::VectorXd& q, const Eigen::VectorXd& pulls) {
    mjModel* const model = model_.get();
    mjData* const data = data_.get();
    std::copy(q.begin(), q.end(), data->qpos);
    std::copy(pulls.begin(), pulls.end(), data->ctrl);
    for (const auto stage : {mj_kinematics, mj_comPos, mj_tendon, mj_transmission, mj_fwdVelocity, mj_fwdActuation})
      stage(model, data);
    const auto vector = [&](const double* of) { return Eigen::Map<const Eigen::VectorXd>(of, model->nv); };
    return vector(data->qfrc_passive) + vector(data->qfrc_actuator) - vector(data->qfrc_bias);
  }

  // Central differences: errors of 1e-8.
  template <class F>
  static Eigen::MatrixXd derivative(const F& f, const Eigen::VectorXd& x) {
    constexpr double h = 1e-4;
    Eigen::MatrixXd D(f(x).size(), x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const Eigen::VectorXd shift = h * Eigen::VectorXd::Unit(x.size(), j);
      D.col(j) = (f(x + shift) - f(x - shift)) / (2 * h);
    }
    return D;
  }

  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  int tip_ = 0;
};

/// A worker's side of it, for the C helper.
const char* answer_as_worker(const double* x, double* jet) {
  static RestingArm arm;
  static std::string reason;
  try {
    arm(Pulls(x), Eigen::Map<Eigen::VectorXd>(jet, 3), Eigen::Map<Eigen::MatrixXd>(jet + 3, 3, 3));
    return nullptr;
  } catch (const std::exception& error) {
    reason = error.what();
    return reason.c_str();
  }
}

/// Pulls that bring the tip along the circle, each from the one before: Gauss-Newton with as little pull as need be.
template <class Map>
Eigen::Matrix3Xd follow(const Map& map, const Eigen::Matrix3Xd& circle) {
  Eigen::Matrix3Xd plan(3, circle.cols());
  Pulls u = Pulls::Constant(0.5);
  Eigen::VectorXd tip;
  Eigen::MatrixXd J;
  for (Eigen::Index i = 0; i < circle.cols(); ++i) {
    for (int iteration = 0; iteration < 30; ++iteration) {
      map.evaluate(u, tip, J);
      const Eigen::Matrix2d damped = J.topRows(2) * J.topRows(2).transpose();
      const Pulls rest = Pulls::Constant(0.5) - u;  // three tendons, two coordinates: the third keeps them taut
      const Eigen::Vector2d miss = circle.col(i).head<2>() - tip.head<2>();
      const Pulls change = rest + J.topRows(2).transpose() * damped.ldlt().solve(miss - J.topRows(2) * rest);
      u = (u + change).cwiseMax(0.0).cwiseMin(1.5);
      if (change.norm() < 1e-10) break;
    }
    plan.col(i) = u;
  }
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  int workers = 0;
  std::string file;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--worker") return quoin_serve(answer_as_worker, 3, 3, 1, fingerprint);
    if (word == "--workers" && i + 1 < argc) {
      workers = std::stoi(argv[++i]);
    } else if (word == "--storage" && i + 1 < argc) {
      file = argv[++i];
    } else {
      std::fprintf(stderr, "usage: mujoco_arm [--workers N] [--storage FILE]\n");
      return 2;
    }
  }
  Eigen::Matrix3Xd circle(3, 100);  // round where the arm hangs at rest, m
  for (int i = 0; i < 100; ++i) {
    const double angle = 2 * std::numbers::pi * i / 100;
    circle.col(i) << 0.05 * std::cos(angle), 0.05 * std::sin(angle), 0;
  }

  // In this process, or in others.
  RestingArm arm;
  int calls = 0;
  const auto f = quoin::exact_function<3>(3, [&](const Pulls& x, auto y, auto J) {
    ++calls;
    arm(x, y, J);
  });
  quoin::GridOptions<3> options{
      .spacing = Pulls::Constant(0.25), .lower = Pulls::Zero(), .upper = Pulls::Constant(1.5)};
  if (!file.empty())  // durable: what f has answered is on the disk before the plan goes on
    options.storage = std::make_shared<quoin::storage::SqliteStorage<3>>(file, fingerprint,
                                                                         quoin::storage::FileOptions{.durable = true});
  const quoin::AdaptiveGrid<3> grid =
      workers > 0
          ? quoin::AdaptiveGrid<3>(quoin::Workers<3>({.command = {argv[0], "--worker"}, .count = workers}), options)
          : quoin::AdaptiveGrid<3>(f, options);

  const auto seconds = [began = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const Eigen::Matrix3Xd plan = [&] {
    const examples::TerminalProgress progress;
    return follow(grid, circle);
  }();
  const double through_grid = seconds();
  const quoin::GridStatistics used = grid.statistics();
  std::printf("through the grid: %zu steady states evaluated in %zu batches, %zu from the file, %.2f s\n",
              used.exact_evaluations, used.batches, used.from_storage, through_grid);
  std::printf("the plan's hash: %s\n", quoin::Fingerprint("plan").add("pulls", plan).text().c_str());

  calls = 0;
  follow(f, circle);
  std::printf("on MuJoCo itself: %d steady states, %.2f s\n", calls, seconds() - through_grid);

  double farthest = 0;
  Eigen::VectorXd tip(3);
  Eigen::MatrixXd J(3, 3);
  for (Eigen::Index i = 0; i < plan.cols(); ++i) {
    arm(plan.col(i), tip, J);
    farthest = std::max(farthest, (tip - circle.col(i)).head<2>().norm());
  }
  std::printf("the plan through the grid, run in MuJoCo, leaves the circle by %.2g mm at most\n", 1e3 * farthest);
  return farthest < 1e-4 ? 0 : 1;
}
