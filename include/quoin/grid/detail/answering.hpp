// SPDX-License-Identifier: BSD-3-Clause
// The frame of a query: it is counted, its leaf is found, the leaf's corners are weighted and summed.
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/fit_size.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/grid/detail/batch.hpp"
#include "quoin/grid/detail/found.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/leaf_search.hpp"
#include "quoin/grid/detail/query_counters.hpp"
#include "quoin/grid/detail/sweep.hpp"

#include <Eigen/Core>
#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Answers one query for a view, at its level or to its tolerance. Lives as long as the query.
template <int Dim>
class Answering {
 public:
  using Field = JetField<Dim>;

  /// Keeps references.
  Answering(GridCore<Dim>& core, Field& field, int level, std::optional<double> tolerance)
      : core_(core), field_(field), level_(level), tolerance_(tolerance) {}

  LeafSearch<Dim> search() const { return {core_, field_, level_, tolerance_}; }

  /// The value, and with J the Jacobian.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, const char* who, bool throwing) const {
    QueryCounters::Query query(core_.counters());
    const Found<Dim> found = search().find(x, who, throwing, query.called_function);
    if (found.answer.has_value()) finish(x, found, y, J);
    return found.answer;
  }

  Answer times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const {
    require_size("times", "w", w.size(), Dim);
    QueryCounters::Query query(core_.counters());
    const Found<Dim> found = search().find(x, "times", true, query.called_function);
    if (!found.plain()) {
      const Eigen::VectorXd product = jacobian(x, found) * w;
      fit_size(Jw, field_.rows());
      Jw = product;
      return found.answer;
    }
    const Weights weights(*this, found);
    Numbers<weight_rows> single(weights.rows(), boost::container::default_init);
    for (std::size_t k = 0; k < weights.rows(); ++k) {
      single[k] = 0;
      for (unsigned j = 0; j < Dim; ++j) single[k] += weights(k, 1 + j) * w[j];
    }
    fit_size(Jw, field_.rows());
    double* out = Jw.data();
    sweep(input(*found.cell), single.data(), 1, &out, field_.rows());
    return found.answer;
  }

  Answer transpose_times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const {
    require_size("transpose_times", "v", v.size(), field_.rows());
    QueryCounters::Query query(core_.counters());
    const Found<Dim> found = search().find(x, "transpose_times", true, query.called_function);
    if (!found.plain()) {
      const Eigen::VectorXd product = jacobian(x, found).transpose() * v;
      fit_size(Jtv, Dim);
      Jtv = product;
      return found.answer;
    }
    const Weights weights(*this, found);
    const SweepInput in = input(*found.cell);
    PaddedVector padded(v, in.packs * pack_rows);
    Numbers<weight_rows> sums(weights.rows(), boost::container::default_init);
    moments(in, padded.data(), sums.data());
    fit_size(Jtv, Dim);
    Jtv.setZero();
    for (std::size_t k = 0; k < weights.rows(); ++k)
      for (unsigned j = 0; j < Dim; ++j) Jtv[j] += weights(k, 1 + j) * sums[k];
    return found.answer;
  }

  Batch<Dim> find_batch(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    require_size("evaluate_batch", "rows of X", X.rows(), Dim);
    return {core_, field_, search(), tolerance_ ? std::nullopt : std::optional(level_), X};
  }

  std::vector<Answer> write_batch(Batch<Dim> batch, Eigen::Ref<Eigen::MatrixXd> Y,
                                  Eigen::Ref<Eigen::MatrixXd>* J) const {
    return std::move(batch).write(
        Y, J, [this](const Point<Dim>& x, const Found<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd* J_one) {
          finish(x, found, y, J_one);
        });
  }

  /// The address of the lattice point of this level nearest to x.
  Address<Dim> nearest_address(const Point<Dim>& x) const {
    const Lattice<Dim>& lattice = core_.lattice();
    if (!x.allFinite()) lattice.throw_outside(x, "nearest_corner");
    const CellPosition<Dim> position = lattice.locate(x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper()), level_);
    Address<Dim> address = position.lower;
    for (unsigned i = 0; i < Dim; ++i)
      if (position.t[i] > 0.5) address[i] += lattice.stride(level_);
    return address;
  }

  static void require_size(const char* who, const char* what, Eigen::Index size, Eigen::Index wanted) {
    if (size != wanted)
      throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">::" + who + ": " + what + " = " + to_text(size) +
                                  ", expected " + to_text(wanted));
  }

 private:
  static constexpr std::size_t outputs = JetCell<Dim>::outputs;
  static constexpr std::size_t weight_rows = JetCell<Dim>::corners * (1 + Dim);  // of jets of order 1

  // Numbers that are on the stack if there are at most `room`, as for jets of order 1.
  template <std::size_t room>
  using Numbers = boost::container::small_vector<double, room>;

  // The weights of a place, [corner and derivative][value, d_1 .. d_Dim].
  class Weights {
   public:
    Weights(const Answering& answering, const Found<Dim>& found)
        : numbers_(answering.field_.interpolant().weight_count(), boost::container::default_init) {
      weights_at(answering.field_.interpolant(), answering.core_.lattice().spacing(found.answer.level), found.t,
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

  SweepInput input(const typename Field::Cell& cell) const { return sweep_input(field_, cell); }

  // Writes the answer for x from a place that has a value.
  void finish(const Point<Dim>& x, const Found<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
    const bool extended = found.answer.trust == Trust::extended;
    Eigen::MatrixXd own;
    if (extended && J == nullptr) J = &own;
    fit_size(y, field_.rows());
    if (J) fit_size(*J, field_.rows(), Dim);
    if (found.cell == nullptr) {
      y = found.exact_jet.col(0);
      if (J) *J = found.exact_jet.middleCols(1, Dim);
    } else {
      const Weights weights(*this, found);
      if (J) {
        std::array<double*, outputs> out{y.data()};
        for (unsigned j = 0; j < Dim; ++j) out[1 + j] = J->col(j).data();
        sweep(input(*found.cell), weights.data(), outputs, out.data(), field_.rows());
      } else {
        Numbers<weight_rows> values(weights.rows(), boost::container::default_init);
        for (std::size_t k = 0; k < weights.rows(); ++k) values[k] = weights(k, 0);
        double* out = y.data();
        sweep(input(*found.cell), values.data(), 1, &out, field_.rows());
      }
    }
    if (!extended) return;
    if (core_.options().outside == OutsidePolicy::extend) {
      y.noalias() += *J * (x - found.x);
    } else {
      for (int i = 0; i < Dim; ++i)
        if (x[i] != found.x[i]) J->col(i).setZero();
    }
  }

  // The Jacobian of such an answer.
  Eigen::MatrixXd jacobian(const Point<Dim>& x, const Found<Dim>& found) const {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    finish(x, found, y, &J);
    return J;
  }

  GridCore<Dim>& core_;
  Field& field_;
  int level_;
  std::optional<double> tolerance_;
};

}  // namespace quoin::grid_detail
