// SPDX-License-Identifier: BSD-3-Clause
// The members of GridView and AdaptiveGrid. They are apart from the classes so that a program that links the component
// compiled_grid compiles neither them nor what they call.
#pragma once

#ifndef QUOIN_LINKS_COMPILED_GRID
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/detail/query/checking.hpp"
#include "quoin/grid/detail/query/error_along.hpp"
#include "quoin/grid/detail/query/filling.hpp"
#include "quoin/grid/detail/query/frozen_members.hpp"
#include "quoin/grid/detail/query/query.hpp"
#include "quoin/grid/detail/query/spot_looks.hpp"
#include "quoin/grid/detail/query/why_unknown.hpp"
#include "quoin/grid/grid_view.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

template <int Dim>
Eigen::Index GridView<Dim>::output_size() const {
  return field_->rows();
}

template <int Dim>
int GridView<Dim>::jet_order() const {
  return field_->interpolant().order();
}

template <int Dim>
bool GridView<Dim>::differenced() const {
  return core_->differenced();
}

template <int Dim>
Point<Dim> GridView<Dim>::spacing() const {
  return core_->lattice().spacing(level_);
}

template <int Dim>
const GridOptions<Dim>& GridView<Dim>::options() const {
  return core_->options();
}

template <int Dim>
GridView<Dim> GridView<Dim>::at_level(int level) const {
  if (level < 0 || level > core_->lattice().deepest_level())
    throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">: level " + to_text(level) + " is not in 0.." +
                                to_text(core_->lattice().deepest_level()) + " (GridOptions::deepest_level)");
  GridView<Dim> view = *this;
  view.level_ = level;
  view.tolerance_.reset();
  return view;
}

template <int Dim>
GridView<Dim> GridView<Dim>::at_tolerance(double tolerance) const {
  if (!(tolerance > 0) || !std::isfinite(tolerance))
    throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">: tolerance " + to_text(tolerance) +
                                " is not positive and finite");
  GridView<Dim> view = at_level(0);
  view.tolerance_ = tolerance;
  if (core_->spot_checks().expect(tolerance)) core_->look_everywhere();
  return view;
}

template <int Dim>
GridView<Dim> GridView<Dim>::at_resolution_of(const GridView<Dim>& view) const {
  return view.tolerance_ ? at_tolerance(*view.tolerance_) : at_level(view.level_);
}

template <int Dim>
Answer GridView<Dim>::evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
  return query().evaluate(x, y, nullptr, "evaluate", true);
}

template <int Dim>
Answer GridView<Dim>::evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  return query().evaluate(x, y, &J, "evaluate", true);
}

template <int Dim>
Answer GridView<Dim>::try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
  return query().evaluate(x, y, nullptr, "try_evaluate", false);
}

template <int Dim>
Answer GridView<Dim>::try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  return query().evaluate(x, y, &J, "try_evaluate", false);
}

template <int Dim>
Answer GridView<Dim>::evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
  return query().evaluate(x, y, J, H, "evaluate", true);
}

template <int Dim>
Answer GridView<Dim>::try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J,
                                   Eigen::MatrixXd& H) const {
  return query().evaluate(x, y, J, H, "try_evaluate", false);
}

template <int Dim>
Answer GridView<Dim>::curvature(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v,
                                Eigen::MatrixXd& V) const {
  return query().curvature(x, v, V);
}

