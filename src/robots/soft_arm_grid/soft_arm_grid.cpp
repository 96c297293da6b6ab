// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"

#include "quoin/evaluation/threads.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include "corner_log.hpp"
#include "sampled_pulls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

namespace {

/// 0 and c/2 on every line, c on one line, on two neighbours, and on all; unless c is below the spacing each is rounded
/// to the lattice: these shapes are corners of level 0 as well. In an order in which most are a step of c/2 from one
/// before.
template <int Lines>
Eigen::Matrix<double, Lines, Eigen::Dynamic> basis_pulls(double c, const GridOptions<Lines>& lattice) {
  const double h = lattice.spacing[0], lower = lattice.lower[0];
  double low = 0, middle = c / 2, high = c;
  if (c >= h) {
    const auto lattice_point = [&](double cells) { return std::clamp(lower + h * cells, lower, lattice.upper[0]); };
    const double rest = std::ceil(-lower / h - 0.5);  // ties go down: motion from rest overshoots to both sides
    low = lattice_point(rest);
    middle = lattice_point(rest + std::max(std::round(c / 2 / h), 1.0));
    high = lattice_point(rest + std::round(c / h));
  }
  std::vector<Point<Lines>> pulls;
  const auto add = [&](const Point<Lines>& pull) {
    if (std::find(pulls.begin(), pulls.end(), pull) == pulls.end()) pulls.push_back(pull);
  };
  for (int corner = 0; corner < 1 << Lines; ++corner) {
    Point<Lines> pull;
    for (int i = 0; i < Lines; ++i) pull[i] = (corner >> i & 1) ? middle : low;
    add(pull);
  }
  for (int i = 0; i < Lines; ++i) {
    Point<Lines> pull = Point<Lines>::Constant(low);
    pull[i] = high;
    add(pull);
    pull[(i + 1) % Lines] = high;
    add(pull);
  }
  add(Point<Lines>::Constant(high));
  Eigen::Matrix<double, Lines, Eigen::Dynamic> matrix(Lines, pulls.size());
  for (std::size_t p = 0; p < pulls.size(); ++p) matrix.col(static_cast<Eigen::Index>(p)) = pulls[p];
  return matrix;
}

/// f_s with its derivatives up to `order`, as a grid asks for it.
template <int SpaceDim>
CornerFunction<line_count<SpaceDim>> corner_function(const Statics<SpaceDim>& statics, int order) {
  switch (order) {
    case 1: return CornerFunction<line_count<SpaceDim>>(JetStatics<SpaceDim, 1>(statics));
    case 2: return CornerFunction<line_count<SpaceDim>>(JetStatics<SpaceDim, 2>(statics));
    default: return CornerFunction<line_count<SpaceDim>>(JetStatics<SpaceDim, 3>(statics));
  }
}

template <int SpaceDim>
ShapeBasis make_basis(const Statics<SpaceDim>& statics, const SoftArmGridOptions<SpaceDim>& options) {
  constexpr int lines = line_count<SpaceDim>;
  if (!(options.basis_control > 0) || !std::isfinite(options.basis_control))
    throw std::invalid_argument("SoftArmGridOptions::basis_control = " + to_text(options.basis_control) +
                                " is not positive and finite");
  const auto pulls = basis_pulls<lines>(options.basis_control, lattice_of(options));
  const SampledPulls<SpaceDim> sampled(corner_function(statics, options.jet_order), pulls, options);
  return make_shape_basis<lines>(sampled, pulls, Point<lines>::Constant(options.spacing), statics.arm().mass(),
                                 statics.arm().rest(), options.basis_tolerance);
}

/// Weights of [q; l] that make an error of the coordinates q, in which the mass matrix is the identity, count as the
/// root mean square of the displacement over the body. The lengths count as their root mean square.
template <int SpaceDim>
Eigen::VectorXd in_metres(const SoftArm<SpaceDim>& arm, Eigen::Index coordinates) {
  constexpr int lines = line_count<SpaceDim>;
  Eigen::VectorXd weights(coordinates + lines);
  weights.head(coordinates).setConstant(std::sqrt(SpaceDim / arm.mass().sum()));
  weights.tail(lines).setConstant(1 / std::sqrt(static_cast<double>(lines)));
  return weights;
}

}  // namespace

