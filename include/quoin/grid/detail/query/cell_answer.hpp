// SPDX-License-Identifier: BSD-3-Clause
// A query's last steps: from the leaf that was found to value and derivatives.
#pragma once

#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/grid/detail/kernels/second_weights.hpp"
#include "quoin/grid/detail/kernels/sweep.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/query/cell_hit.hpp"
#include "quoin/grid/detail/query/query_numbers.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/resize_strong.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>

namespace quoin::grid_detail {

/// Writes what a leaf answers: the weights of the place in it, and their sum over the jets of its corners. Cells: a
/// JetField, or what has cells like its. Allocates nothing that its thread, or the outputs, do not keep.
template <int Dim, class Cells>
class CellAnswer {
 public:
  static constexpr std::size_t outputs = JetCell<Dim>::outputs;
  static constexpr std::size_t pairs = second_derivative_count(Dim);
  static constexpr std::size_t weight_rows = JetCell<Dim>::corners * (1 + Dim);  // of jets of order 1
  static constexpr std::size_t on_stack = Dim <= 4;                              // with second derivatives

  /// Keeps references.
  CellAnswer(const Cells& cells, const Lattice<Dim>& lattice, OutsidePolicy outside)
      : cells_(cells), lattice_(lattice), outside_(outside) {}

  /// The weights of a place, [corner and derivative][value, d_1 .. d_Dim].
  class Weights {
   public:
    Weights(const CellAnswer& answer, const CellHit<Dim>& found)
        : numbers_(answer.cells_.interpolant().weight_count()) {
      prefetch(answer.cells_.jets(*found.cell));
      weights_at(answer.cells_.interpolant(), answer.spacing(found), found.t, found.nearest_corner, numbers_.data());
    }
    std::size_t rows() const { return numbers_.size() / outputs; }
    double operator()(std::size_t row, std::size_t output) const { return numbers_[row * outputs + output]; }
    const double* data() const { return numbers_.data(); }

   private:
    QueryNumbers<weight_rows * outputs> numbers_;
  };

  /// The weights of second derivatives, [corner and derivative][pair of axes].
  class SecondDerivativeWeights : public QueryNumbers<on_stack * weight_rows * pairs> {
   public:
    SecondDerivativeWeights(const CellAnswer& answer, const CellHit<Dim>& found)
        : SecondDerivativeWeights(SecondWeights<Dim>(answer.cells_.interpolant()), answer.spacing(found), found) {}

   private:
    SecondDerivativeWeights(const SecondWeights<Dim>& weights, const Point<Dim>& h, const CellHit<Dim>& found)
        : QueryNumbers<on_stack * weight_rows * pairs>(weights.count()) {
      weights.at(found.t, h, found.nearest_corner, this->data());
    }
  };

  /// Writes the answer for x from a place that has a value.
  void write(const Point<Dim>& x, const CellHit<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
    if (found.answer.trust == Trust::extended) {
      thread_local Eigen::MatrixXd own, H;
      return write(x, found, y, J ? *J : own, H);
    }
    resize_strong(y, cells_.rows());
    if (J) resize_strong(*J, cells_.rows(), Dim);
    if (found.cell == nullptr) {
      y = found.exact_jet.col(0);
      if (J) *J = found.exact_jet.middleCols(1, Dim);
    } else {
      const Weights weights(*this, found);
      if (J) {
        std::array<double*, outputs> out{y.data()};
        for (unsigned j = 0; j < Dim; ++j) out[1 + j] = J->col(j).data();
        sweep(cells_.jets(*found.cell), weights.data(), outputs, out.data());
      } else {
        QueryNumbers<weight_rows> values(weights.rows());
        for (std::size_t k = 0; k < weights.rows(); ++k) values[k] = weights(k, 0);
        double* out = y.data();
        sweep(cells_.jets(*found.cell), values.data(), 1, &out);
      }
    }
  }

  /// As above, with the second derivatives: one sweep for all outputs, in groups of equal size.
  void write(const Point<Dim>& x, const CellHit<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd& J,
             Eigen::MatrixXd& H) const {
    resize_strong(y, cells_.rows());
    resize_strong(J, cells_.rows(), Dim);
    resize_strong(H, cells_.rows(), pairs);
    if (found.cell == nullptr) {
      y = found.exact_jet.col(0);
      J = found.exact_jet.middleCols(1, Dim);
      if (gives_second(found.exact_jet)) H = found.exact_jet.middleCols(1 + Dim, pairs);
    } else {
      constexpr std::size_t all = outputs + pairs, together = all % 7 == 0 ? 7 : all % 5 == 0 ? 5 : all;
      constexpr std::size_t groups = all / together;
      static_assert(together <= max_sweep_outputs);
      const Weights first(*this, found);
      const SecondDerivativeWeights second(*this, found);
      QueryNumbers<on_stack * weight_rows * all> weights(first.rows() * all);
      std::array<double*, all> out;
      for (std::size_t p = 0; p < all; ++p) {
        const auto column = static_cast<Eigen::Index>(p);
        out[p] = p == 0 ? y.data() : p <= Dim ? J.col(column - 1).data() : H.col(column - 1 - Dim).data();
        double* to = weights.data() + p / together * first.rows() * together + p % together;
        for (std::size_t k = 0; k < first.rows(); ++k, to += together)
          *to = p <= Dim ? first(k, p) : second[k * pairs + p - outputs];
      }
      sweep_groups(cells_.jets(*found.cell), weights.data(), together, groups, out.data());
    }
    if (found.answer.trust == Trust::extended) extend(x, found, y, J, H);
  }

  /// Whether a jet of f has them.
  static bool gives_second(const Eigen::MatrixXd& jet) {
    return jet.cols() >= static_cast<Eigen::Index>(outputs + pairs);
  }

 private:
  Point<Dim> spacing(const CellHit<Dim>& found) const { return lattice_.spacing(found.answer.level); }

  // Value and derivatives at a point outside from those at the nearest point p of the domain, which moves with x along
  // the axes that are not left. Extended, y(x) = y(p) + sum over the axes j that are left of (x - p)_j dy/dx_j (p).
  // Where f was called at p and gives no second derivatives, of which the slope along the others is made, x is clamped.
  void extend(const Point<Dim>& x, const CellHit<Dim>& found, Eigen::VectorXd& y, Eigen::MatrixXd& J,
              Eigen::MatrixXd& H) const {
    const Point<Dim> beyond = x - found.x;
    const bool clamped = outside_ == OutsidePolicy::clamp || (found.cell == nullptr && !gives_second(found.exact_jet));
    for (int j = 0; j < Dim && !clamped; ++j) y += beyond[j] * J.col(j);
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

  const Cells& cells_;
  const Lattice<Dim>& lattice_;
  OutsidePolicy outside_;
};

}  // namespace quoin::grid_detail
