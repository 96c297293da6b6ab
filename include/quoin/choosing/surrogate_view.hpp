// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/choosing/detail/function_view.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/kernel/kernel_view.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <utility>
#include <variant>

namespace quoin {

/// The map of a Surrogate, or a functional of it: a kernel, a grid to a tolerance, or f itself, behind one type. A
/// TwiceDifferentiableMap<Dim>.
///
/// A view is small, copyable, immutable and safe from many threads. Its answers, and what it throws, are those of
/// KernelView and of GridView; f itself answers inside the box with Trust::exact, second derivatives that it does not
/// give by differences.
template <int Dim>
class SurrogateView {
 public:
  /// What may answer.
  using Map = std::variant<KernelView<Dim>, GridView<Dim>, choosing_detail::FunctionView<Dim>>;

  /// Made by Surrogate.
  explicit SurrogateView(Map map) : map_(std::move(map)) {}

  Eigen::Index output_size() const {
    return std::visit([](const auto& map) { return map.output_size(); }, map_);
  }

  /// The map x -> C f(x). C: M x N.
  SurrogateView linear_output(const Eigen::MatrixXd& C) const {
    return std::visit([&](const auto& map) { return SurrogateView(map.linear_output(C)); }, map_);
  }

  /// Throws DomainError outside the box, and CornerFailure where a grid, or f itself, has no answer.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    return std::visit([&](const auto& map) { return map.evaluate(x, y); }, map_);
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return std::visit([&](const auto& map) { return map.evaluate(x, y, J); }, map_);
  }
  /// The second derivatives too, H: N x Dim (Dim + 1)/2, as TwiceDifferentiableMap says.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return std::visit([&](const auto& map) { return map.evaluate(x, y, J, H); }, map_);
  }

  /// As evaluate, but what would be thrown comes back as Trust::outside or Trust::failed, with the outputs untouched.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    return std::visit([&](const auto& map) { return map.try_evaluate(x, y); }, map_);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return std::visit([&](const auto& map) { return map.try_evaluate(x, y, J); }, map_);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return std::visit([&](const auto& map) { return map.try_evaluate(x, y, J, H); }, map_);
  }

  /// Told by planners where they will soon ask: of use to a grid alone (GridView::hint).
  void hint(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    if (const auto* grid = std::get_if<GridView<Dim>>(&map_)) grid->hint(X);
  }

 private:
  Map map_;
};

}  // namespace quoin
