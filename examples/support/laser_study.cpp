// SPDX-License-Identifier: BSD-3-Clause
#include "examples/support/laser_study.hpp"

#include "examples/support/stopwatch.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/models/soft_arm/beam.hpp"
#include "quoin/models/soft_arm/mass_scaled_map.hpp"
#include "quoin/models/soft_arm/reduced_dynamics.hpp"
#include "quoin/planning/control_memory.hpp"
#include "quoin/planning/ilqr.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace quoin::laser {
namespace {

using planning::ControlMemory;
using planning::IlqrOptions;
using planning::IlqrResult;
using planning::TrajectoryProblem;
using soft_arm::JetStatics;
using soft_arm::MassScaledMap;
using soft_arm::ReducedDynamics;
using soft_arm::Statics;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

template <int SpaceDim>
soft_arm::ReducedDynamicsOptions reduced_options(const Arm<SpaceDim>& arm) {
  soft_arm::ReducedDynamicsOptions options;
  options.time_step = arm.setup.time_step;
  options.force_scale = arm.body.line_force();
  options.stiffness_damping = arm.setup.stiffness_damping;
  options.tolerance = arm.setup.step_tolerance;
  return options;
}

/// The corners from which the basis of shapes is made: 0 and 2 on every line, and 1 on one line, on two neighbours, and
/// on all. On a lattice with points there (spacing 0.5) they are corners of level 0 and cost nothing more.
template <int Lines>
Eigen::Matrix<double, Lines, Eigen::Dynamic> basis_corners() {
  std::vector<Point<Lines>> points;
  for (int c = 0; c < 1 << Lines; ++c) {
    Point<Lines>& point = points.emplace_back();
    for (int i = 0; i < Lines; ++i) point[i] = 2 * (c >> i & 1);
  }
  points.push_back(Point<Lines>::Ones());
  for (int i = 0; i < Lines; ++i) {
    points.push_back(Point<Lines>::Unit(i));
    if (Lines > 2) points.push_back(Point<Lines>::Unit(i) + Point<Lines>::Unit((i + 1) % Lines));
  }
  Eigen::Matrix<double, Lines, Eigen::Dynamic> matrix(Lines, points.size());
  for (std::size_t p = 0; p < points.size(); ++p) matrix.col(static_cast<Eigen::Index>(p)) = points[p];
  return matrix;
}

/// Solves for all corners of the basis at once; the statics remembers them.
template <int SpaceDim>
soft_arm::ShapeBasis make_basis(const Arm<SpaceDim>& arm, const Statics<SpaceDim>& statics, const GridChoice& choice) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  const auto corners = basis_corners<lines>();
  std::vector<CornerSample<lines>> samples(static_cast<std::size_t>(corners.cols()));
  for (std::size_t c = 0; c < samples.size(); ++c) samples[c].x = corners.col(static_cast<Eigen::Index>(c));
  Threads{choice.threads}(CornerFunction<lines>(statics), std::span<CornerSample<lines>>(samples));
  return soft_arm::make_shape_basis<lines>(statics, corners, Point<lines>::Constant(choice.spacing), arm.body.mass(),
                                           arm.body.rest(), arm.setup.basis_tolerance);
}

template <int SpaceDim>
auto grid_options(const Setup& setup, double spacing) {
  GridOptions<soft_arm::line_count<SpaceDim>> options;
  options.origin.setConstant(setup.lower);
  options.spacing.setConstant(spacing);
  options.lower.setConstant(setup.lower);
  options.upper.setConstant(setup.lower + spacing * std::floor((setup.upper - setup.lower) / spacing + 1e-9));
  return options;
}

/// f_s with derivatives up to order K, that notes where it is asked.
template <int SpaceDim, int K>
class LoggedJets : public JetStatics<SpaceDim, K> {
 public:
  static constexpr int lines = soft_arm::line_count<SpaceDim>;

  LoggedJets(const Statics<SpaceDim>& statics, std::shared_ptr<CornerLog<lines>> corners)
      : JetStatics<SpaceDim, K>(statics), corners_(std::move(corners)) {}

  void sample(const Point<lines>& alpha, Eigen::Ref<Eigen::MatrixXd> jet) const {
    corners_->add(alpha);
    JetStatics<SpaceDim, K>::sample(alpha, jet);
  }

 private:
  std::shared_ptr<CornerLog<lines>> corners_;
};

