// SPDX-License-Identifier: BSD-3-Clause
// Maps made from Python's functions and from other maps; checks of derivatives.
#include "arrays.hpp"
#include "bindings.hpp"
#include "for_dim.hpp"
#include "gil.hpp"
#include "map_of_dim.hpp"
#include "python_error.hpp"
#include "quoin/core/derivative_check.hpp"
#include "quoin/core/fall_back.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

/// f itself as a map: jet_of(x) answers the jet (N, 1 + dim). Called with or without the GIL.
class FunctionMap final : public Map {
 public:
  FunctionMap(py::object jet_of, int dim, Eigen::Index outputs)
      : jet_of_(new py::object(std::move(jet_of)),
                [](py::object* held) {
                  const WithGil gil;
                  delete held;
                }),
        dim_(dim),
        outputs_(outputs) {}

  int dim() const override { return dim_; }
  Eigen::Index output_size() const override { return outputs_; }

  Answer evaluate(const double* x, Eigen::VectorXd& y) const override {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    const WithGil gil;
    const auto jet = as_doubles(call_python(*jet_of_, array_of(Eigen::Map<const Eigen::VectorXd>(x, dim_))), "jet");
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> columns(jet.data(), outputs_, 1 + dim_);
    y = columns.col(0);
    J = columns.rightCols(dim_);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    try {
      return evaluate(x, y, J);
    } catch (const py::error_already_set& raised) {
      const WithGil gil;
      if (!raised.matches(PyExc_Exception)) throw PythonInterrupted(raised);
      return {.trust = Trust::failed};
    }
  }

 private:
  std::shared_ptr<py::object> jet_of_;
  int dim_;
  Eigen::Index outputs_;
};

/// A map along some of its axes: quoin::restrict_to at any number of variables.
class Slice final : public Map {
 public:
  Slice(const std::shared_ptr<Map>& map, std::vector<int> axes, Eigen::VectorXd base)
      : map_(let_go_without_gil(map)), axes_(std::move(axes)), base_(std::move(base)) {
    for (auto axis = axes_.begin(); axis != axes_.end(); ++axis) {
      if (*axis < 0 || *axis >= map_->dim())
        throw std::invalid_argument("restrict_to: axis " + to_text(*axis) + " of a map of " + to_text(map_->dim()) +
                                    " variables");
      if (std::find(axes_.begin(), axis, *axis) != axis)
        throw std::invalid_argument("restrict_to: axis " + to_text(*axis) + " is named twice");
      base_[*axis] = 0;
    }
  }

  int dim() const override { return static_cast<int>(axes_.size()); }
  Eigen::Index output_size() const override { return map_->output_size(); }
  Answer evaluate(const double* x, Eigen::VectorXd& y) const override { return map_->evaluate(full(x).data(), y); }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    const Answer answer = map_->evaluate(full(x).data(), y, J);
    J = J(Eigen::all, axes_).eval();
    return answer;
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    const Answer answer = map_->try_evaluate(full(x).data(), y, J);
    if (answer.has_value()) J = J(Eigen::all, axes_).eval();
    return answer;
  }
  std::optional<Fingerprint> fingerprint() const override {
    const auto of_map = map_->fingerprint();
    if (!of_map) return of_map;
    return Fingerprint("restrict_to").add("map", *of_map).add("axes", axes_).add_rounded("held", base_);
  }

 private:
  Eigen::VectorXd full(const double* x) const {
    Eigen::VectorXd point = base_;
    for (const int axis : axes_) point[axis] = *x++;
    return point;
  }

  std::shared_ptr<const Map> map_;
  std::vector<int> axes_;
  Eigen::VectorXd base_;
};

PyMap restricted(const PyMap& map, const std::vector<int>& axes, const py::object& base) {
  const auto of = map.map;
  if (axes.empty()) throw std::invalid_argument("restrict_to: no axes");
  return {std::make_shared<Slice>(of, axes, vector_of(base, of->dim(), "base")), map.source};
}

py::tuple checked(const py::object& map, const py::object& x, const py::dict& dict) {
  const auto checked = map_of(map).map;
  const DerivativeCheckOptions options{.largest_step = dict["largest_step"].cast<double>(),
                                       .halvings = dict["halvings"].cast<int>(),
                                       .directions = dict["directions"].cast<int>(),
                                       .seed = dict["seed"].cast<unsigned>()};
  const Eigen::VectorXd point = vector_of(x, checked->dim(), "x");
  const DerivativeCheck check = for_dim(checked->dim(), "check_derivatives", [&](auto dim) {
    const WithoutGil release;
    return check_derivatives<dim>(MapOf<dim>(checked), Point<dim>(point), options);
  });
  return py::make_tuple(check.passed, check.slope, check.relative_error, check.message, to_string(check.verdict),
                        check.row);
}

PyMap fallen_back(const py::object& first, const py::object& second, double value, double jacobian,
                  const py::object& weights, const py::object& source) {
  const auto one = map_of(first).map, other = map_of(second).map;
  AllowedError allowed{.value = value, .jacobian = jacobian};
  if (!weights.is_none()) allowed.output_weights = vector_of(weights, one->output_size(), "output_weights");
  return for_dim(one->dim(), "fall_back", [&](auto dim) -> PyMap {
    auto map = fall_back<dim>(MapOf<dim>(one), MapOf<dim>(other), allowed);
    return {std::make_shared<MapFrom<dim, decltype(map)>>(std::move(map)), source};
  });
}

}  // namespace

void bind_functions(py::module_& m) {
  m.def("function_map", [](const py::object& jet_of, int dim, Eigen::Index outputs) {
    return PyMap(std::make_shared<FunctionMap>(jet_of, dim, outputs), py::none());
  });
  m.def("restrict_to", [](py::handle map, const std::vector<int>& axes, const py::object& base) {
    return restricted(map_of(map), axes, base);
  });
  m.def("check_derivatives", &checked);
  m.def("fall_back", &fallen_back);
}

}  // namespace quoin::python
