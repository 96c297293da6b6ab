// SPDX-License-Identifier: BSD-3-Clause
// The frame of a query: it is counted, its leaf is found, the leaf's corners are weighted and summed.
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/fit_size.hpp"
#include "quoin/core/multi_index.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/grid/detail/batch.hpp"
#include "quoin/grid/detail/found.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/leaf_search.hpp"
#include "quoin/grid/detail/query_counters.hpp"
#include "quoin/grid/detail/second_weights.hpp"
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
      : core_(core), stay_(core), field_(field), level_(level), tolerance_(tolerance) {}

  LeafSearch<Dim> search() const { return {core_, field_, level_, tolerance_}; }
  /// On behalf of queries that may come. At a level it looks for corners of f, of which functionals are made when they
  /// are asked.
  LeafSearch<Dim> search_ahead() const {
    return {core_, tolerance_ ? field_ : core_.answering(), level_, tolerance_, true};
  }

  /// The value, and with J the Jacobian.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, const char* who, bool throwing) const {
    QueryCounters::Query query(core_.counters());
    const Found<Dim> found = search().find(x, who, throwing, query.called_function);
    if (found.answer.has_value()) finish(x, found, y, J);
    return found.answer;
  }

  /// The same from what is there.
  Answer evaluate_known(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J,
                        std::vector<Point<Dim>>* missing) const {
    QueryCounters::Query query(core_.counters());
    const Found<Dim> found = search().find_known(x, missing);
    if (found.answer.has_value()) finish(x, found, y, J);
    return found.answer;
  }

  /// Value, Jacobian and second derivatives.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H, const char* who,
                  bool throwing) const {
    QueryCounters::Query query(core_.counters());
    Found<Dim> found = search().find(x, who, throwing, query.called_function);
    if (found.answer.has_value() && knows_second(found, throwing)) finish(x, found, y, J, H);
    return found.answer;
  }

  /// V: the second derivatives of v^T f.
  Answer curvature(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::MatrixXd& V) const {
    require_size("curvature", "v", v.size(), field_.rows());
    QueryCounters::Query query(core_.counters());
    Found<Dim> found = search().find(x, "curvature", true, query.called_function);
    knows_second(found, true);
    std::array<double, std::size_t{pairs}> packed{};
    if (!found.plain()) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J, H;
      finish(x, found, y, J, H);
      Eigen::Map<Eigen::VectorXd>(packed.data(), pairs) = H.transpose() * v;
    } else {
      const PackedJets jets = field_.jets(*found.cell);
      PaddedVector padded(v, pack_count(jets.rows) * pack_rows);
      const SecondNumbers weights = second_weights(found);
      Numbers<weight_rows> sums(weights.size() / pairs, boost::container::default_init);
      moments(jets, padded.data(), sums.data());
      for (std::size_t k = 0; k < weights.size(); ++k) packed[k % pairs] += weights[k] * sums[k / pairs];
    }
    fit_size(V, Dim, Dim);
    for (int j = 0; j < Dim; ++j)
      for (int k = 0; k < Dim; ++k) V(j, k) = packed[static_cast<std::size_t>(second_derivative_index(Dim, j, k))];
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
    sweep(field_.jets(*found.cell), single.data(), 1, &out);
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
    const PackedJets jets = field_.jets(*found.cell);
    Point<Dim> product = Point<Dim>::Zero();  // v may be Jtv
    if (jets.rows <=
        tile_packs * pack_rows) {  // J is so small that it is formed faster than the products of all jets with v
      std::array<std::array<double, std::size_t{tile_packs * pack_rows}>, outputs> columns;
      std::array<double*, outputs> out;
      for (std::size_t p = 0; p < outputs; ++p) out[p] = columns[p].data();
      sweep(jets, weights.data(), outputs, out.data());
      for (unsigned j = 0; j < Dim; ++j) product[j] = Eigen::Map<const Eigen::VectorXd>(out[1 + j], v.size()).dot(v);
    } else {
      PaddedVector padded(v, pack_count(jets.rows) * pack_rows);
      Numbers<weight_rows> sums(weights.rows(), boost::container::default_init);
      moments(jets, padded.data(), sums.data());
      for (std::size_t k = 0; k < weights.rows(); ++k)
        for (unsigned j = 0; j < Dim; ++j) product[j] += weights(k, 1 + j) * sums[k];
    }
    fit_size(Jtv, Dim);
    Jtv = product;
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
  static constexpr std::size_t pairs = second_derivative_count(Dim);
  static constexpr std::size_t weight_rows = JetCell<Dim>::corners * (1 + Dim);  // of jets of order 1

  // Numbers that are on the stack if there are at most `room`, as for jets of order 1.
  template <std::size_t room>
  using Numbers = boost::container::small_vector<double, room>;
  // Weights of second derivatives and of all together: on the stack up to four dimensions.
  using SecondNumbers = Numbers<Dim <= 4 ? weight_rows * pairs : 0>;
  using AllNumbers = Numbers<Dim <= 4 ? weight_rows*(outputs + pairs) : 0>;

  // The weights of a place, [corner and derivative][value, d_1 .. d_Dim].
  class Weights {
   public:
    Weights(const Answering& answering, const Found<Dim>& found)
        : numbers_(answering.field_.interpolant().weight_count(), boost::container::default_init) {
      prefetch(answering.field_.jets(*found.cell));
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

  // Writes the answer for x from a place that has a value.
  void finish(const Point<Dim>& x, const Found<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
    if (found.answer.trust == Trust::extended) {
      Eigen::MatrixXd own, H;
      return finish(x, found, y, J ? *J : own, H);
    }
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
        sweep(field_.jets(*found.cell), weights.data(), outputs, out.data());
      } else {
        Numbers<weight_rows> values(weights.rows(), boost::container::default_init);
        for (std::size_t k = 0; k < weights.rows(); ++k) values[k] = weights(k, 0);
        double* out = y.data();
        sweep(field_.jets(*found.cell), values.data(), 1, &out);
      }
    }
  }

  // As above, with the second derivatives: one sweep for all outputs, in groups of equal size.
  void finish(const Point<Dim>& x, const Found<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd& J,
              Eigen::MatrixXd& H) const {
    fit_size(y, field_.rows());
    fit_size(J, field_.rows(), Dim);
    fit_size(H, field_.rows(), pairs);
    if (found.cell == nullptr) {
      y = found.exact_jet.col(0);
      J = found.exact_jet.middleCols(1, Dim);
      if (gives_second(found.exact_jet)) H = found.exact_jet.middleCols(1 + Dim, pairs);
    } else {
      constexpr std::size_t all = outputs + pairs, together = all % 7 == 0 ? 7 : all % 5 == 0 ? 5 : all;
      constexpr std::size_t groups = all / together;
      static_assert(together <= max_sweep_outputs);
      const Weights first(*this, found);
      const SecondNumbers second = second_weights(found);
      AllNumbers weights(first.rows() * all, boost::container::default_init);
      std::array<double*, all> out;
      for (std::size_t p = 0; p < all; ++p) {
        const auto column = static_cast<Eigen::Index>(p);
        out[p] = p == 0 ? y.data() : p <= Dim ? J.col(column - 1).data() : H.col(column - 1 - Dim).data();
        double* to = weights.data() + p / together * first.rows() * together + p % together;
        for (std::size_t k = 0; k < first.rows(); ++k, to += together)
          *to = p <= Dim ? first(k, p) : second[k * pairs + p - outputs];
      }
      sweep_groups(field_.jets(*found.cell), weights.data(), together, groups, out.data());
    }
    if (found.answer.trust == Trust::extended) extend(x, found, y, J, H);
  }

  // Value and derivatives at a point outside from those at the nearest point p of the domain, which moves with x along
  // the axes that are not left. Extended, y(x) = y(p) + sum over the axes j that are left of (x - p)_j dy/dx_j (p).
  // Where f was called at p and gives no second derivatives, of which the slope along the others is made, x is clamped.
  void extend(const Point<Dim>& x, const Found<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd& J,
              Eigen::MatrixXd& H) const {
    const Point<Dim> beyond = x - found.x;
    const bool clamped =
        core_.options().outside == OutsidePolicy::clamp || (found.cell == nullptr && !gives_second(found.exact_jet));
    if (!clamped) y.noalias() += J * beyond;
    for (int j = 0, pair = 0; j < Dim; ++j)
      for (int k = j; k < Dim; ++k, ++pair) {
        const bool leaves_j = beyond[j] != 0, leaves_k = beyond[k] != 0;
        if (!clamped && leaves_j != leaves_k)
          J.col(leaves_j ? k : j) += (leaves_j ? beyond[j] : beyond[k]) * H.col(pair);
        if (clamped ? leaves_j || leaves_k : leaves_j && leaves_k) H.col(pair).setZero();
      }
    for (int j = 0; j < Dim && clamped; ++j)
      if (beyond[j] != 0) J.col(j).setZero();
  }

  static bool gives_second(const Eigen::MatrixXd& jet) {
    return jet.cols() >= static_cast<Eigen::Index>(outputs + pairs);
  }

  // False, with an answer that says so, if f was called in the place of a cell and gave no second derivatives.
  bool knows_second(Found<Dim>& found, bool throwing) const {
    if (found.cell != nullptr || gives_second(found.exact_jet)) return true;
    if (throwing)
      throw CornerFailure("AdaptiveGrid<" + to_text(Dim) + ">: f was called at " + to_text(found.x) +
                          " by policy, and does not give second derivatives");
    found.answer = {.trust = Trust::failed, .level = found.answer.level};
    return false;
  }

  // [corner and derivative][pair of axes]
  SecondNumbers second_weights(const Found<Dim>& found) const {
    const SecondWeights<Dim> second(field_.interpolant());
    SecondNumbers numbers(second.count(), boost::container::default_init);
    second.at(found.t, core_.lattice().spacing(found.answer.level), found.nearest_corner, numbers.data());
    return numbers;
  }

  // The Jacobian of such an answer.
  Eigen::MatrixXd jacobian(const Point<Dim>& x, const Found<Dim>& found) const {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    finish(x, found, y, &J);
    return J;
  }

  GridCore<Dim>& core_;
  typename GridCore<Dim>::Stay stay_;
  Field& field_;
  int level_;
  std::optional<double> tolerance_;
};

}  // namespace quoin::grid_detail