template <int SpaceDim>
auto make_grid(const Statics<SpaceDim>& statics, const Setup& setup, const GridChoice& choice,
               std::shared_ptr<CornerLog<soft_arm::line_count<SpaceDim>>> corners) {
  using Grid = AdaptiveGrid<soft_arm::line_count<SpaceDim>>;
  const auto options = grid_options<SpaceDim>(setup, choice.spacing);
  const Threads threads{choice.threads};
  switch (choice.jet_order) {
    case 1: return Grid(LoggedJets<SpaceDim, 1>(statics, corners), options, threads);
    case 2: return Grid(LoggedJets<SpaceDim, 2>(statics, corners), options, threads);
    case 3: return Grid(LoggedJets<SpaceDim, 3>(statics, corners), options, threads);
    default:
      throw std::invalid_argument("GridChoice::jet_order = " + std::to_string(choice.jet_order) +
                                  ": the arm gives jets of order 1 to 3");
  }
}

template <int SpaceDim>
Eigen::MatrixXd zero_controls(const Arm<SpaceDim>& arm) {
  return Eigen::MatrixXd::Zero(Arm<SpaceDim>::lines, arm.setup.steps);
}

IlqrOptions planner_options(const Setup& setup) {
  IlqrOptions options;
  options.relative_tolerance = setup.relative_tolerance;
  options.max_iterations = setup.max_iterations;
  options.initial_regularization = setup.first_regularization;
  return options;
}

template <int SpaceDim, class TipMap>
Eigen::MatrixXd spots_of(const Setup& setup, const TipMap& tip, const Eigen::MatrixXd& alphas) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  Eigen::MatrixXd spots(SpaceDim - 1, alphas.cols());
  Eigen::VectorXd y;
  for (Eigen::Index i = 0; i < alphas.cols(); ++i) {
    tip.evaluate(Point<lines>(alphas.col(i)), y);
    spots.col(i) = Beam<SpaceDim>(y).spot(setup.plate);
  }
  return spots;
}

/// iLQR on Eq. 8 over any map of coordinates and any map of the tip, with or without obstacles.
template <int SpaceDim, class Map, class TipMap>
IlqrResult solve(const Arm<SpaceDim>& arm, const Map& coordinates, Eigen::Index coordinate_count, const TipMap& tip,
                 bool with_obstacles, const Eigen::MatrixXd& guess, const IlqrOptions& options) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  using Dynamics = ControlMemory<ReducedDynamics<lines, Map>>;
  const Dynamics dynamics(ReducedDynamics<lines, Map>(coordinates, coordinate_count, reduced_options(arm)));
  const Residuals<SpaceDim, TipMap> residuals(arm.setup, tip);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(3 * lines), lower = Eigen::VectorXd::Zero(lines),
                        upper = Eigen::VectorXd::Constant(lines, arm.setup.largest_control);
  if constexpr (SpaceDim == 3) {
    if (with_obstacles) {
      const BeamClear<TipMap> clear(obstacles(arm.setup), arm.setup.beam_margin, tip);
      const TrajectoryProblem<const Dynamics&, const Residuals<SpaceDim, TipMap>&, const BeamClear<TipMap>&> problem{
          .dynamics = dynamics,
          .residuals = residuals,
          .constraints = clear,
          .horizon = arm.setup.steps,
          .initial_state = rest,
          .lower_control = lower,
          .upper_control = upper};
      return planning::ilqr(problem, guess, options);
    }
  }
  const TrajectoryProblem<const Dynamics&, const Residuals<SpaceDim, TipMap>&> problem{.dynamics = dynamics,
                                                                                       .residuals = residuals,
                                                                                       .horizon = arm.setup.steps,
                                                                                       .initial_state = rest,
                                                                                       .lower_control = lower,
                                                                                       .upper_control = upper};
  return planning::ilqr(problem, guess, options);
}

}  // namespace

template <int SpaceDim>
Arm<SpaceDim>::Arm(const Setup& s) : Arm(s, soft_arm::make_beam<SpaceDim>()) {}

template <int SpaceDim>
Arm<SpaceDim>::Arm(const Setup& s, soft_arm::ArmMesh<SpaceDim> mesh) : setup(s), body(std::move(mesh)) {}

template <int SpaceDim>
Surrogate<SpaceDim>::Surrogate(const Arm<SpaceDim>& arm, const GridChoice& choice)
    : statics(arm.body),
      basis(make_basis(arm, statics, choice)),
      grid(make_grid<SpaceDim>(statics, arm.setup, choice, corners)),
      coordinates(grid.add_functional(basis.functional(lines))),
      tip(grid.add_functional(arm.body.tip_rows())),
      seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count()) {}

