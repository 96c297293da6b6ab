// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "bindings.hpp"
#include "for_dim.hpp"
#include "grid.hpp"
#include "python_error.hpp"
#include "quoin/util/to_text.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace quoin::python {

std::shared_ptr<AnyGrid> make_grid(int dim, const py::object& source, const py::dict& options) {
  return for_dim(dim, "AdaptiveGrid", [&](auto constant) { return make_grid_of<constant>(source, options); });
}

void check_grid_options(int dim, const py::dict& options) {
  for_dim(dim, "AdaptiveGrid", [&](auto constant) { check_grid_options_of<constant>(options); });
}

namespace {

using namespace py::literals;
using Doubles = py::array_t<double>;

std::shared_ptr<const AnyView> view_of(py::handle map) {
  auto view = std::dynamic_pointer_cast<const AnyView>(map_of(map).map);
  if (!view) throw py::type_error("this map is no view of a grid");
  return view;
}

PyMap other(py::handle map, std::shared_ptr<AnyView> view) { return {std::move(view), map_of(map).source}; }

/// Runs a query of a view without the GIL.
template <class Body>
auto ask(py::handle map, Body&& body) {
  const auto view = view_of(map);
  const auto run = [&] {
    const Query running(*view);
    return body(*view);
  };
  try {
    if constexpr (std::is_void_v<decltype(run())>) {
      run();
      warn_of_doubts(map_of(map));
    } else {
      auto result = run();
      warn_of_doubts(map_of(map));
      return result;
    }
  } catch (const CornerFailure&) {
    set_python_error(map_of(map).source);
    throw py::error_already_set();
  }
}

std::tuple<int, int, double, double> tuple_of(const Answer& a) {
  return {static_cast<int>(a.trust), a.level, a.error, a.jacobian_error};
}

void bind_views(py::module_& m) {
  m.def("jet_order", [](py::handle map) { return view_of(map)->jet_order(); });
  m.def("level", [](py::handle map) { return view_of(map)->level(); });
  m.def("tolerance", [](py::handle map) { return view_of(map)->tolerance(); });
  m.def("spacing", [](py::handle map) { return array_of(view_of(map)->spacing()); });
  m.def("at_level", [](py::handle map, int level) { return other(map, view_of(map)->at_level(level)); });
  m.def("at_tolerance",
        [](py::handle map, double tolerance) { return other(map, view_of(map)->at_tolerance(tolerance)); });
  m.def("at_resolution_of",
        [](py::handle map, py::handle view) { return other(map, view_of(map)->at_resolution_of(*view_of(view))); });
  m.def("view_linear_output", [](py::handle map, const py::object& C, const py::object& weights) {
    const auto rows = as_doubles(C, "C");
    const auto transposed = matrix_of(rows, view_of(map)->output_size(), "C");
    Eigen::VectorXd norm;
    if (!weights.is_none()) norm = vector_of(weights, transposed.cols(), "output_weights");
    const Eigen::MatrixXd matrix = transposed.transpose();
    return other(map, ask(map, [&](const AnyView& view) { return view.linear_output(matrix, norm); }));
  });
}

void bind_requests(py::module_& m) {
  m.def("prefetch", [](py::handle map, const py::object& X) {
    const auto points = as_doubles(X, "X");
    const auto matrix = matrix_of(points, view_of(map)->dim(), "X");
    ask(map, [&](const AnyView& view) { view.prefetch(matrix); });
  });
  m.def("fill", [](py::handle map, const py::object& lower, const py::object& upper) {
    const int dim = view_of(map)->dim();
    std::optional<Eigen::VectorXd> low, high;
    if (!lower.is_none()) low = vector_of(lower, dim, "lower");
    if (!upper.is_none()) high = vector_of(upper, dim, "upper");
    const Filled filled = ask(map, [&](const AnyView& view) {
      return view.fill(low ? low->data() : nullptr, high ? high->data() : nullptr);
    });
    return std::tuple(filled.cells, filled.failed, filled.reason);
  });
  m.def("prefetch_async", [](py::handle map, const py::object& X) {
    const auto points = as_doubles(X, "X");
    const auto matrix = matrix_of(points, view_of(map)->dim(), "X");
    ask(map, [&](const AnyView& view) { view.prefetch_async(matrix); });
  });
  m.def("cancel_requests", [](py::handle map) { ask(map, [](const AnyView& view) { view.cancel_requests(); }); });
  m.def("hint", [](py::handle map, const py::object& X) {
    const auto points = as_doubles(X, "X");
    const auto matrix = matrix_of(points, view_of(map)->dim(), "X");
    ask(map, [&](const AnyView& view) { view.hint(matrix); });
  });
  m.def("frozen", [](py::handle map, const std::string& missing) {
    if (missing != "coarser" && missing != "fail")
      throw std::invalid_argument("missing = '" + missing + "', expected 'coarser' or 'fail'");
    const MissingPolicy policy = missing == "fail" ? MissingPolicy::fail : MissingPolicy::coarser;
    const auto frozen = ask(map, [&](const AnyView& view) { return view.frozen(policy); });
    return py::make_tuple(PyMap(frozen.map, py::none()), frozen.cells, frozen.bytes);
  });
  m.def("evaluate_cached", [](py::handle map, const py::object& x) {
    const Eigen::VectorXd point = vector_of(x, view_of(map)->dim(), "x");
    Eigen::VectorXd y;
    Eigen::MatrixXd J, missing;
    const Answer answer =
        ask(map, [&](const AnyView& view) { return view.evaluate_cached(point.data(), y, J, missing); });
    const Eigen::Index rows = J.rows(), dim = point.size(), count = missing.cols();
    py::object value = py::none(), jacobian = py::none();
    if (answer.has_value()) {
      value = array_of(y);
      jacobian = owning_array(std::move(J), {rows, dim}, {1, rows});
    }
    return py::make_tuple(value, jacobian, tuple_of(answer), owning_array(std::move(missing), {count, dim}, {dim, 1}));
  });
}

void bind_errors_and_corners(py::module_& m) {
  m.def("error_estimate", [](py::handle map, const py::object& x) {
    const Eigen::VectorXd point = vector_of(x, view_of(map)->dim(), "x");
    return tuple_of(ask(map, [&](const AnyView& view) { return view.error_estimate(point.data()); }));
  });
  m.def("error_along", [](py::handle map, const py::object& X) {
    const auto points = as_doubles(X, "X");
    const auto matrix = matrix_of(points, view_of(map)->dim(), "X");
    return tuple_of(ask(map, [&](const AnyView& view) { return view.error_along(matrix); }));
  });
  m.def("why_unknown", [](py::handle map, const py::object& X) {
    const auto points = as_doubles(X, "X");
    const auto matrix = matrix_of(points, view_of(map)->dim(), "X");
    return ask(map, [&](const AnyView& view) { return view.why_unknown(matrix); });
  });
  m.def("sample", [](py::handle map, const py::object& X) {
    const auto points = as_doubles(X, "X");
    const auto matrix = matrix_of(points, view_of(map)->dim(), "X");
    return ask(map, [&](const AnyView& view) { return view.sample(matrix); });
  });
  m.def("check", [](py::handle map, const py::object& X, int calls) {
    const auto points = as_doubles(X, "X");
    const auto matrix = matrix_of(points, view_of(map)->dim(), "X");
    ErrorCheck check = ask(map, [&](const AnyView& view) { return view.check(matrix, calls); });
    const Eigen::Index dim = check.points.rows(), count = check.points.cols();
    py::object jacobian_errors = py::none();
    if (check.jacobian_errors.size() > 0) jacobian_errors = array_of(check.jacobian_errors);
    return py::dict("points"_a = owning_array(std::move(check.points), {count, dim}, {dim, 1}),
                    "errors"_a = array_of(check.errors), "jacobian_errors"_a = jacobian_errors,
                    "stated"_a = array_of(check.stated), "largest"_a = check.largest,
                    "root_mean_square"_a = check.root_mean_square, "share"_a = check.share, "told"_a = check.told,
                    "within"_a = check.within, "failed"_a = check.failed, "message"_a = check.message);
  });
  m.def("curvature", [](py::handle map, const py::object& x, const py::object& v) {
    const Eigen::VectorXd point = vector_of(x, view_of(map)->dim(), "x");
    const Eigen::VectorXd weights = vector_of(v, view_of(map)->output_size(), "v");
    Eigen::MatrixXd V;
    ask(map, [&](const AnyView& view) { return view.curvature(point.data(), weights, V); });
    const Eigen::Index dim = point.size();
    return owning_array(std::move(V), {dim, dim}, {1, dim});
  });
  m.def("nearest_corner", [](py::handle map, const py::object& x) {
    const Eigen::VectorXd point = vector_of(x, view_of(map)->dim(), "x");
    return array_of(ask(map, [&](const AnyView& view) { return view.nearest_corner(point.data()); }));
  });
  m.def("corner_jet", [](py::handle map, const py::object& x) {
    const Eigen::VectorXd point = vector_of(x, view_of(map)->dim(), "x");
    Eigen::MatrixXd jet;
    ask(map, [&](const AnyView& view) { view.corner_jet(point.data(), jet); });
    const Eigen::Index rows = jet.rows(), derivatives = jet.cols();
    return owning_array(std::move(jet), {rows, derivatives}, {1, rows});
  });
}

}  // namespace

void bind_grid(py::module_& m) {
  py::class_<AnyGrid, std::shared_ptr<AnyGrid>>(m, "Grid", "The grid under the class AdaptiveGrid.")
      .def("refine", &AnyGrid::refine)
      .def("trim", &AnyGrid::trim)
      .def("samples", &AnyGrid::samples)
      .def("insert", &AnyGrid::insert)
      .def("statistics", &AnyGrid::statistics)
      .def("interleave", &AnyGrid::interleave);
  m.def("make_grid", &make_grid, py::arg("dim"), py::arg("source"), py::arg("options"));
  m.def("check_grid_options", &check_grid_options);
  m.def("show", [](PyMap& map, const AnyGrid& grid, const py::object& source) {
    map.map = grid.view();
    map.source = source;
  });
  bind_views(m);
  bind_requests(m);
  bind_errors_and_corners(m);
}

}  // namespace quoin::python
