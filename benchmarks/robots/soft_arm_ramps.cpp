// SPDX-License-Identifier: BSD-3-Clause
// The soft arm's two dynamics on the same ramps of the controls: how far the reduced ones (Eq. 8) are from those of the
// whole mesh (Eq. 2), how far Eq. 8 on a grid is from Eq. 8 on exact shapes, and what a step of each costs.
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;
using namespace quoin::soft_arm;
using studies::figures::format_number;
using studies::figures::ResultRow;

constexpr int lines = 4, steps = 200;
constexpr double time_step = 0.02;
const Point<lines> pull(1.5, 0.4, 0.2, 0.9);

/// How the controls rise to the pull.
struct Load {
  std::string key, title;
  double duration;  ///< s; 0: at once
  bool smooth;      ///< a smoothstep, which starts and ends without a jump of the rate, instead of a straight line

  Eigen::MatrixXd controls() const {
    Eigen::MatrixXd u(lines, steps);
    for (int k = 0; k < steps; ++k) {
      const double s = duration > 0 ? std::min(time_step * (k + 1) / duration, 1.0) : 1;
      u.col(k) = pull * (smooth ? s * s * (3 - 2 * s) : s);
    }
    return u;
  }
};
const Load fast_smooth{"smooth_1s", "1 s smooth ramp", 1, true};
const std::vector<Load> loads{{"step_load", "step load", 0, false},
                              fast_smooth,
                              {"linear_1s", "1 s linear ramp", 1, false},
                              {"smooth_3s", "3 s smooth ramp", 3, true},
                              {"linear_3s", "3 s linear ramp", 3, false}};

/// What a step costs, the least and the most over motions; each is the mean over a motion's steps.
class StepCost {
 public:
  explicit StepCost(std::string name = {}) : name_(std::move(name)) {}

  void add(double seconds) { milliseconds_.add(1e3 * seconds / steps); }
  void add(double seconds, double iterations, double equilibria = 0) {
    add(seconds);
    iterations_.add(iterations / steps);
    equilibria_.add(equilibria / steps);
  }
  ResultRow row() const {
    ResultRow row;
    row.set("dynamics", name_);
    milliseconds_.set(row, "step_ms");
    iterations_.set(row, "iterations");
    equilibria_.set(row, "equilibria");
    return row;
  }

 private:
  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = 0;

    void add(double value) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
    void set(ResultRow& row, const std::string& key) const {
      if (std::isfinite(least)) row.set(key + "_least", least).set(key + "_most", most);
    }
  };
  std::string name_;
  Range milliseconds_, iterations_, equilibria_;
};