template <int SpaceDim>
Plan plan_through_grid(const Arm<SpaceDim>& arm, Surrogate<SpaceDim>& surrogate, const GridChoice& choice,
                       const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  const Stopwatch watch;
  Plan plan{.name = "grid, K = " + std::to_string(choice.jet_order)};
  bool stopped = false;
  IlqrResult last;
  const auto solver = [&](const GridView<lines>& view, const Eigen::MatrixXd& guess) {
    IlqrOptions options = planner_options(arm.setup);
    options.multipliers = last.multipliers;
    options.observer = [&](const planning::IlqrIteration& it, const planning::Trajectory& trajectory) {
      plan.log.push_back({view.level(), it.iteration, it.cost, surrogate.seconds + watch.seconds(),
                          surrogate.statics.solves(), trajectory.states.topRows(lines)});
      stopped = stopped || (observer && !observer(plan.log.back()));
      return !stopped;
    };
    last = solve(arm, surrogate.coordinates.at_level(view.level()), surrogate.basis.size(),
                 surrogate.tip.at_level(view.level()), choice.obstacles, guess, options);
    return SolverResult<Eigen::MatrixXd>{last.trajectory.controls, last.trajectory.cost, last.converged()};
  };
  const auto result = interleave(surrogate.grid, solver, zero_controls(arm),
                                 {.schedule = levels_for(choice.spacing, choice.threshold),
                                  .observer = [&](const Round&, const Eigen::MatrixXd&) { return !stopped; }});
  plan.seconds = surrogate.seconds + watch.seconds();
  plan.controls = result.iterate;
  plan.cost = result.cost;
  plan.alphas = last.trajectory.states.topRows(lines);
  plan.stop = result.message.empty() ? planning::to_string(last.stop) : result.message;
  plan.finished = result.stop == InterleaveStop::converged;
  plan.evaluations = surrogate.statics.solves();
  plan.spots = spots_of<SpaceDim>(arm.setup, surrogate.tip.at_level(surrogate.grid.level()), plan.alphas);
  return plan;
}

template <int SpaceDim>
Point<ShapeCorners<SpaceDim>::lines> ShapeCorners<SpaceDim>::nearest_corner(const Point<lines>& alpha) const {
  const double last = std::floor((upper - lower) / spacing + 1e-9);
  Point<lines> corner;
  for (int i = 0; i < lines; ++i)
    corner[i] = lower + spacing * std::clamp(std::round((alpha[i] - lower) / spacing), 0.0, last);
  return corner;
}

template <int SpaceDim>
void ShapeCorners<SpaceDim>::corner_jet(const Point<lines>& alpha, Eigen::MatrixXd& jet) const {
  try {
    jet.resize(output_size(), jet_size(lines, order));
    if (order == 2) {
      statics.evaluate_jet2(alpha, jet);
    } else {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      statics.evaluate(alpha, y, J);
      jet << y, J;
    }
  } catch (const soft_arm::StaticsFailure& failure) {
    throw CornerFailure(failure.what());
  }
}

template <int SpaceDim>
KernelOfShapes<SpaceDim>::KernelOfShapes(const Arm<SpaceDim>& arm, const KernelChoice& choice)
    : statics(arm.body),
      kernel({statics, choice.jet_order, arm.setup.lower, arm.setup.upper, choice.spacing},
             {.length_scale = Point<lines>::Constant(choice.length_scale),
              .lower = Point<lines>::Constant(arm.setup.lower),
              .upper = Point<lines>::Constant(arm.setup.upper)}) {
  if (choice.jet_order != 1 && choice.jet_order != 2)
    throw std::invalid_argument("KernelChoice::jet_order = " + std::to_string(choice.jet_order) +
                                ": the arm gives jets of order 1 and 2");
}

template <int SpaceDim>
typename KernelOfShapes<SpaceDim>::Maps KernelOfShapes<SpaceDim>::maps(const Arm<SpaceDim>& arm) const {
  const KernelView<lines> view = kernel.view();
  const Eigen::Index N = arm.body.size(), q = view.samples().derivatives();
  Eigen::MatrixXd jets(N, q * view.samples().size());
  for (int s = 0; s < view.samples().size(); ++s)
    jets.middleCols(q * s, q) = view.samples().jets()[static_cast<std::size_t>(s)]->topRows(N);
  soft_arm::ShapeBasis basis(jets, arm.body.mass(), view.samples().offset().head(N), arm.setup.basis_tolerance);
  const Eigen::MatrixXd coordinates = basis.functional(lines);
  return {view, std::move(basis), view.add_functional(coordinates), view.add_functional(arm.body.tip_rows())};
}

