// SPDX-License-Identifier: BSD-3-Clause
// AnyView and AnyGrid for one Dim.
#pragma once

#include "gil.hpp"
#include "grid.hpp"
#include "grid_options.hpp"
#include "grid_views.hpp"
#include "map_of_dim.hpp"
#include "python_function.hpp"
#include "python_interleave.hpp"
#include "python_samples.hpp"
#include "quoin/evaluation/workers.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/interleave.hpp"
#include "quoin/map/exact_function.hpp"
#include "read_option.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {

template <int Dim>
class View final : public AnyView {
  using X = Eigen::Ref<const Eigen::MatrixXd>;

 public:
  View(GridView<Dim> view, std::shared_ptr<Running> running) : AnyView(std::move(running)), view_(std::move(view)) {}

  const GridView<Dim>& view() const { return view_; }
  /// Another view of the same grid.
  std::shared_ptr<AnyView> other(GridView<Dim> view) const {
    return std::make_shared<View>(std::move(view), shared_running());
  }

  int dim() const override { return Dim; }
  Eigen::Index output_size() const override { return view_.output_size(); }
  int jet_order() const override { return view_.jet_order(); }
  int level() const override { return view_.level(); }
  std::optional<double> tolerance() const override { return view_.tolerance(); }
  Eigen::VectorXd spacing() const override { return view_.spacing(); }

  Answer evaluate(const double* x, Eigen::VectorXd& y) const override { return view_.evaluate(point(x), y); }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return view_.evaluate(point(x), y, J);
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return view_.try_evaluate(point(x), y, J);
  }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const override {
    return view_.evaluate(point(x), y, J, H);
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const override {
    return view_.try_evaluate(point(x), y, J, H);
  }
  bool has_second_derivatives() const override { return true; }
  Answer times(const double* x, const Eigen::VectorXd& w, Eigen::VectorXd& Jw) const override {
    return view_.jvp(point(x), w, Jw);
  }
  Answer vjp(const double* x, const Eigen::VectorXd& v, Eigen::VectorXd& Jtv) const override {
    return view_.vjp(point(x), v, Jtv);
  }
  std::vector<Answer> evaluate_batch(const X& points, Eigen::Ref<Eigen::MatrixXd> Y) const override {
    return view_.evaluate_batch(points, Y);
  }
  std::vector<Answer> evaluate_batch(const X& points, Eigen::Ref<Eigen::MatrixXd> Y,
                                     Eigen::Ref<Eigen::MatrixXd> J) const override {
    return view_.evaluate_batch(points, Y, J);
  }

  std::shared_ptr<AnyView> at_level(int level) const override { return other(view_.at_level(level)); }
  std::shared_ptr<AnyView> at_tolerance(double tolerance) const override {
    return other(view_.at_tolerance(tolerance));
  }
  std::shared_ptr<AnyView> at_resolution_of(const AnyView& view) const override {
    const auto* same = dynamic_cast<const View*>(&view);
    if (same == nullptr)
      throw std::invalid_argument("like: a view of " + to_text(view.dim()) + " variables, expected " + to_text(Dim));
    return other(view_.at_resolution_of(same->view_));
  }
  std::shared_ptr<AnyView> linear_output(const Eigen::MatrixXd& C, const Eigen::VectorXd& weights) const override {
    return other(view_.linear_output(C, weights));
  }

  bool doubtful() const override { return view_.doubtful(); }
  std::string doubts() const override { return view_.doubts().message; }

  Answer curvature(const double* x, const Eigen::VectorXd& v, Eigen::MatrixXd& V) const override {
    return view_.curvature(point(x), v, V);
  }
  Answer error_estimate(const double* x) const override { return view_.error_estimate(point(x)); }
  Answer error_along(const X& points) const override { return view_.error_along(points); }
  std::string why_unknown(const X& points) const override { return view_.why_unknown(points); }
  py::dict sample(const X& points) const override {
    Samples<Dim> samples = view_.sample(points);
    const WithGil gil;
    return dict_of(std::move(samples));
  }
  ErrorCheck check(const X& points, int calls) const override { return view_.check(points, calls); }
  void prefetch(const X& points) const override { view_.prefetch(points); }
  Filled fill(const double* lower, const double* upper) const override {
    const auto corner = [](const double* given, const Point<Dim>& of_domain, const char* name) {
      if (given != nullptr) return point(given);
      if (!of_domain.allFinite())
        throw std::invalid_argument(std::string("fill: the grid has no ") + name + " bound: give " + name);
      return of_domain;
    };
    return view_.fill(corner(lower, view_.options().lower, "lower"), corner(upper, view_.options().upper, "upper"));
  }
  void prefetch_async(const X& points) const override { view_.prefetch_async(points); }
  void cancel_requests() const override { view_.cancel_requests(); }
  bool is_at_work() const override { return view_.has_requests(); }
  void hint(const X& points) const override { view_.hint(points); }
  Answer evaluate_cached(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J,
                         Eigen::MatrixXd& missing) const override {
    std::vector<Point<Dim>> corners;
    const Answer answer = view_.evaluate_cached(point(x), y, J, &corners);
    missing.resize(Dim, static_cast<Eigen::Index>(corners.size()));
    for (std::size_t m = 0; m < corners.size(); ++m) missing.col(static_cast<Eigen::Index>(m)) = corners[m];
    return answer;
  }
  Frozen frozen(MissingPolicy missing) const override {
    const FrozenView<Dim> view = view_.frozen(missing);
    return {std::make_shared<MapFrom<Dim, FrozenView<Dim>>>(view), view.cells(), view.bytes()};
  }
  Eigen::VectorXd nearest_corner(const double* x) const override { return view_.nearest_corner(point(x)); }
  void corner_jet(const double* x, Eigen::MatrixXd& jet) const override { view_.corner_jet(point(x), jet); }

 private:
  static Point<Dim> point(const double* x) { return Point<Dim>(x); }

  GridView<Dim> view_;
};