template <int Dim>
Answer GridView<Dim>::jvp(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const {
  return query().jvp(x, w, Jw);
}

template <int Dim>
Answer GridView<Dim>::vjp(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const {
  return query().vjp(x, v, Jtv);
}

template <int Dim>
Answer GridView<Dim>::error_estimate(const Point<Dim>& x) const {
  const Answer said = query().search().estimate(x);
  if (!grid_detail::is_measured(said) || tolerance_) return said;
  // Corners do not tell what is flat from what has the period of an edge; a look beside them does.
  if (!grid_detail::SpotLooks<Dim>(*core_, *field_).is_flat_and_unseen(x, level_)) return said;
  return {.trust = Trust::unchecked, .level = said.level};
}

template <int Dim>
Answer GridView<Dim>::error_along(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  query().require_size("error_along", "rows of X", X.rows(), Dim);
  return grid_detail::error_along(
      *this, field_->norm(), X, [this](const Point<Dim>& x) { return query().search().estimate(x); },
      [this](const auto& along, const Answer& said, bool flat) {
        return grid_detail::SpotLooks<Dim>(*core_, *field_).along(level_, along, said, flat);
      });
}

template <int Dim>
std::string GridView<Dim>::why_unknown(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  query().require_size("why_unknown", "rows of X", X.rows(), Dim);
  return grid_detail::WhyUnknown<Dim>(*core_, *field_)(*this, X);
}

template <int Dim>
Samples<Dim> GridView<Dim>::sample(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  query().require_size("sample", "rows of X", X.rows(), Dim);
  const grid_detail::Lattice<Dim>& lattice = core_->lattice();
  std::vector<grid_detail::Address<Dim>> addresses;
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    const Point<Dim> x = X.col(m);
    if (!lattice.locate(x, 0).inside) lattice.throw_outside(x, "sample", m);
    addresses.push_back(lattice.nearest_corner(x, lattice.deepest_level()));
  }
  return core_->sample(addresses);
}

template <int Dim>
ErrorCheck GridView<Dim>::check(const Eigen::Ref<const Eigen::MatrixXd>& X, int calls) const {
  query().require_size("check", "rows of X", X.rows(), Dim);
  return grid_detail::Checking<Dim>(*core_, *field_)(*this, X, calls);
}

template <int Dim>
bool GridView<Dim>::doubtful() const {
  return core_->doubtful();
}

template <int Dim>
FunctionDoubts GridView<Dim>::doubts() const {
  return core_->doubts();
}

template <int Dim>
void GridView<Dim>::prefetch(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  query().require_size("prefetch", "rows of X", X.rows(), Dim);
  query().search().prefetch(X);
}

template <int Dim>
Filled GridView<Dim>::fill(const Point<Dim>& lower, const Point<Dim>& upper) const {
  const grid_detail::Query<Dim> asked = query();
  return grid_detail::Filling<Dim>(*core_, *field_, asked.search(), level_).fill(lower, upper);
}

template <int Dim>
void GridView<Dim>::prefetch_async(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  query().require_size("prefetch_async", "rows of X", X.rows(), Dim);
  if (tolerance_ && field_.get() != &core_->answering()) return;  // the field may end before the work is done
  core_->background().add([core = core_.get(), level = level_, tolerance = tolerance_, points = Eigen::MatrixXd(X)] {
    grid_detail::Query<Dim>(*core, core->answering(), level, tolerance).search_ahead().prefetch(points);
  });
}

template <int Dim>
bool GridView<Dim>::has_requests() const {
  return core_->background().busy();
}

template <int Dim>
void GridView<Dim>::cancel_requests() const {
  core_->background().cancel();
}

template <int Dim>
void GridView<Dim>::hint(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  query().require_size("hint", "rows of X", X.rows(), Dim);
  if (options().evaluate_ahead) query().search_ahead().prefetch(X);
}

template <int Dim>
Answer GridView<Dim>::evaluate_cached(const Point<Dim>& x, Eigen::VectorXd& y, std::vector<Point<Dim>>* missing) const {
  return query().evaluate_cached(x, y, nullptr, missing);
}

template <int Dim>
Answer GridView<Dim>::evaluate_cached(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J,
                                      std::vector<Point<Dim>>* missing) const {
  return query().evaluate_cached(x, y, &J, missing);
}

template <int Dim>
Point<Dim> GridView<Dim>::nearest_corner(const Point<Dim>& x) const {
  return core_->lattice().point(query().nearest_address(x));
}

template <int Dim>
void GridView<Dim>::corner_jet(const Point<Dim>& x, Eigen::MatrixXd& jet) const {
  const grid_detail::Query<Dim> asked = query();
  const grid_detail::Address<Dim> address = asked.nearest_address(x);
  const grid_detail::Corner* corner = nullptr;
  field_->require_corners({.level = level_, .to_tolerance = tolerance_.has_value()}, {&address, 1}, {&corner, 1});
  if (corner->failed())
    throw CornerFailure("AdaptiveGrid<" + to_text(Dim) + ">: " + field_->failure_at(level_, *corner),
                        corner->may_pass());
  field_->store(level_).unpack(*corner, jet);
}

template <int Dim>
std::vector<Answer> GridView<Dim>::evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X,
                                                  Eigen::MatrixXd& Y) const {
  const grid_detail::Query<Dim> asked = query();
  grid_detail::Batch<Dim> batch = asked.find_batch(X);
  resize_strong(Y, output_size(), X.cols());
  return asked.write_batch(std::move(batch), Y, nullptr);
}

