// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/grid/grid_statistics.hpp"
#include "quoin/grid/grid_view.hpp"

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace quoin {

/// An on-demand surrogate of an expensive function f from Dim (1 to 6) to N dimensions: f is evaluated only at the grid
/// corners that queries need, once each; values and Jacobians come from a Hermite interpolant between them. This is the
/// hierarchical grid of Jia, Pan, Manocha 2019, section IV-C.
///
///   auto f = quoin::exact_function<2>(n, [](const quoin::Point<2>& x, auto y, auto J) { ... });
///   quoin::GridOptions<2> options;
///   options.spacing = quoin::Point<2>::Constant(0.5);
///   quoin::AdaptiveGrid<2> grid(f, options);
///   grid.evaluate(x, y, J);  // calls f at the 4 corners of the cell around x
///   grid.evaluate(x, y);     // calls nothing
///   grid.refine();           // halves the spacing; corners are kept
///
/// With f sampled to order K (values and Jacobians, K = 1, unless f says otherwise) the value is of order 2K + 2 in the
/// spacing, the Jacobian 2K + 1, and polynomials of degree 2K + 1 are exact. In level mode nothing is known of the error
/// at a query (Trust::unchecked): compare levels, check the final answer on f, or give bounds of its derivatives
/// (Trust::certified). With options.tolerance set each cell goes as deep as that error asks for, by measurement
/// (Trust::estimated).
///
/// Queries are const and safe from many threads, also while other threads wait for f; f may itself ask the grid. For an
/// f that is a pure function, answers do not depend on the order of queries or the number of threads, to the bit. The
/// grid's own level, refine() and trim() belong to one thread; hand views to the others.
///
/// A DifferentiableMap<Dim>. Movable, not copyable. The query members are those of GridView, at the grid's level.
template <int Dim>
class AdaptiveGrid {
 public:
  /// f: a DifferentiableMap<Dim>, or what exact_function and its sisters make; the grid owns it. evaluator: who calls f
  /// at missing corners. Throws std::invalid_argument with the numbers for options that make no grid.
  template <class F>
    requires SampleableFunction<F, Dim>
  explicit AdaptiveGrid(F f, const GridOptions<Dim>& options = {}, Evaluator<Dim> evaluator = ThisThread{})
      : core_(std::make_shared<grid_detail::GridCore<Dim>>(CornerFunction<Dim>(std::move(f)), options,
                                                           std::move(evaluator))),
        view_(core_, {core_, &core_->answering()}, 0) {
    if (options.tolerance) view_ = view_.at_tolerance(*options.tolerance);
  }
  /// A grid that was moved from goes on answering, as a view of the same corners.
  AdaptiveGrid(AdaptiveGrid&& other) noexcept : core_(other.core_), view_(other.view_) {}
  AdaptiveGrid& operator=(AdaptiveGrid&& other) noexcept {
    core_ = other.core_;
    view_ = other.view_;
    return *this;
  }
  AdaptiveGrid(const AdaptiveGrid&) = delete;
  AdaptiveGrid& operator=(const AdaptiveGrid&) = delete;

  Eigen::Index output_size() const { return view_.output_size(); }
  const GridOptions<Dim>& options() const { return core_->options(); }

  int jet_order() const { return view_.jet_order(); }
  int level() const { return view_.level(); }                            ///< 0 in tolerance mode
  std::optional<double> tolerance() const { return view_.tolerance(); }  ///< none in level mode
  Point<Dim> spacing() const { return view_.spacing(); }

  /// Halves the spacing; in tolerance mode divides the tolerance by 16. Throws std::invalid_argument beyond
  /// GridOptions::deepest_level.
  void refine() { view_ = tolerance() ? view_.at_tolerance(*tolerance() / 16) : view_.at_level(level() + 1); }

  /// A map that stays at one level, or at one tolerance, whatever becomes of the grid.
  GridView<Dim> at_level(int level) const { return view_.at_level(level); }
  GridView<Dim> at_tolerance(double tolerance) const { return view_.at_tolerance(tolerance); }

  /// The map x -> C f(x) at the grid's present level or tolerance (another: functional.at_level, at_tolerance). C: M x N;
  /// output_weights: M, of the norm in which its tolerances are meant, or empty.
  GridView<Dim> add_functional(const Eigen::MatrixXd& C, const Eigen::VectorXd& output_weights = {}) {
    return view_.add_functional(C, output_weights);
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return view_.evaluate(x, y); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const { return view_.evaluate(x, y, J); }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return view_.try_evaluate(x, y); }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return view_.try_evaluate(x, y, J);
  }
  Answer times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const {
    return view_.times(x, w, Jw);
  }
  Answer transpose_times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const {
    return view_.transpose_times(x, v, Jtv);
  }
  Answer error_estimate(const Point<Dim>& x) const { return view_.error_estimate(x); }
  Point<Dim> nearest_corner(const Point<Dim>& x) const { return view_.nearest_corner(x); }
  void corner_jet(const Point<Dim>& x, Eigen::MatrixXd& jet) const { view_.corner_jet(x, jet); }
  void prepare(const Eigen::Ref<const Eigen::MatrixXd>& X) const { view_.prepare(X); }
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y) const {
    return view_.evaluate_batch(X, Y);
  }
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y) const {
    return view_.evaluate_batch(X, Y);
  }
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y,
                                     Eigen::MatrixXd& J) const {
    return view_.evaluate_batch(X, Y, J);
  }
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y,
                                     Eigen::Ref<Eigen::MatrixXd> J) const {
    return view_.evaluate_batch(X, Y, J);
  }

  GridStatistics statistics() const { return core_->statistics(); }

  /// Gives back the memory of corners and cells that only other levels than the present one use (in tolerance mode:
  /// that no query to a tolerance has met); what is asked for again is evaluated again. Needs no memory itself. Views
  /// stay valid. No query may be running in another thread.
  void trim() noexcept { core_->trim({.level = level(), .to_tolerance = tolerance().has_value()}); }

 private:
  std::shared_ptr<grid_detail::GridCore<Dim>> core_;
  GridView<Dim> view_;
};

}  // namespace quoin