template <int SpaceDim>
Plan plan_through_kernel(const Arm<SpaceDim>& arm, KernelOfShapes<SpaceDim>& shapes, const KernelChoice& choice,
                         const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  struct Iterate {
    Eigen::MatrixXd controls, alphas;
  };
  const Stopwatch watch;
  Plan plan{.name = "kernel, K = " + std::to_string(choice.jet_order)};
  bool stopped = false;
  int rounds = 0;
  IlqrResult last;
  const auto solver = [&](const KernelView<lines>&, const Iterate& guess) {
    IlqrOptions options = planner_options(arm.setup);
    options.observer = [&](const planning::IlqrIteration& it, const planning::Trajectory& trajectory) {
      plan.log.push_back(
          {rounds, it.iteration, it.cost, watch.seconds(), shapes.statics.solves(), trajectory.states.topRows(lines)});
      stopped = stopped || (observer && !observer(plan.log.back()));
      return !stopped;
    };
    const auto maps = shapes.maps(arm);
    last = solve(arm, maps.coordinates, maps.basis.size(), maps.tip, false, guess.controls, options);
    ++rounds;
    plan.spots = spots_of<SpaceDim>(arm.setup, maps.tip, last.trajectory.states.topRows(lines));
    return SolverResult<Iterate>{
        {last.trajectory.controls, last.trajectory.states.topRows(lines)}, last.trajectory.cost, last.converged()};
  };
  const KernelSchedule<Iterate> schedule{.points = [](const Iterate& iterate) { return iterate.alphas; },
                                         .stages = choice.stages};
  const Iterate guess{zero_controls(arm), Eigen::MatrixXd::Zero(lines, 1)};
  const auto result =
      interleave(shapes.kernel, solver, guess,
                 {.schedule = schedule, .observer = [&](const Round&, const Iterate&) { return !stopped; }});
  plan.seconds = watch.seconds();
  plan.controls = result.iterate.controls;
  plan.alphas = result.iterate.alphas;
  plan.cost = result.cost;
  plan.stop = result.message.empty() ? planning::to_string(last.stop) : result.message;
  plan.finished = result.stop == InterleaveStop::converged;
  plan.evaluations = shapes.statics.solves();
  return plan;
}

template <int SpaceDim>
Plan plan_on_exact_shapes(const Arm<SpaceDim>& arm, const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  using Map = MassScaledMap<lines, Statics<SpaceDim>>;
  using TipMap = LinearImage<lines, Statics<SpaceDim>>;
  const Stopwatch watch;
  const Statics<SpaceDim> statics(arm.body);
  const Map coordinates(statics, arm.body.mass());
  const TipMap tip(statics, arm.body.tip_rows());
  Plan plan{.name = "exact Eq. 8"};
  IlqrOptions options = planner_options(arm.setup);
  options.observer = [&](const planning::IlqrIteration& it, const planning::Trajectory& trajectory) {
    plan.log.push_back({0, it.iteration, it.cost, watch.seconds(), statics.solves(), trajectory.states.topRows(lines)});
    return !observer || observer(plan.log.back());
  };
  const IlqrResult result = solve(arm, coordinates, coordinates.coordinates(), tip, false, zero_controls(arm), options);
  plan.seconds = watch.seconds();
  plan.controls = result.trajectory.controls;
  plan.cost = result.trajectory.cost;
  plan.alphas = result.trajectory.states.topRows(lines);
  plan.stop = planning::to_string(result.stop);
  plan.finished = result.converged();
  plan.evaluations = statics.solves();
  plan.spots = spots_of<SpaceDim>(arm.setup, tip, plan.alphas);
  return plan;
}