template <int Dim>
class Grid final : public AnyGrid {
 public:
  explicit Grid(AdaptiveGrid<Dim> grid) : grid_(std::make_shared<AdaptiveGrid<Dim>>(std::move(grid))) {}
  explicit Grid(std::shared_ptr<AdaptiveGrid<Dim>> grid) : grid_(std::move(grid)) {}
  ~Grid() override {
    const bool at_work = grid_->has_requests();
    end_without_gil(std::move(grid_), at_work);
  }

  AdaptiveGrid<Dim>& grid() const { return *grid_; }

  std::shared_ptr<AnyView> view() const override {
    const auto tolerance = grid_->tolerance();
    return std::make_shared<View<Dim>>(tolerance ? grid_->at_tolerance(*tolerance) : grid_->at_level(grid_->level()),
                                       running_);
  }
  void refine() override { grid_->refine(); }
  void trim() override {
    do {
      const WithoutGil release;  // f may wait for it
      grid_->cancel_requests();
    } while (grid_->has_requests());  // of another thread, meanwhile
    if (running_->count() > 0)
      throw std::runtime_error("trim: " + to_text(running_->count()) + " queries are running in other threads");
    grid_->trim();
  }
  py::dict samples() const override {
    Samples<Dim> samples;
    {
      const WithoutGil release;
      samples = grid_->samples();
    }
    return dict_of(std::move(samples));
  }
  py::dict insert(const py::dict& dict) override {
    const Samples<Dim> samples = samples_of<Dim>(dict);
    const WithoutGil release;
    const InsertedSamples use = grid_->insert(samples);
    const WithGil gil;
    return dict_of(use);
  }
  py::dict statistics() const override {
    const GridStatistics s = [&] {
      const WithoutGil release;
      return grid_->statistics();
    }();
    using namespace py::literals;
    return py::dict("exact_evaluations"_a = s.exact_evaluations, "batches"_a = s.batches,
                    "from_storage"_a = s.from_storage, "queries"_a = s.queries, "corners"_a = s.corners,
                    "failed_corners"_a = s.failed_corners, "evicted_corners"_a = s.evicted_corners,
                    "unused_corners"_a = s.unused_corners, "cells"_a = s.cells, "bytes"_a = s.bytes,
                    "seconds_in_function"_a = s.seconds_in_function, "seconds_per_query"_a = s.seconds_per_query,
                    "break_even_queries"_a = s.break_even_queries, "doubts"_a = s.doubts.message);
  }
  py::dict interleave(const py::object& solve, const py::object& guess, const py::dict& dict,
                      const py::object& show) override {
    using Schedule = GridSchedule<Dim, PythonIterate>;
    Callbacks calls;
    const auto shown = [&](const GridView<Dim>& view) {
      return calls.call(show, PyMap(std::make_shared<View<Dim>>(view, running_), dict["source"]));
    };
    auto options = interleave_options_of<Schedule>(dict, calls);
    const auto schedule = dict["schedule"].cast<py::tuple>();
    const auto kind = schedule[0].cast<std::string>();
    if (kind == "levels") {
      options.schedule = Levels{.first = schedule[1].cast<int>(), .last = schedule[2].cast<int>()};
    } else if (kind == "tolerances") {
      options.schedule = Tolerances{.first = schedule[1].cast<double>(),
                                    .last = schedule[2].cast<double>(),
                                    .factor = schedule[3].cast<double>()};
    } else {
      LevelsUntil<Dim, PythonIterate> until{.tolerance = schedule[2].cast<double>(),
                                            .jacobian_tolerance = schedule[3].cast<double>(),
                                            .first = schedule[4].cast<int>(),
                                            .last = schedule[5].cast<int>()};
      until.errors = [&, errors = py::object(schedule[1])](const GridView<Dim>& view, const py::object& iterate) {
        return answer_of_estimate(calls.call(errors, shown(view), iterate));
      };
      options.schedule = std::move(until);
    }
    const auto solver = [&](const GridView<Dim>& view, const py::object& iterate) {
      return solver_result_of(calls.call(solve, shown(view), iterate));
    };
    return dict_of(quoin::interleave(*grid_, solver, iterate_of(guess), options), calls);
  }

