// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/fit_size.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/grid/detail/batch.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/leaf_search.hpp"
#include "quoin/grid/detail/sweep.hpp"

#include <Eigen/Core>
#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

template <int Dim>
class AdaptiveGrid;

/// A map that answers from one level of a grid, or to one tolerance, or from a functional of it: a
/// DifferentiableMap<Dim>.
///
/// A view is small, copyable, immutable and safe from many threads. It stays as it is when the grid is refined, and
/// lives on when the grid is gone. What it misses is evaluated on demand and kept for all.
///
///   quoin::GridView<4> coarse = grid.at_level(1);
///   quoin::GridView<4> fine = grid.at_tolerance(1e-6);
///   coarse.evaluate(x, y, J);          // y: N, J: N x 4
///   coarse.times(x, w, Jw);            // J w without forming J
///   coarse.transpose_times(x, v, Jtv); // J^T v without forming J
///
/// A query that misses nothing costs one table lookup (in tolerance mode a few), the weights, and one sweep over the
/// jets of 2^Dim corners.
template <int Dim>
class GridView {
 public:
  // A view that was moved from goes on answering: no view is ever empty.
  GridView(const GridView&) = default;
  GridView& operator=(const GridView&) = default;

  Eigen::Index output_size() const { return field_->rows(); }
  int jet_order() const { return field_->interpolant().order(); }
  int level() const { return level_; }                            ///< 0 in tolerance mode
  std::optional<double> tolerance() const { return tolerance_; }  ///< none in level mode
  Point<Dim> spacing() const { return core_->lattice().spacing(level_); }
  const GridOptions<Dim>& options() const { return core_->options(); }