/// Processor time, as other programs may share the cores. All here is done by one thread.
template <class Call>
double processor_seconds_of(Call&& call) {
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void require_ok(StepStatus status, const std::string& what) {
  if (status != StepStatus::ok) throw std::runtime_error(what + ": " + to_string(status));
}

/// alpha after every step of a motion from rest; adds what it cost.
template <class Dynamics>
Eigen::MatrixXd motion_of(const Dynamics& dynamics, const Eigen::MatrixXd& controls, const Statics<3>& statics,
                          StepCost& cost) {
  Eigen::MatrixXd alpha(lines, steps);
  Eigen::VectorXd x = dynamics.rest_state(Point<lines>::Zero()), next;
  double iterations = 0;
  const long before = statics.solves();
  const double seconds = processor_seconds_of([&] {
    for (int k = 0; k < steps; ++k) {
      const ReducedStepReport report = dynamics.solve(x, controls.col(k), next);
      require_ok(report.status, "step " + to_text(k) + " of Eq. 8");
      iterations += report.iterations;
      alpha.col(k) = next.head<lines>();
      x.swap(next);
    }
  });
  cost.add(seconds, iterations, static_cast<double>(statics.solves() - before));
  return alpha;
}

auto exact_dynamics(const Statics<3>& statics, double damping, double tolerance) {
  using Shapes = MassScaledMap<lines, Statics<3>>;
  const Shapes shapes(statics, statics.arm().mass());
  return ReducedDynamics<lines, Shapes>(shapes, shapes.coordinates(),
                                        {.time_step = time_step,
                                         .force_scale = statics.arm().line_force(),
                                         .stiffness_damping = damping,
                                         .tolerance = tolerance});
}

/// Eq. 2 and exact Eq. 8, to two tolerances, on all loads.
struct Comparison {
  StepCost full{"Eq. 2"}, exact{"Eq. 8, exact, to 1e-10"}, loose{"Eq. 8, exact, to 1e-8"};
  Eigen::MatrixXd distances;  ///< largest ones of the two tips, m: a row for each damping, a column for each load

  Comparison(const Statics<3>& statics, const std::vector<double>& dampings)
      : distances(dampings.size(), loads.size()) {
    for (Eigen::Index b = 0; b < distances.rows(); ++b)
      for (Eigen::Index l = 0; l < distances.cols(); ++l)
        distances(b, l) =
            distance(statics, dampings[static_cast<std::size_t>(b)], loads[static_cast<std::size_t>(l)].controls());
  }

 private:
  double distance(const Statics<3>& statics, double damping, const Eigen::MatrixXd& controls) {
    const SoftArm<3>& arm = statics.arm();
    const FullDynamics<3> whole(arm, {.time_step = time_step, .stiffness_damping = damping});
    FullTrajectory truth;
    const double seconds = processor_seconds_of([&] { truth = whole.rollout(arm.rest(), arm.rest(), controls); });
    require_ok(truth.status, "step " + to_text(truth.steps) + " of Eq. 2");
    full.add(seconds, truth.iterations);

    statics.forget();  // equilibria of other motions would make good starts
    motion_of(exact_dynamics(statics, damping, 1e-8), controls, statics, loose);
    statics.forget();
    const Eigen::MatrixXd alpha = motion_of(exact_dynamics(statics, damping, 1e-10), controls, statics, exact);
    const Eigen::MatrixXd tip = arm.tip_rows().topLeftCorner(3, arm.size());
    double largest = 0;
    Eigen::VectorXd shape;
    for (int k = 0; k < steps; ++k) {
      statics.evaluate(alpha.col(k), shape);
      largest = std::max(largest, (tip * (shape.head(arm.size()) - truth.position(k + 1))).norm());
    }
    return largest;
  }
};

/// Eq. 8 on a grid of 1-jets, level by level, against exact Eq. 8: the smooth ramp of 1 s, then the pull held while the
/// arm swings.
struct OnGrid {
  StepCost cost{"Eq. 8 on a grid"}, with_derivatives{"the same with derivatives"};
  Eigen::Index rows = 0;  ///< of [q; l]
  std::vector<ResultRow> levels = {};
  std::vector<double> deviations = {};  ///< largest ones of alpha

  explicit OnGrid(const Statics<3>& statics) {
    constexpr double damping = 0.05;
    const SoftArmGrid<3> arm(statics, {.jet_order = 1,
                                       .spacing = 0.5,
                                       .step = {.time_step = time_step, .stiffness_damping = damping},
                                       .evaluator = ThisThread{}});
    rows = arm.basis().size() + lines;
    const Eigen::MatrixXd controls = fast_smooth.controls();
    StepCost uncounted;
    const Eigen::MatrixXd exact = motion_of(exact_dynamics(statics, damping, 1e-10), controls, statics, uncounted);
    for (int level = 0; level < 3; ++level) {
      const auto dynamics = arm.dynamics(arm.grid().at_level(level));
      const Eigen::MatrixXd alpha = motion_of(dynamics, controls, statics, uncounted);
      deviations.push_back((alpha - exact).cwiseAbs().maxCoeff());
      levels.push_back(ResultRow()
                           .set("h", 0.5 / (1 << level))
                           .set("deviation", deviations.back())
                           .set("corners", arm.grid().statistics().exact_evaluations));
      for (int round = 0; round < 9; ++round) {
        motion_of(dynamics, controls, statics, cost);
        time_derivatives(dynamics, controls);
      }
    }
  }

 private:
  void time_derivatives(const SoftArmGrid<3>::Dynamics& dynamics, const Eigen::MatrixXd& controls) {
    Eigen::VectorXd x = dynamics.rest_state(Point<lines>::Zero()), next;
    Eigen::MatrixXd by_state, by_control;
    const double seconds = processor_seconds_of([&] {
      for (int k = 0; k < steps; ++k) {
        require_ok(dynamics.step(x, controls.col(k), next, by_state, by_control), "a step on the grid");
        x.swap(next);
      }
    });
    with_derivatives.add(seconds);
  }
};

/// Seconds for the derivatives of the first rows of the tip after every step by all controls.
double seconds_of_sensitivities(const SoftArm<3>& arm, int rows) {
  const FullDynamics<3> whole(arm, {.time_step = time_step, .stiffness_damping = 0.05});
  const FullTrajectory motion = whole.rollout(arm.rest(), arm.rest(), fast_smooth.controls());
  const Eigen::MatrixXd tip = arm.tip_rows().topLeftCorner(rows, arm.size());
  return processor_seconds_of([&] { require_ok(whole.sensitivity(motion, tip).status, "a sensitivity of Eq. 2"); });
}

/// First frequencies at rest, Hz.
struct FirstFrequencies {
  double full, reduced;

  explicit FirstFrequencies(const Statics<3>& statics) {
    const SoftArm<3>& arm = statics.arm();
    auto hessian = arm.hessian_pattern();
    arm.hessian(arm.rest(), Point<lines>::Zero(), hessian);
    const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> stiffness(hessian);
    const Eigen::VectorXd mass = arm.free_part(arm.mass());
    Eigen::VectorXd shape = Eigen::VectorXd::Ones(mass.size());
    double square = 0;
    for (int i = 0; i < 100; ++i) {  // inverse iteration
      const Eigen::VectorXd next = stiffness.solve(mass.cwiseProduct(shape));
      square = shape.dot(mass.cwiseProduct(shape)) / shape.dot(mass.cwiseProduct(next));
      shape = next.normalized();
    }
    full = std::sqrt(square) / (2 * std::numbers::pi);

    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    statics.evaluate(Point<lines>::Zero(), y, J);
    const Eigen::MatrixXd shapes = J.topRows(arm.size());
    const Eigen::Matrix4d reduced_mass = shapes.transpose() * arm.mass().asDiagonal() * shapes;
    const Eigen::Matrix4d compliance = -arm.line_force() * J.bottomRows<lines>();
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix4d> modes((compliance + compliance.transpose()) / 2,
                                                                          reduced_mass, Eigen::EigenvaluesOnly);
    reduced = std::sqrt(modes.eigenvalues()[0]) / (2 * std::numbers::pi);
  }
};

Report run(bool quick) {
  const Statics<3> statics{SoftArm<3>(make_beam<3>())};
  const FirstFrequencies frequencies(statics);
  const std::vector<double> dampings = quick ? std::vector{0.0, 0.05} : std::vector{0.0, 0.02, 0.05};  // beta, s
  const Comparison comparison(statics, dampings);
  const OnGrid on_grid(statics);
  const double two_rows = seconds_of_sensitivities(statics.arm(), 2);
  const double six_rows = seconds_of_sensitivities(statics.arm(), 6);

  Report report;
  report.columns = {{"damping", "beta [s]", 1}};
  for (const Load& load : loads) report.columns.push_back({load.key, load.title, 2});
  for (std::size_t b = 0; b < dampings.size(); ++b) {
    ResultRow row;
    row.set("damping", dampings[b]);
    for (std::size_t l = 0; l < loads.size(); ++l)
      row.set(loads[l].key, comparison.distances(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(l)));
    report.results.add(std::move(row));
  }

  studies::figures::JsonResults costs;
  costs.add(comparison.full.row());
  costs.add(comparison.exact.row());
  costs.add(comparison.loose.row());
  costs.add(on_grid.cost.row());
  costs.add(on_grid.with_derivatives.row());
  for (const auto* rows : {&costs.rows(), &on_grid.levels})
    report.further_rows.insert(report.further_rows.end(), rows->begin(), rows->end());

  report.further_rows.push_back(ResultRow()
                                    .set("first_frequency_reduced", frequencies.reduced)
                                    .set("first_frequency_full", frequencies.full)
                                    .set("sensitivities_2_rows_seconds", two_rows)
                                    .set("sensitivities_6_rows_seconds", six_rows));

  report.notes =
      "Largest distance of the tips of Eq. 8 and Eq. 2, m. The standard arm in space, from rest, to u = (1.5, 0.4, "
      "0.2, 0.9), 200 steps of 0.02 s. First frequency at rest: " +
      format_number(frequencies.reduced) + " Hz against " + format_number(frequencies.full) +
      " Hz.\n\nProcessor time of one thread, means over the steps of a motion, from the least to the most of all "
      "motions (on the grid, of " +
      to_text(on_grid.rows) + " rows: nine rounds of one motion on each level, all corners known):\n\n" +
      costs.markdown({{"dynamics"},
                      {"step_ms_least", "a step [ms]", 2},
                      {"step_ms_most", "to", 2},
                      {"iterations_least", "iterations", 2},
                      {"iterations_most", "to", 2},
                      {"equilibria_least", "equilibria solved", 2},
                      {"equilibria_most", "to", 2}}) +
      "\nSensitivities of Eq. 2, all steps by all controls: " + format_number(two_rows, 2) + " s for 2 rows a step, " +
      format_number(six_rows, 2) +
      " s for 6.\n\nLargest deviation of alpha on the grid (1-jets) from exact Eq. 8, 1 s smooth ramp and 3 s held, "
      "beta 0.05 s; corners in all:\n\n" +
      studies::figures::JsonResults(on_grid.levels).markdown({{"h"}, {"deviation", "", 2}, {"corners"}});

  const auto& distances = comparison.distances;
  const double slow = distances.col(3).maxCoeff();
  report.checks = {
      {"the projection stiffens, by less than half: " + format_number(frequencies.reduced / frequencies.full),
       frequencies.reduced > frequencies.full && frequencies.reduced < 1.5 * frequencies.full},
      {"damping brings the tips together on every load",
       (distances.bottomRows<1>().array() < distances.topRows<1>().array()).all()},
      {"on the smooth ramp of 3 s the tips are never more than 5 mm apart: " + format_number(1e3 * slow) + " mm",
       slow < 5e-3},
      {"the deviation on the grid falls with every level, to 1e-5: " + format_number(on_grid.deviations.back()),
       std::is_sorted(on_grid.deviations.rbegin(), on_grid.deviations.rend()) && on_grid.deviations.back() < 1e-5}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "soft_arm_ramps",
                       "The soft arm's reduced dynamics beside those of its whole mesh, on ramps of the controls.",
                       run);
}