 private:
  std::shared_ptr<AdaptiveGrid<Dim>> grid_;
  std::shared_ptr<Running> running_ = std::make_shared<Running>();
};

template <int Dim>
std::shared_ptr<AnyGrid> grid_of(std::shared_ptr<AdaptiveGrid<Dim>> grid) {
  return std::make_shared<Grid<Dim>>(std::move(grid));
}

template <int Dim>
const View<Dim>& view_of_dim(const Map& map) {
  if (const auto* view = dynamic_cast<const View<Dim>*>(&map)) return *view;
  throw std::invalid_argument("a map of " + to_text(map.dim()) + " variables and " + to_text(map.output_size()) +
                              " outputs, expected a view of a grid of " + to_text(Dim) + " variables");
}

template <int Dim>
const GridView<Dim>& grid_view_of(const Map& map) {
  return view_of_dim<Dim>(map).view();
}

template <int Dim>
std::shared_ptr<AnyView> view_beside(const Map& map, GridView<Dim> view) {
  return view_of_dim<Dim>(map).other(std::move(view));
}

template <int Dim, int K>
CornerFunction<Dim> function_of(const WeakSource& source, Eigen::Index outputs, FunctionTraits traits) {
  return CornerFunction<Dim>(PythonFunction<Dim, K>(outputs, source, traits));
}

template <int Dim>
CornerFunction<Dim> function_of(const WeakSource& source, const py::dict& options) {
  const auto outputs = options["outputs"].cast<Eigen::Index>();
  const FunctionTraits traits{.concurrent = options["concurrent"].cast<bool>()};
  switch (options["order"].cast<int>()) {
    case 0: return function_of<Dim, 0>(source, outputs, traits);
    case 1: return function_of<Dim, 1>(source, outputs, traits);
    case 2: return function_of<Dim, 2>(source, outputs, traits);
    default: return function_of<Dim, 3>(source, outputs, traits);
  }
}

template <int Dim>
std::shared_ptr<AnyGrid> make_grid_of(const py::object& source, const py::dict& dict) {
  const GridOptions<Dim> options = grid_options_of<Dim>(dict);
  if (!dict["samples"].is_none()) {
    const auto samples = samples_of<Dim>(dict["samples"].cast<py::dict>());
    return std::make_shared<Grid<Dim>>(AdaptiveGrid<Dim>(samples, options));
  }
  if (!dict["workers"].is_none()) {
    const auto pool = dict["workers"].cast<std::shared_ptr<WorkerPool>>();
    const WithoutGil release;
    return std::make_shared<Grid<Dim>>(AdaptiveGrid<Dim>(Workers<Dim>(pool), options));
  }
  const WeakSource weak(source);
  CornerFunction<Dim> f = function_of<Dim>(weak, dict);
  const bool in_batches = option<bool>(dict, "in_batches");
  const WithoutGil release;  // a storage is opened
  if (in_batches) return std::make_shared<Grid<Dim>>(AdaptiveGrid<Dim>(BatchCalls<Dim>(std::move(f), weak), options));
  return std::make_shared<Grid<Dim>>(AdaptiveGrid<Dim>(SingleCalls<Dim>(std::move(f)), options));
}

template <int Dim>
void check_grid_options_of(const py::dict& dict) {
  GridOptions<Dim> options = grid_options_of<Dim>(dict);
  options.memory_budget.reset();
  const Eigen::Index outputs = std::max<Eigen::Index>(options.output_weights.size(), 1);
  const auto any = exact_function<Dim>(outputs, [](const Point<Dim>&, auto, auto) {});
  const AdaptiveGrid<Dim> checked(any, options);
}

}  // namespace quoin::python
