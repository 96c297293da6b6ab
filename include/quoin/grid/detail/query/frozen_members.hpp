// SPDX-License-Identifier: BSD-3-Clause
// The members of FrozenView, and what makes one; included by grid_members.hpp alone.
#pragma once

#include "quoin/grid/detail/query/cell_answer.hpp"
#include "quoin/grid/detail/query/frozen_cells.hpp"
#include "quoin/grid/frozen_view.hpp"
#include "quoin/grid/grid_view.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <cstddef>
#include <memory>

namespace quoin {

template <int Dim>
FrozenView<Dim> GridView<Dim>::frozen(MissingPolicy missing) const {
  const bool leaves = missing == MissingPolicy::fail;
  return {std::make_shared<grid_detail::FrozenCells<Dim>>(*core_, *field_, level_, tolerance_, leaves), missing};
}

template <int Dim>
Eigen::Index FrozenView<Dim>::output_size() const {
  return cells_->rows();
}

template <int Dim>
std::size_t FrozenView<Dim>::cells() const {
  return cells_->size();
}

template <int Dim>
std::size_t FrozenView<Dim>::bytes() const {
  return cells_->bytes();
}

template <int Dim>
Answer FrozenView<Dim>::evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
  return answer_or_throw(x, y, nullptr);
}

template <int Dim>
Answer FrozenView<Dim>::evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  return answer_or_throw(x, y, &J);
}

template <int Dim>
Answer FrozenView<Dim>::try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
  return answer(x, y, nullptr);
}

template <int Dim>
Answer FrozenView<Dim>::try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  return answer(x, y, &J);
}

template <int Dim>
Answer FrozenView<Dim>::answer(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
  const grid_detail::CellHit<Dim> found = cells_->find(x);
  if (found.answer.has_value())
    grid_detail::CellAnswer<Dim, grid_detail::FrozenCells<Dim>>(*cells_, cells_->lattice(), cells_->outside())
        .write(x, found, y, J);
  return found.answer;
}

template <int Dim>
Answer FrozenView<Dim>::answer_or_throw(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
  const Answer said = answer(x, y, J);
  if (said.trust == Trust::outside) cells_->lattice().throw_outside(x, "frozen");
  if (said.trust == Trust::failed)
    throw CornerFailure("frozen: no cell answers around " + to_text(x) +
                        (missing_ == MissingPolicy::fail
                             ? ": it failed, or was not there and other cells may not answer"
                             : ", of any level: they failed, or were not there") +
                        "; have the grid prefetch() such points, or fill() a box, before");
  return said;
}

}  // namespace quoin