template <int SpaceDim>
GridOptions<line_count<SpaceDim>> lattice_of(const SoftArmGridOptions<SpaceDim>& options) {
  const double cells = std::floor((options.upper - options.lower) / options.spacing + 1e-9);
  if (!(options.spacing > 0) || !(cells >= 1) || !std::isfinite(cells))
    throw std::invalid_argument("SoftArmGridOptions: no cell of spacing " + to_text(options.spacing) +
                                " fits between lower = " + to_text(options.lower) +
                                " and upper = " + to_text(options.upper));
  GridOptions<line_count<SpaceDim>> grid;
  grid.origin.setConstant(options.lower);
  grid.spacing.setConstant(options.spacing);
  grid.lower.setConstant(options.lower);
  grid.upper.setConstant(options.lower + options.spacing * cells);
  grid.evaluate_ahead = options.evaluate_ahead;
  grid.storage = options.storage;
  return grid;
}

template <int SpaceDim>
AdaptiveGrid<line_count<SpaceDim>> grid_of_shapes(const Statics<SpaceDim>& statics,
                                                  const SoftArmGridOptions<SpaceDim>& options) {
  using Grid = AdaptiveGrid<line_count<SpaceDim>>;
  const auto lattice = lattice_of(options);
  switch (options.jet_order) {
    case 1: return Grid(JetStatics<SpaceDim, 1>(statics), lattice, options.evaluator);
    case 2: return Grid(JetStatics<SpaceDim, 2>(statics), lattice, options.evaluator);
    case 3: return Grid(JetStatics<SpaceDim, 3>(statics), lattice, options.evaluator);
    default:
      throw std::invalid_argument("SoftArmGridOptions::jet_order = " + to_text(options.jet_order) +
                                  ": the arm gives jets of order 1 to 3");
  }
}

/// The second grid, over W, in the coordinates of a basis.
template <int SpaceDim>
struct SoftArmGrid<SpaceDim>::Inertia {
  BendingDirections<SpaceDim> directions;
  AdaptiveGrid<lines> grid;
  View tip;

  Inertia(const InertialShapes<SpaceDim>& shapes, const GridOptions<lines>& lattice)
      : directions(shapes.directions()),
        grid(shapes, lattice, Threads{}),
        tip(grid.linear_output(Eigen::MatrixXd::Identity(shapes.output_size(), shapes.output_size())
                                   .bottomRows(shapes.output_size() - shapes.outputs().size()))) {}

  /// At the corners that a view of f_s uses.
  View at(const View& of_grid, const View& view) const {
    return of_grid.at_resolution_of(view.tolerance() ? grid.at_level(0) : grid.at_level(view.level()));
  }
};

/// It is made when it is first asked for: who plans on Eq. 8 pays nothing.
template <int SpaceDim>
struct SoftArmGrid<SpaceDim>::InertiaWhenAsked {
  ForkSafeMutex mutex;
  std::shared_ptr<const Inertia> made;  // guarded by the mutex
};

template <int SpaceDim>
SoftArmGrid<SpaceDim>::SoftArmGrid(Statics<SpaceDim> statics, const Options& options)
    : options_(options),
      statics_(std::move(statics)),
      log_(std::make_shared<CornerLog>()),
      grid_([&] {
        Options noted = options_;
        // The grid refuses an empty evaluator.
        if (options_.evaluator) noted.evaluator = CornerLog::noting(options_.evaluator, log_);
        if (options_.storage)
          noted.storage = std::make_shared<typename CornerLog::NotingStorage>(options_.storage, log_);
        return grid_of_shapes(statics_, noted);
      }()),
      basis_(make_basis(statics_, options_)),
      coordinates_(add_coordinates()),
      tip_(grid_.linear_output(body().tip_rows())),
      inertia_(std::make_shared<InertiaWhenAsked>()) {
  options_.step.force_scale = body().line_force();
  dynamics(grid_.at_level(0));  // throws for step options out of range
}

template <int SpaceDim>
auto SoftArmGrid<SpaceDim>::add_coordinates() -> View {
  return grid_.linear_output(basis_.functional(lines), in_metres(body(), basis_.size()));
}