namespace {
/// shapes: f~, coordinates: [q; l] of it in a basis.
template <int SpaceDim, class View>
StepErrors step_errors_on(const Arm<SpaceDim>& arm, const View& view, const View& coordinates,
                          const soft_arm::ShapeBasis& basis, const Plan& plan, int samples) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  using Map = MassScaledMap<lines, Statics<SpaceDim>>;
  const Statics<SpaceDim> statics(arm.body);
  const Map exact_coordinates(statics, arm.body.mass());
  const ReducedDynamics<lines, Map> exact(exact_coordinates, exact_coordinates.coordinates(), reduced_options(arm));
  const ReducedDynamics<lines, View> on_grid(coordinates, basis.size(), reduced_options(arm));
  StepErrors errors;
  Eigen::VectorXd next, next_grid, y, y_grid;
  Eigen::MatrixXd dx, du, dx_grid, du_grid;
  for (int s = 0; s < samples; ++s) {
    const Eigen::Index i = 1 + (plan.controls.cols() - 2) * s / std::max(samples - 1, 1);
    Eigen::VectorXd state(2 * lines);
    state << plan.alphas.col(i), plan.alphas.col(i - 1);
    const Eigen::VectorXd u = plan.controls.col(i);
    const auto must = [&](StepStatus status, const char* which) {
      if (status != StepStatus::ok)
        throw std::runtime_error(std::string("step_errors: the ") + which + " step " + std::to_string(i) +
                                 " failed: " + to_string(status));
    };
    must(exact.step(state, u, next, dx, du), "exact");
    must(on_grid.step(state, u, next_grid, dx_grid, du_grid), "surrogate");
    Eigen::MatrixXd by_all(2 * lines, 3 * lines), by_all_grid(2 * lines, 3 * lines);
    by_all << dx, du;
    by_all_grid << dx_grid, du_grid;
    errors.jacobian =
        std::max(errors.jacobian, (by_all - by_all_grid).topRows(lines).norm() / by_all.topRows(lines).norm());

    statics.evaluate(Point<lines>(next.head(lines)), y);
    view.evaluate(Point<lines>(next_grid.head(lines)), y_grid);
    const Eigen::Index N = arm.body.size();
    const double difference = (y - y_grid).head(N).norm();
    errors.state = std::max(errors.state, difference / y.head(N).norm());
    errors.displacement = std::max(errors.displacement, difference / (y.head(N) - arm.body.rest()).norm());
    errors.basis_remainder = std::max(errors.basis_remainder, basis.remainder(y.head(N)));
  }

  // What a step costs, as the planner takes it: one after the other along the plan, with derivatives. On the exact side
  // from no remembered shape but the steps before.
  const auto seconds_along_plan = [&](const auto& dynamics, int passes) {
    std::vector<double> seconds;
    for (int pass = 0; pass < passes; ++pass) {
      const Stopwatch watch;
      Eigen::VectorXd state = Eigen::VectorXd::Zero(2 * lines);
      for (Eigen::Index i = 0; i < plan.controls.cols(); ++i) {
        if (dynamics.step(state, plan.controls.col(i), next, dx, du) != StepStatus::ok)
          throw std::runtime_error("step_errors: the plan's step " + std::to_string(i) + " failed");
        state = next;
      }
      seconds.push_back(watch.seconds() / static_cast<double>(plan.controls.cols()));
    }
    return median(seconds);
  };
  statics.forget();
  const long before = statics.solves();
  errors.seconds_exact = seconds_along_plan(exact, 1);
  errors.evaluations_per_step =
      static_cast<double>(statics.solves() - before) / static_cast<double>(plan.controls.cols());
  errors.seconds_grid = seconds_along_plan(on_grid, 7);
  return errors;
}
}  // namespace

template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const Surrogate<SpaceDim>& surrogate, const Plan& plan, int samples) {
  const int level = surrogate.grid.level();
  return step_errors_on(arm, surrogate.grid.at_level(level), surrogate.coordinates.at_level(level), surrogate.basis,
                        plan, samples);
}

template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const KernelOfShapes<SpaceDim>& shapes, const Plan& plan,
                       int samples) {
  const auto maps = shapes.maps(arm);
  return step_errors_on(arm, maps.shapes, maps.coordinates, maps.basis, plan, samples);
}

#define QUOIN_LASER_STUDY(D)                                                                                \
  template struct Arm<D>;                                                                                   \
  template struct Surrogate<D>;                                                                             \
  template Plan plan_through_grid<D>(const Arm<D>&, Surrogate<D>&, const GridChoice&, const PlanObserver&); \
  template Plan plan_on_exact_shapes<D>(const Arm<D>&, const PlanObserver&);                                \
  template StepErrors step_errors<D>(const Arm<D>&, const Surrogate<D>&, const Plan&, int);                 \
  template StepErrors step_errors<D>(const Arm<D>&, const KernelOfShapes<D>&, const Plan&, int);            \
  template struct ShapeCorners<D>;                                                                          \
  template struct KernelOfShapes<D>;                                                                        \
  template Plan plan_through_kernel<D>(const Arm<D>&, KernelOfShapes<D>&, const KernelChoice&, const PlanObserver&);
QUOIN_LASER_STUDY(2)
QUOIN_LASER_STUDY(3)
#undef QUOIN_LASER_STUDY

}  // namespace quoin::laser
