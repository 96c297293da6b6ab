// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/point.hpp"
#include "quoin/grid/grid_state.hpp"
#include "quoin/grid/sweep.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace quoin {

/// A map that answers from one level of a grid, or from a functional of it: a DifferentiableMap<Dim>.
///
/// A view is small, copyable, immutable and safe from many threads. It stays at its level when the grid is refined, and
/// lives on when the grid is gone. What it misses is evaluated on demand and kept for all.
///
///   quoin::GridView<4> coarse = grid.at_level(1);
///   coarse.evaluate(x, y, J);          // y: N, J: N x 4
///   coarse.times(x, w, Jw);            // J w without forming J
///   coarse.transpose_times(x, v, Jtv); // J^T v without forming J
///
/// A query that misses nothing costs one table lookup, the weights, and one sweep over the jets of 2^Dim corners.
template <int Dim>
class GridView {
 public:
  using Field = JetField<Dim>;

  /// Made by AdaptiveGrid.
  GridView(std::shared_ptr<GridState<Dim>> state, Field& field, int level)
      : state_(std::move(state)), field_(&field), level_(level) {
    if (level < 0 || level > state_->lattice().deepest_level())
      throw std::invalid_argument("AdaptiveGrid<" + std::to_string(Dim) + ">: level " + std::to_string(level) +
                                  " is not in 0.." + std::to_string(state_->lattice().deepest_level()) +
                                  " (GridOptions::deepest_level)");
  }

  Eigen::Index output_size() const { return field_->rows(); }
  int level() const { return level_; }
  Point<Dim> spacing() const { return state_->lattice().spacing(level_); }
  const GridOptions<Dim>& options() const { return state_->options(); }

  /// The same map at another level.
  GridView at_level(int level) const { return GridView(state_, *field_, level); }

  /// The map x -> C f(x), at this level. C (M x N) is applied once per corner, to corners from before as well.
  GridView add_functional(const Eigen::MatrixXd& C) const {
    return GridView(state_, state_->add_functional(*field_, C), level_);
  }