template <int SpaceDim>
auto SoftArmGrid<SpaceDim>::exact_dynamics() const -> ExactDynamics {
  const MassScaledMap<lines, Statics<SpaceDim>> map(statics_, body().mass());
  return {map, map.coordinates(), options_.step};
}

template <int SpaceDim>
auto SoftArmGrid<SpaceDim>::inertia() const -> std::shared_ptr<const Inertia> {
  const std::scoped_lock lock(inertia_->mutex);
  if (inertia_->made) return inertia_->made;
  const View corners = grid_.at_level(grid_.options().deepest_level);
  const View coarse = grid_.at_level(0);
  Eigen::MatrixXd near_rest;
  coarse.corner_jet(coarse.nearest_corner(Point<lines>::Zero()), near_rest);
  const auto directions = bending_directions(body(), near_rest, options_.bending_modes);
  typename InertialShapes<SpaceDim>::Jets jets = [corners](const Point<lines>& alpha, Eigen::MatrixXd& jet) {
    corners.corner_jet(alpha, jet);
  };
  if (options_.jet_order == 1)
    jets = [statics = statics_](const Point<lines>& alpha, Eigen::MatrixXd& jet) {
      jet.resize(statics.output_size(), jet_size(lines, 2));
      statics.evaluate_jet(2, alpha, jet);
    };
  GridOptions<lines> lattice = lattice_of(options_);
  lattice.storage = nullptr;  // which keeps f_s, of which W follows
  const Eigen::MatrixXd tip_rows = body().tip_rows().leftCols(body().size());
  inertia_->made =
      std::make_shared<const Inertia>(InertialShapes<SpaceDim>(body(), directions, jets, basis_, tip_rows), lattice);
  return inertia_->made;
}

template <int SpaceDim>
auto SoftArmGrid<SpaceDim>::inertial_dynamics(const View& view) const -> Inertial {
  const auto inertia = this->inertia();
  return {coordinates(view), inertia->at(inertia->grid.at_level(0), view), basis_.size(), inertia->directions,
          options_.step};
}

template <int SpaceDim>
auto SoftArmGrid<SpaceDim>::inertial_tip(const View& view) const -> InertialTip {
  const auto inertia = this->inertia();
  return {tip(view), inertia->at(inertia->tip, view)};
}

template <int SpaceDim>
double SoftArmGrid<SpaceDim>::reduction_error_along(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& states,
                                                    const Eigen::Ref<const Eigen::MatrixXd>& controls) const {
  const auto inertia = this->inertia();
  const Eigen::Index modes = inertia->directions.cols();
  if (states.rows() < 2 * (lines + modes) || controls.rows() != lines || states.cols() != controls.cols() + 1)
    throw std::invalid_argument("SoftArmGrid::reduction_error_along: states " + shape_text(states) + " and controls " +
                                shape_text(controls) + ", wanted " + to_text(2 * (lines + modes)) + " x (K + 1) and " +
                                to_text(lines) + " x K");
  const View tip = inertia->at(inertia->tip, view);
  Eigen::VectorXd by_q;
  Eigen::MatrixXd J;
  double moved = 0, lead = 0;
  for (Eigen::Index i = 0; i < states.cols(); ++i) {
    const Point<lines> alpha = states.col(i).template head<lines>();
    if (!try_evaluate<lines>(tip, alpha, by_q, J).has_value()) return std::numeric_limits<double>::infinity();
    const Eigen::VectorXd displacement =
        by_q.reshaped(by_q.size() / modes, modes) * states.col(i).segment(lines, modes);
    moved = std::max(moved, displacement.template head<SpaceDim>().norm());
    if (i > 0) lead = std::max(lead, (controls.col(i - 1) - alpha).norm());
  }
  const double length = body().lengths(body().rest()).mean(),
               omega = std::sqrt(inertia->directions.col(0).cwiseAbs().maxCoeff());
  return 4 * moved * (moved / length + options_.step.stiffness_damping * omega * lead);
}

template <int SpaceDim>
auto SoftArmGrid<SpaceDim>::exact_inertial_dynamics() const -> ExactInertial {
  const MassScaledMap<lines, Statics<SpaceDim>> map(statics_, body().mass());
  const InertialShapes<SpaceDim> shapes(statics_, inertia()->directions);
  return {map, shapes, map.coordinates(), shapes.directions(), options_.step};
}

