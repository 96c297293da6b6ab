// SPDX-License-Identifier: BSD-3-Clause
// The frame of a query: it is counted, its leaf is found, the leaf's corners are weighted and summed.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/kernels/sweep.hpp"
#include "quoin/grid/detail/query/batch.hpp"
#include "quoin/grid/detail/query/cell_answer.hpp"
#include "quoin/grid/detail/query/cell_hit.hpp"
#include "quoin/grid/detail/query/leaf_search.hpp"
#include "quoin/grid/detail/query/query_counters.hpp"
#include "quoin/grid/detail/query/query_numbers.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

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
class Query {
 public:
  using Field = JetField<Dim>;

  /// Keeps references.
  Query(GridCore<Dim>& core, Field& field, int level, std::optional<double> tolerance)
      : core_(core), hold_(core), field_(field), level_(level), tolerance_(tolerance) {}

  LeafSearch<Dim> search() const { return {core_, field_, level_, tolerance_}; }
  /// On behalf of queries that may come. At a level it looks for corners of f, of which functionals are made when they
  /// are asked.
  LeafSearch<Dim> search_ahead() const {
    return {core_, tolerance_ ? field_ : core_.answering(), level_, tolerance_, true};
  }

  /// The value, and with J the Jacobian.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, const char* who, bool throwing) const {
    QueryCounters::Query query(core_.counters());
    const CellHit<Dim> found = search().find(x, who, throwing, query.called_function);
    if (found.answer.has_value()) writer().write(x, found, y, J);
    return found.answer;
  }

  /// The same from what is there.
  Answer evaluate_cached(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J,
                         std::vector<Point<Dim>>* missing) const {
    QueryCounters::Query query(core_.counters());
    const CellHit<Dim> found = search().find_known(x, missing);
    if (found.answer.has_value()) writer().write(x, found, y, J);
    return found.answer;
  }

  /// Value, Jacobian and second derivatives.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H, const char* who,
                  bool throwing) const {
    QueryCounters::Query query(core_.counters());
    CellHit<Dim> found = search().find(x, who, throwing, query.called_function);
    if (found.answer.has_value() && knows_second(found, throwing)) writer().write(x, found, y, J, H);
    return found.answer;
  }

  /// V: the second derivatives of v^T f.
  Answer curvature(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::MatrixXd& V) const {
    require_size("curvature", "v", v.size(), field_.rows());
    QueryCounters::Query query(core_.counters());
    CellHit<Dim> found = search().find(x, "curvature", true, query.called_function);
    knows_second(found, true);
    std::array<double, std::size_t{pairs}> packed{};
    if (!found.plain()) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J, H;
      writer().write(x, found, y, J, H);
      for (std::size_t k = 0; k < packed.size(); ++k) packed[k] = H.col(static_cast<Eigen::Index>(k)).dot(v);
    } else {
      const PackedJets jets = field_.jets(*found.cell);
      PaddedVector padded(v, pack_count(jets.rows) * pack_rows);
      const typename Writer::SecondDerivativeWeights weights(writer(), found);
      QueryNumbers<weight_rows> sums(weights.size() / pairs);
      moments(jets, padded.data(), sums.data());
      for (std::size_t k = 0; k < weights.size(); ++k) packed[k % pairs] += weights[k] * sums[k / pairs];
    }
    resize_strong(V, Dim, Dim);
    for (int j = 0; j < Dim; ++j)
      for (int k = 0; k < Dim; ++k) V(j, k) = packed[static_cast<std::size_t>(second_derivative_index(Dim, j, k))];
    return found.answer;
  }

  Answer jvp(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const {
    require_size("jvp", "w", w.size(), Dim);
    QueryCounters::Query query(core_.counters());
    const CellHit<Dim> found = search().find(x, "jvp", true, query.called_function);
    if (!found.plain()) {
      const Eigen::MatrixXd J = jacobian(x, found);
      const Point<Dim> direction = w;  // w may be Jw
      resize_strong(Jw, field_.rows());
      Jw.setZero();
      for (int j = 0; j < Dim; ++j) Jw += direction[j] * J.col(j);
      return found.answer;
    }
    const typename Writer::Weights weights(writer(), found);
    QueryNumbers<weight_rows> single(weights.rows());
    for (std::size_t k = 0; k < weights.rows(); ++k) {
      single[k] = 0;
      for (unsigned j = 0; j < Dim; ++j) single[k] += weights(k, 1 + j) * w[j];
    }
    resize_strong(Jw, field_.rows());
    double* out = Jw.data();
    sweep(field_.jets(*found.cell), single.data(), 1, &out);
    return found.answer;
  }

  Answer vjp(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const {
    require_size("vjp", "v", v.size(), field_.rows());
    QueryCounters::Query query(core_.counters());
    const CellHit<Dim> found = search().find(x, "vjp", true, query.called_function);
    if (!found.plain()) {
      const Eigen::MatrixXd J = jacobian(x, found);
      Point<Dim> product;  // v may be Jtv
      for (int j = 0; j < Dim; ++j) product[j] = J.col(j).dot(v);
      resize_strong(Jtv, Dim);
      Jtv = product;
      return found.answer;
    }
    const typename Writer::Weights weights(writer(), found);
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
      QueryNumbers<weight_rows> sums(weights.rows());
      moments(jets, padded.data(), sums.data());
      for (std::size_t k = 0; k < weights.rows(); ++k)
        for (unsigned j = 0; j < Dim; ++j) product[j] += weights(k, 1 + j) * sums[k];
    }
    resize_strong(Jtv, Dim);
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
        Y, J, [this](const Point<Dim>& x, const CellHit<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd* J_one) {
          writer().write(x, found, y, J_one);
        });
  }

  /// The address of the lattice point of this level nearest to x.
  Address<Dim> nearest_address(const Point<Dim>& x) const {
    const Lattice<Dim>& lattice = core_.lattice();
    if (!x.allFinite()) lattice.throw_outside(x, "nearest_corner");
    return lattice.nearest_corner(lattice.nearest(x), level_);
  }

  static void require_size(const char* who, const char* what, Eigen::Index size, Eigen::Index wanted) {
    if (size != wanted)
      throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">::" + who + ": " + what + " = " + to_text(size) +
                                  ", expected " + to_text(wanted));
  }

 private:
  using Writer = CellAnswer<Dim, Field>;
  static constexpr std::size_t outputs = Writer::outputs, pairs = Writer::pairs, weight_rows = Writer::weight_rows;

  // A copy of v, aligned and padded with zeros.
  class PaddedVector {
   public:
    PaddedVector(const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index size)
        : raw_(static_cast<std::size_t>(size) + 8) {
      std::copy_n(v.data(), v.size(), data());
      std::fill(data() + v.size(), data() + size, 0.0);
    }
    double* data() { return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(raw_.data()) + 63) / 64 * 64); }

   private:
    QueryNumbers<256> raw_;
  };

  Writer writer() const { return {field_, core_.lattice(), core_.options().outside}; }

  // False, with an answer that says so, if f was called in the place of a cell and gave no second derivatives.
  bool knows_second(CellHit<Dim>& found, bool throwing) const {
    if (found.cell != nullptr || Writer::gives_second(found.exact_jet)) return true;
    if (throwing)
      throw CornerFailure("AdaptiveGrid<" + to_text(Dim) + ">: f was called at " + to_text(found.x) +
                          " by policy, and does not give second derivatives");
    found.answer = {.trust = Trust::failed, .level = found.answer.level};
    return false;
  }

  // The Jacobian of such an answer.
  Eigen::MatrixXd jacobian(const Point<Dim>& x, const CellHit<Dim>& found) const {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    writer().write(x, found, y, &J);
    return J;
  }

  GridCore<Dim>& core_;
  typename GridCore<Dim>::Hold hold_;
  Field& field_;
  int level_;
  std::optional<double> tolerance_;
};

}  // namespace quoin::grid_detail