  /// Throws DomainError and CornerFailure, unless the options say otherwise.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, &y, nullptr, "evaluate", true); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, &y, &J, "evaluate", true);
  }

  /// As evaluate, but what would be thrown comes back as Trust::outside or Trust::failed, with y and J untouched.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    return answer(x, &y, nullptr, "try_evaluate", false);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, &y, &J, "try_evaluate", false);
  }

  /// Jw = J(x) w. w: Dim, Jw: N.
  Answer times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const {
    require_size("times", "w", w.size(), Dim);
    QueryCounters::Query query(state_->counters());
    const Place place = find(x, "times", true, query);
    if (!place.plain()) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      finish(x, place, y, &J);
      Jw.noalias() = J * w;
      return place.answer;
    }
    const Weights weights(*this, place);
    Scratch& single = scratch();
    single.resize(weights.rows());
    for (std::size_t k = 0; k < weights.rows(); ++k) {
      single[k] = 0;
      for (int j = 0; j < Dim; ++j) single[k] += weights(k, 1 + j) * w[j];
    }
    Jw.resize(output_size());
    double* out = Jw.data();
    detail::sweep(input(*place.cell), single.data(), 1, &out, output_size());
    return place.answer;
  }

  /// Jtv = J(x)^T v. v: N, Jtv: Dim.
  Answer transpose_times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const {
    require_size("transpose_times", "v", v.size(), output_size());
    QueryCounters::Query query(state_->counters());
    const Place place = find(x, "transpose_times", true, query);
    if (!place.plain()) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      finish(x, place, y, &J);
      Jtv.noalias() = J.transpose() * v;
      return place.answer;
    }
    const Weights weights(*this, place);
    const detail::SweepInput in = input(*place.cell);
    thread_local PaddedVector padded;
    padded.assign(v, in.packs * detail::pack_rows);
    Scratch& moments = scratch();
    moments.resize(weights.rows());
    detail::moments(in, padded.data(), moments.data());
    Jtv.setZero(Dim);
    for (std::size_t k = 0; k < weights.rows(); ++k)
      for (int j = 0; j < Dim; ++j) Jtv[j] += weights(k, 1 + j) * moments[k];
    return place.answer;
  }

  /// Evaluates, as one batch, the corners that these points (Dim x M) need and that are missing. Corners that fail are
  /// kept as failed. Throws DomainError for a point outside if evaluate would.
  void prepare(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    require_size("prepare", "rows of X", X.rows(), Dim);
    std::vector<Address<Dim>> addresses;
    for (Eigen::Index m = 0; m < X.cols(); ++m) {
      const CellPosition<Dim> position = locate(X.col(m), "prepare", true).second;
      if (!position.inside || field_->find_cell(level_, position.lower)) continue;
      for (const Address<Dim>& address : field_->cell_addresses(level_, position.lower)) addresses.push_back(address);
    }
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::vector<const Corner*> corners(addresses.size());
    field_->require_corners(level_, addresses, corners);
  }

  /// X: Dim x M, Y: N x M. Prepares, then sweeps once over each cell for up to eight of its points.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y) const {
    const Batch batch = find_batch(X);
    Y.resize(output_size(), X.cols());
    Scratch& together = scratch();
    for (std::size_t first = 0; first < batch.order.size();) {
      const Place& place = batch.places[batch.order[first]];
      std::size_t count = 1;
      if (!place.plain()) {
        Eigen::VectorXd y;
        finish(X.col(batch.order[first]), place, y, nullptr);
        Y.col(batch.order[first]) = y;
      } else {
        while (count < detail::max_sweep_outputs && first + count < batch.order.size() &&
               batch.places[batch.order[first + count]].cell == place.cell &&
               batch.places[batch.order[first + count]].plain())
          ++count;
        std::array<double*, detail::max_sweep_outputs> out;
        for (std::size_t p = 0; p < count; ++p) {
          const Eigen::Index m = batch.order[first + p];
          const Weights weights(*this, batch.places[m]);
          together.resize(weights.rows() * count);
          for (std::size_t k = 0; k < weights.rows(); ++k) together[k * count + p] = weights(k, 0);
          out[p] = Y.col(m).data();
        }
        detail::sweep(input(*place.cell), together.data(), static_cast<int>(count), out.data(), output_size());
      }
      first += count;
    }
    return batch.answers();
  }

  /// As above, with the Jacobians side by side: J is N x (Dim M), the block of point m starts at column Dim m.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y,
                                     Eigen::MatrixXd& J) const {
    const Batch batch = find_batch(X);
    Y.resize(output_size(), X.cols());
    J.resize(output_size(), Dim * X.cols());
    Eigen::VectorXd y;
    Eigen::MatrixXd J_one;
    for (const Eigen::Index m : batch.order) {  // points of one cell follow each other: its corners are in the cache
      finish(X.col(m), batch.places[m], y, &J_one);
      Y.col(m) = y;
      J.middleCols(Dim * m, Dim) = J_one;
    }
    return batch.answers();
  }

 private:
  using Scratch = std::vector<double>;
  static constexpr int outputs = JetCell<Dim>::outputs;

  // Where an answer comes from: a cell, or (call_function) a call of f.
  struct Place {
    Answer answer;
    Point<Dim> x;  // the query point, or the nearest point of the domain
    const typename Field::Cell* cell = nullptr;
    Point<Dim> t;            // place in the cell
    Eigen::MatrixXd called;  // jet of f at x, if f was called there
    bool plain() const { return cell != nullptr && answer.trust != Trust::extended; }
  };

  struct Batch {
    std::vector<Place> places;
    std::vector<Eigen::Index> order;  // points of one cell side by side
    std::vector<Answer> answers() const {
      std::vector<Answer> result;
      for (const Place& place : places) result.push_back(place.answer);
      return result;
    }
  };

  // The weights of a place, [corner and derivative][value, d_1 .. d_Dim].
  class Weights {
   public:
    Weights(const GridView& view, const Place& place) : buffer_(storage()) {
      const JetCell<Dim>& cell = view.field_->interpolant();
      buffer_.resize(cell.weight_count());
      cell.weights(place.t, view.state_->lattice().spacing(place.answer.level), buffer_.data());
    }
    std::size_t rows() const { return buffer_.size() / outputs; }
    double operator()(std::size_t row, int output) const { return buffer_[row * outputs + output]; }
    const double* data() const { return buffer_.data(); }

   private:
    static Scratch& storage() {
      thread_local Scratch buffer;
      return buffer;
    }
    Scratch& buffer_;
  };

  // A copy of v, aligned and padded with zeros.
  class PaddedVector {
   public:
    void assign(const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index size) {
      raw_.resize(static_cast<std::size_t>(size) + 8);
      std::copy_n(v.data(), v.size(), data());
      std::fill(data() + v.size(), data() + size, 0.0);
    }
    double* data() { return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(raw_.data()) + 63) / 64 * 64); }

   private:
    Scratch raw_;
  };

  static Scratch& scratch() {
    thread_local Scratch buffer;
    return buffer;
  }

  detail::SweepInput input(const typename Field::Cell& cell) const {
    return {.corners = cell.jets.data(),
            .count = Field::cell_corners,
            .derivatives = field_->interpolant().jet_size(),
            .packs = detail::pack_count(output_size())};
  }

  static void require_size(const char* who, const char* what, Eigen::Index size, Eigen::Index wanted) {
    if (size != wanted)
      throw std::invalid_argument("AdaptiveGrid<" + std::to_string(Dim) + ">::" + who + ": " + what + " = " +
                                  std::to_string(size) + ", expected " + std::to_string(wanted));
  }

  // The point that is asked of the domain (x itself, or the nearest to it by policy) and its cell.
  std::pair<Point<Dim>, CellPosition<Dim>> locate(const Point<Dim>& x, const char* who, bool throwing) const {
    const Lattice<Dim>& lattice = state_->lattice();
    CellPosition<Dim> position = lattice.locate(x, level_);
    if (position.inside) return {x, position};
    if (state_->options().outside != OutsidePolicy::throw_error && x.allFinite()) {
      const Point<Dim> nearest = x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper());
      position = lattice.locate(nearest, level_);
      if (position.inside) return {nearest, position};
    }
    if (throwing) lattice.throw_outside(x, who);
    return {x, position};
  }

  Place find(const Point<Dim>& x, const char* who, bool throwing, QueryCounters::Query& query) const {
    Place place;
    CellPosition<Dim> position;
    std::tie(place.x, position) = locate(x, who, throwing);
    place.answer.level = level_;
    if (!position.inside) {
      place.answer.trust = Trust::outside;
      return place;
    }
    place.t = position.t;
    place.cell = field_->find_cell(level_, position.lower);
    if (place.cell == nullptr) {
      query.called_function = true;
      try {
        const Corner* failed = nullptr;
        place.cell = field_->require_cell(level_, position.lower, &failed);
        if (place.cell == nullptr) answer_failed(place, *failed, throwing);
      } catch (const CornerFailure&) {
        if (throwing) throw;
        place.cell = nullptr;
        place.answer = {.trust = Trust::failed, .level = level_};
      }
    }
    if (place.x != x && place.answer.has_value())
      place.answer = {.trust = Trust::extended, .level = place.answer.level};
    return place;
  }

  // A corner failed: answer by policy.
  void answer_failed(Place& place, const Corner& failed, bool throwing) const {
    place.answer.trust = Trust::failed;
    std::string reason = failed.reason;
    if (state_->options().on_failure == FailurePolicy::coarser) {
      for (int level = level_ - 1; level >= 0 && place.cell == nullptr; --level) {
        const CellPosition<Dim> position = state_->lattice().locate(place.x, level);
        place.cell = field_->require_cell(level, position.lower, nullptr);
        place.t = position.t;
        place.answer = {.trust = place.cell ? Trust::coarser : Trust::failed, .level = level};
      }
    } else if (state_->options().on_failure == FailurePolicy::call_function) {
      CornerSample<Dim> sample = state_->call_function_at(place.x);
      if (sample.jet.size() > 0) {
        place.called = field_->transform(std::move(sample.jet));
        place.answer = {.trust = Trust::exact, .level = level_, .error = 0};
      } else {
        reason = "called at the query point: " + sample.reason;
      }
    }
    if (throwing && place.answer.trust == Trust::failed)
      throw CornerFailure("AdaptiveGrid<" + std::to_string(Dim) + ">: " + reason);
  }

  // Writes what a place that has a value answers for x.
  void finish(const Point<Dim>& x, const Place& place, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
    const bool extended = place.answer.trust == Trust::extended;
    Eigen::MatrixXd own;
    if (extended && J == nullptr) J = &own;
    y.resize(output_size());
    if (J) J->resize(output_size(), Dim);
    if (place.cell == nullptr) {
      y = place.called.col(0);
      if (J) *J = place.called.middleCols(1, Dim);
    } else {
      const Weights weights(*this, place);
      if (J) {
        std::array<double*, outputs> out{y.data()};
        for (int j = 0; j < Dim; ++j) out[1 + j] = J->col(j).data();
        detail::sweep(input(*place.cell), weights.data(), outputs, out.data(), output_size());
      } else {
        Scratch& values = scratch();
        values.resize(weights.rows());
        for (std::size_t k = 0; k < weights.rows(); ++k) values[k] = weights(k, 0);
        double* out = y.data();
        detail::sweep(input(*place.cell), values.data(), 1, &out, output_size());
      }
    }
    if (!extended) return;
    if (state_->options().outside == OutsidePolicy::extend) {
      y.noalias() += *J * (x - place.x);
    } else {
      for (int i = 0; i < Dim; ++i)
        if (x[i] != place.x[i]) J->col(i).setZero();
    }
  }

  Answer answer(const Point<Dim>& x, Eigen::VectorXd* y, Eigen::MatrixXd* J, const char* who, bool throwing) const {
    QueryCounters::Query query(state_->counters());
    const Place place = find(x, who, throwing, query);
    if (place.answer.has_value()) finish(x, place, *y, J);
    return place.answer;
  }

  Batch find_batch(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    prepare(X);
    Batch batch;
    for (Eigen::Index m = 0; m < X.cols(); ++m) {
      QueryCounters::Query query(state_->counters());
      query.called_function = true;  // finding is not the whole query: it must not be timed as one
      batch.places.push_back(find(X.col(m), "evaluate_batch", true, query));
    }
    batch.order.resize(batch.places.size());
    std::iota(batch.order.begin(), batch.order.end(), 0);
    std::stable_sort(batch.order.begin(), batch.order.end(), [&](Eigen::Index a, Eigen::Index b) {
      return std::less<>()(batch.places[a].cell, batch.places[b].cell);
    });
    return batch;
  }

  std::shared_ptr<GridState<Dim>> state_;
  Field* field_;
  int level_;
};

}  // namespace quoin