template <int SpaceDim>
FullDynamics<SpaceDim> SoftArmGrid<SpaceDim>::full_dynamics() const {
  return FullDynamics<SpaceDim>(body(), {.time_step = options_.step.time_step,
                                         .stiffness_damping = options_.step.stiffness_damping,
                                         .mass_damping = options_.step.mass_damping});
}

/// Calls use(shape and its derivatives) for each of these corners, f - f0 and derivatives of f. N x derivatives.
template <int SpaceDim>
template <class Use>
void SoftArmGrid<SpaceDim>::for_shapes_at(const std::vector<Point<lines>>& alphas, const Use& use) const {
  const View corners = grid_.at_level(grid_.options().deepest_level);  // every corner is a lattice point of that level
  Eigen::MatrixXd jet;
  for (const Point<lines>& alpha : alphas) {
    try {
      corners.corner_jet(alpha, jet);
    } catch (const CornerFailure&) {
      continue;
    }
    Eigen::MatrixXd shapes = jet.topRows(body().size());
    shapes.col(0) -= body().rest();
    use(shapes);
  }
}

template <int SpaceDim>
int SoftArmGrid<SpaceDim>::grow() {
  // The jet's column for derivative a counts as the term of the Taylor polynomial that it contributes one spacing away.
  std::vector<double> scales;
  for (const MultiIndex<lines>& index : graded_multi_indices<lines>(grid_.jet_order())) {
    double& scale = scales.emplace_back(1);
    for (const int order : index)
      for (int k = 1; k <= order; ++k) scale *= options_.spacing / k;
  }
  const Eigen::Map<const Eigen::VectorXd> weights(scales.data(), static_cast<Eigen::Index>(scales.size()));
  const Eigen::Index before = basis_.size();
  for_shapes_at(log_->take_new(), [&](const Eigen::MatrixXd& shapes) {
    basis_ = basis_.grown(shapes * weights.asDiagonal(), options_.basis_tolerance);
  });
  if (basis_.size() > before) {
    coordinates_ = add_coordinates();
    inertia_ = std::make_shared<InertiaWhenAsked>();
  }
  return static_cast<int>(basis_.size() - before);
}

template <int SpaceDim>
Answer SoftArmGrid<SpaceDim>::missed_by_basis() const {
  Answer most{.error = 0, .jacobian_error = 0};
  const Eigen::VectorXd root_mass = body().mass().cwiseSqrt();
  for_shapes_at(log_->look_at_new(), [&](const Eigen::MatrixXd& shapes) {
    const Eigen::MatrixXd missed =
        shapes - basis_.shapes() * (basis_.shapes().transpose() * (body().mass().asDiagonal() * shapes));
    const Eigen::VectorXd rms =
        (root_mass.asDiagonal() * missed).colwise().norm().transpose() * std::sqrt(SpaceDim / body().mass().sum());
    most.error = std::max(most.error, rms[0]);
    most.jacobian_error = std::max(most.jacobian_error, rms.segment(1, lines).maxCoeff());
  });
  return most;
}

template <int SpaceDim>
Answer SoftArmGrid<SpaceDim>::error_along(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& alphas) const {
  Answer worst = coordinates(view).error_along(alphas);
  const Answer missed = missed_by_basis();
  worst.error += missed.error;
  worst.jacobian_error += missed.jacobian_error;
  return worst;
}

template <int SpaceDim>
Eigen::MatrixXd SoftArmGrid<SpaceDim>::corners() const {
  return log_->all();
}

template class SoftArmGrid<2>;
template class SoftArmGrid<3>;
template GridOptions<2> lattice_of<2>(const SoftArmGridOptions<2>&);
template GridOptions<4> lattice_of<3>(const SoftArmGridOptions<3>&);
template AdaptiveGrid<2> grid_of_shapes<2>(const Statics<2>&, const SoftArmGridOptions<2>&);
template AdaptiveGrid<4> grid_of_shapes<3>(const Statics<3>&, const SoftArmGridOptions<3>&);

}  // namespace quoin::soft_arm