template <int Dim>
std::vector<Answer> GridView<Dim>::evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X,
                                                  Eigen::Ref<Eigen::MatrixXd> Y) const {
  grid_detail::Batch<Dim>::require_shape("Y", Y, output_size(), X.cols());
  const grid_detail::Query<Dim> asked = query();
  return asked.write_batch(asked.find_batch(X), Y, nullptr);
}

template <int Dim>
std::vector<Answer> GridView<Dim>::evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y,
                                                  Eigen::MatrixXd& J) const {
  const grid_detail::Query<Dim> asked = query();
  grid_detail::Batch<Dim> batch = asked.find_batch(X);
  resize_strong(Y, output_size(), X.cols());
  resize_strong(J, output_size(), Dim * X.cols());
  grid_detail::Batch<Dim>::require_apart(Y, J);
  Eigen::Ref<Eigen::MatrixXd> jacobians = J;
  return asked.write_batch(std::move(batch), Y, &jacobians);
}

template <int Dim>
std::vector<Answer> GridView<Dim>::evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X,
                                                  Eigen::Ref<Eigen::MatrixXd> Y, Eigen::Ref<Eigen::MatrixXd> J) const {
  grid_detail::Batch<Dim>::require_shape("Y", Y, output_size(), X.cols());
  grid_detail::Batch<Dim>::require_shape("J", J, output_size(), Dim * X.cols());
  grid_detail::Batch<Dim>::require_apart(Y, J);
  const grid_detail::Query<Dim> asked = query();
  return asked.write_batch(asked.find_batch(X), Y, &J);
}

template <int Dim>
GridView<Dim> GridView<Dim>::linear_output(const Eigen::MatrixXd& C, const Eigen::VectorXd& output_weights) const {
  GridView<Dim> view = *this;
  view.field_ = grid_detail::GridCore<Dim>::linear_output(core_, field_, C, output_weights);
  return view;
}

template <int Dim>
GridView<Dim>::GridView(std::shared_ptr<grid_detail::GridCore<Dim>> core)
    : core_(std::move(core)), field_(core_, &core_->answering()) {}

template <int Dim>
grid_detail::Query<Dim> GridView<Dim>::query() const {
  return {*core_, *field_, level_, tolerance_};
}

template <int Dim>
AdaptiveGrid<Dim>::AdaptiveGrid(CornerFunction<Dim> f, const GridOptions<Dim>& grid_options, Evaluator<Dim> evaluator)
    : View(std::make_shared<grid_detail::GridCore<Dim>>(std::move(f), grid_options, std::move(evaluator))) {
  if (grid_options.tolerance) own_view() = at_tolerance(*grid_options.tolerance);
}

template <int Dim>
AdaptiveGrid<Dim>::AdaptiveGrid(const Samples<Dim>& samples, const GridOptions<Dim>& grid_options)
    : AdaptiveGrid((samples.check(samples.output_size(), "AdaptiveGrid<" + to_text(Dim) + ">"),
                    CornerFunction<Dim>::absent(samples)),
                   grid_options, ThisThread{}) {
  insert(samples);
}

template <int Dim>
Samples<Dim> AdaptiveGrid<Dim>::samples() const {
  return this->core_->samples();
}

template <int Dim>
InsertedSamples AdaptiveGrid<Dim>::insert(const Samples<Dim>& samples) {
  return this->core_->insert(samples);
}

template <int Dim>
void AdaptiveGrid<Dim>::refine() {
  own_view() = tolerance() ? at_tolerance(*tolerance() / 16) : at_level(level() + 1);
}

template <int Dim>
GridStatistics AdaptiveGrid<Dim>::statistics() const {
  return this->core_->statistics();
}

template <int Dim>
void AdaptiveGrid<Dim>::trim() {
  this->core_->trim({.level = level(), .to_tolerance = tolerance().has_value()});
}

}  // namespace quoin
#else
#include "quoin/util/abi_check.hpp"

namespace quoin {
extern template class GridView<1>;
extern template class GridView<2>;
extern template class GridView<3>;
extern template class GridView<4>;
extern template class GridView<5>;
extern template class GridView<6>;
extern template class FrozenView<1>;
extern template class FrozenView<2>;
extern template class FrozenView<3>;
extern template class FrozenView<4>;
extern template class FrozenView<5>;
extern template class FrozenView<6>;
extern template class AdaptiveGrid<1>;
extern template class AdaptiveGrid<2>;
extern template class AdaptiveGrid<3>;
extern template class AdaptiveGrid<4>;
extern template class AdaptiveGrid<5>;
extern template class AdaptiveGrid<6>;
}  // namespace quoin
#endif