  /// The same map at another level.
  GridView at_level(int level) const {
    if (level < 0 || level > core_->lattice().deepest_level())
      throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">: level " + to_text(level) + " is not in 0.." +
                                  to_text(core_->lattice().deepest_level()) + " (GridOptions::deepest_level)");
    GridView view = *this;
    view.level_ = level;
    view.tolerance_.reset();
    return view;
  }

  /// The same map to a tolerance: the error of the value that is asked for, absolute, in the weighted norm of this
  /// map's outputs. Each cell goes as deep as it must. Throws std::invalid_argument unless it is positive and finite.
  GridView at_tolerance(double tolerance) const {
    if (!(tolerance > 0) || !std::isfinite(tolerance))
      throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">: tolerance " + to_text(tolerance) +
                                  " is not positive and finite");
    GridView view = at_level(0);
    view.tolerance_ = tolerance;
    return view;
  }

  /// The same map at the level, or to the tolerance, of another view: a functional that follows the map that it goes
  /// with through the rounds of interleave. Keep one functional for all rounds; what it has at corners stays.
  ///
  ///   const auto tip = grid.add_functional(C);
  ///   auto solve = [&](const quoin::GridView<4>& map, const Plan& guess) { ... tip.like(map) ... };
  GridView like(const GridView& view) const {
    return view.tolerance_ ? at_tolerance(*view.tolerance_) : at_level(view.level_);
  }

  /// The map x -> C f(x), at this level or tolerance. C (M x N) is applied once per corner, to corners from before as
  /// well. The norm of its outputs, in which tolerances are meant, has M weights; empty: 1/sqrt(M). What it keeps at
  /// corners is given back with the last view of it.
  GridView add_functional(const Eigen::MatrixXd& C, const Eigen::VectorXd& output_weights = {}) const {
    GridView view = *this;
    view.field_ = grid_detail::GridCore<Dim>::add_functional(core_, field_, C, output_weights);
    return view;
  }

  /// Throws DomainError and CornerFailure, unless the options say otherwise.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, &y, nullptr, "evaluate", true); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, &y, &J, "evaluate", true);
  }

  /// As evaluate, but DomainError and CornerFailure come back as Trust::outside or Trust::failed, with y and J
  /// untouched. A tolerance that f cannot repeat is a mistake, not an outcome: std::invalid_argument here too.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    return answer(x, &y, nullptr, "try_evaluate", false);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, &y, &J, "try_evaluate", false);
  }

  /// Jw = J(x) w. w: Dim, Jw: N; they may be the same vector.
  Answer times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const {
    require_size("times", "w", w.size(), Dim);
    grid_detail::QueryCounters::Query query(core_->counters());
    const grid_detail::Found<Dim> found = find(x, "times", true, query);
    if (!found.plain()) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      finish(x, found, y, &J);
      const Eigen::VectorXd product = J * w;
      fit_size(Jw, output_size());
      Jw = product;
      return found.answer;
    }
    const Weights weights(*this, found);
    Numbers<weight_rows> single(weights.rows(), boost::container::default_init);
    for (std::size_t k = 0; k < weights.rows(); ++k) {
      single[k] = 0;
      for (unsigned j = 0; j < Dim; ++j) single[k] += weights(k, 1 + j) * w[j];
    }
    fit_size(Jw, output_size());
    double* out = Jw.data();
    grid_detail::sweep(input(*found.cell), single.data(), 1, &out, output_size());
    return found.answer;
  }

  /// Jtv = J(x)^T v. v: N, Jtv: Dim; they may be the same vector.
  Answer transpose_times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const {
    require_size("transpose_times", "v", v.size(), output_size());
    grid_detail::QueryCounters::Query query(core_->counters());
    const grid_detail::Found<Dim> found = find(x, "transpose_times", true, query);
    if (!found.plain()) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      finish(x, found, y, &J);
      const Eigen::VectorXd product = J.transpose() * v;
      fit_size(Jtv, Dim);
      Jtv = product;
      return found.answer;
    }
    const Weights weights(*this, found);
    const grid_detail::SweepInput in = input(*found.cell);
    PaddedVector padded(v, in.packs * grid_detail::pack_rows);
    Numbers<weight_rows> moments(weights.rows(), boost::container::default_init);
    grid_detail::moments(in, padded.data(), moments.data());
    fit_size(Jtv, Dim);
    Jtv.setZero();
    for (std::size_t k = 0; k < weights.rows(); ++k)
      for (unsigned j = 0; j < Dim; ++j) Jtv[j] += weights(k, 1 + j) * moments[k];
    return found.answer;
  }

  /// What is known of the error of evaluate(x) without calling f: a certificate, an estimate from corners that are
  /// there (and so not a function of x alone), or nothing (Trust::unchecked). Throws DomainError if evaluate would.
  Answer error_estimate(const Point<Dim>& x) const { return search().estimate(x); }

  /// Evaluates, in batches, the corners that these points (Dim x M) need and that are missing. Corners that fail are
  /// kept as failed. Throws DomainError for a point outside if evaluate would.
  void prepare(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    require_size("prepare", "rows of X", X.rows(), Dim);
    search().prepare(X);
  }

  /// The lattice point of this level nearest to x, within the domain. Throws std::invalid_argument if x is not finite.
  Point<Dim> nearest_corner(const Point<Dim>& x) const { return core_->lattice().point(nearest_address(x)); }

  /// The jet kept at the lattice point of this level nearest to x, evaluated if it is missing. jet: N x derivatives, in
  /// graded lexicographic order. Throws CornerFailure if f failed there.
  void corner_jet(const Point<Dim>& x, Eigen::MatrixXd& jet) const {
    const grid_detail::Address<Dim> address = nearest_address(x);
    const grid_detail::Corner* corner = nullptr;
    field_->require_corners({.level = level_, .to_tolerance = tolerance_.has_value()}, {&address, 1}, {&corner, 1});
    if (corner->failed())
      throw CornerFailure("AdaptiveGrid<" + to_text(Dim) + ">: " + field_->failure_at(*corner), corner->may_pass());
    field_->store(level_).unpack(*corner, jet);
  }

  /// evaluate at many points, to the bit: X: Dim x M, Y: N x M. Corners that are missing are evaluated first, together;
  /// then each cell is read once for many of its points, in whatever order these come. All or nothing: Y is left alone
  /// if evaluate would throw for one of the points. Y may be X.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y) const {
    grid_detail::Batch<Dim> batch = find_batch(X);
    fit_size(Y, output_size(), X.cols());
    return write_batch(std::move(batch), Y, nullptr);
  }
  /// The same into part of a matrix, or into memory that the caller has: throws std::invalid_argument if Y is not N x
  /// M.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y) const {
    grid_detail::Batch<Dim>::require_shape("Y", Y, output_size(), X.cols());
    return write_batch(find_batch(X), Y, nullptr);
  }

  /// As above, with the Jacobians side by side: J is N x (Dim M), the block of point m starts at column Dim m. Throws
  /// std::invalid_argument if Y and J share memory.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y,
                                     Eigen::MatrixXd& J) const {
    grid_detail::Batch<Dim> batch = find_batch(X);
    fit_size(Y, output_size(), X.cols());
    fit_size(J, output_size(), Dim * X.cols());
    grid_detail::Batch<Dim>::require_apart(Y, J);
    Eigen::Ref<Eigen::MatrixXd> jacobians = J;
    return write_batch(std::move(batch), Y, &jacobians);
  }
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y,
                                     Eigen::Ref<Eigen::MatrixXd> J) const {
    grid_detail::Batch<Dim>::require_shape("Y", Y, output_size(), X.cols());
    grid_detail::Batch<Dim>::require_shape("J", J, output_size(), Dim * X.cols());
    grid_detail::Batch<Dim>::require_apart(Y, J);
    return write_batch(find_batch(X), Y, &J);
  }

 private:
  friend class AdaptiveGrid<Dim>;

  using Field = grid_detail::JetField<Dim>;
  static constexpr std::size_t outputs = grid_detail::JetCell<Dim>::outputs;
  static constexpr std::size_t weight_rows = grid_detail::JetCell<Dim>::corners * (1 + Dim);  // of jets of order 1

  // On the stack where there are no more than `room`, as for jets of order 1.
  template <std::size_t room>
  using Numbers = boost::container::small_vector<double, room>;

  // The weights of a place, [corner and derivative][value, d_1 .. d_Dim].
  class Weights {
   public:
    Weights(const GridView& view, const grid_detail::Found<Dim>& found)
        : numbers_(view.field_->interpolant().weight_count(), boost::container::default_init) {
      grid_detail::weights_at(view.field_->interpolant(), view.core_->lattice().spacing(found.answer.level), found.t,
                              found.nearest_corner, numbers_.data());
    }
    std::size_t rows() const { return numbers_.size() / outputs; }
    double operator()(std::size_t row, std::size_t output) const { return numbers_[row * outputs + output]; }
    const double* data() const { return numbers_.data(); }

   private:
    Numbers<weight_rows * outputs> numbers_;
  };

  // A copy of v, aligned and padded with zeros.
  class PaddedVector {
   public:
    PaddedVector(const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index size)
        : raw_(static_cast<std::size_t>(size) + 8, boost::container::default_init) {
      std::copy_n(v.data(), v.size(), data());
      std::fill(data() + v.size(), data() + size, 0.0);
    }
    double* data() { return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(raw_.data()) + 63) / 64 * 64); }

   private:
    Numbers<256> raw_;
  };

  // The function itself, at level 0.
  explicit GridView(std::shared_ptr<grid_detail::GridCore<Dim>> core)
      : core_(std::move(core)), field_(core_, &core_->answering()) {}

  grid_detail::SweepInput input(const typename Field::Cell& cell) const {
    return grid_detail::sweep_input(*field_, cell);
  }

  static void require_size(const char* who, const char* what, Eigen::Index size, Eigen::Index wanted) {
    if (size != wanted)
      throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">::" + who + ": " + what + " = " + to_text(size) +
                                  ", expected " + to_text(wanted));
  }

  grid_detail::LeafSearch<Dim> search() const { return {*core_, *field_, level_, tolerance_}; }

  grid_detail::Found<Dim> find(const Point<Dim>& x, const char* who, bool throwing,
                               grid_detail::QueryCounters::Query& query) const {
    return search().find(x, who, throwing, query.called_function);
  }

  grid_detail::Address<Dim> nearest_address(const Point<Dim>& x) const {
    const grid_detail::Lattice<Dim>& lattice = core_->lattice();
    if (!x.allFinite()) lattice.throw_outside(x, "nearest_corner");
    const grid_detail::CellPosition<Dim> position =
        lattice.locate(x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper()), level_);
    grid_detail::Address<Dim> address = position.lower;
    for (unsigned i = 0; i < Dim; ++i)
      if (position.t[i] > 0.5) address[i] += lattice.stride(level_);
    return address;
  }

  // Writes what a place that has a value answers for x.
  void finish(const Point<Dim>& x, const grid_detail::Found<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
    const bool extended = found.answer.trust == Trust::extended;
    Eigen::MatrixXd own;
    if (extended && J == nullptr) J = &own;
    fit_size(y, output_size());
    if (J) fit_size(*J, output_size(), Dim);
    if (found.cell == nullptr) {
      y = found.exact_jet.col(0);
      if (J) *J = found.exact_jet.middleCols(1, Dim);
    } else {
      const Weights weights(*this, found);
      if (J) {
        std::array<double*, outputs> out{y.data()};
        for (unsigned j = 0; j < Dim; ++j) out[1 + j] = J->col(j).data();
        grid_detail::sweep(input(*found.cell), weights.data(), outputs, out.data(), output_size());
      } else {
        Numbers<weight_rows> values(weights.rows(), boost::container::default_init);
        for (std::size_t k = 0; k < weights.rows(); ++k) values[k] = weights(k, 0);
        double* out = y.data();
        grid_detail::sweep(input(*found.cell), values.data(), 1, &out, output_size());
      }
    }
    if (!extended) return;
    if (core_->options().outside == OutsidePolicy::extend) {
      y.noalias() += *J * (x - found.x);
    } else {
      for (int i = 0; i < Dim; ++i)
        if (x[i] != found.x[i]) J->col(i).setZero();
    }
  }

  Answer answer(const Point<Dim>& x, Eigen::VectorXd* y, Eigen::MatrixXd* J, const char* who, bool throwing) const {
    grid_detail::QueryCounters::Query query(core_->counters());
    const grid_detail::Found<Dim> found = find(x, who, throwing, query);
    if (found.answer.has_value()) finish(x, found, *y, J);
    return found.answer;
  }

  grid_detail::Batch<Dim> find_batch(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    require_size("evaluate_batch", "rows of X", X.rows(), Dim);
    return {*core_, *field_, search(), tolerance_ ? std::nullopt : std::optional(level_), X};
  }

  std::vector<Answer> write_batch(grid_detail::Batch<Dim> batch, Eigen::Ref<Eigen::MatrixXd> Y,
                                  Eigen::Ref<Eigen::MatrixXd>* J) const {
    return std::move(batch).write(Y, J,
                                  [this](const Point<Dim>& x, const grid_detail::Found<Dim>& found, Eigen::VectorXd& y,
                                         Eigen::MatrixXd* J_one) { finish(x, found, y, J_one); });
  }

  std::shared_ptr<grid_detail::GridCore<Dim>> core_;
  std::shared_ptr<Field> field_;
  int level_ = 0;
  std::optional<double> tolerance_ = {};
};

}  // namespace quoin
