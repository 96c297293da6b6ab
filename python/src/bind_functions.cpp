// SPDX-License-Identifier: BSD-3-Clause
// Maps made from Python's functions, and from two maps; checks of derivatives.
#include "arrays.hpp"
#include "bindings.hpp"
#include "for_dim.hpp"
#include "gil.hpp"
#include "map_of_dim.hpp"
#include "python_error.hpp"
#include "quoin/map/derivative_check.hpp"
#include "quoin/map/with_fallback.hpp"
#include "read_option.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

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

py::tuple checked(const py::object& map, const py::object& x, const py::dict& dict) {
  const auto checked = map_of(map).map;
  const DerivativeCheckOptions options{.largest_step = option<double>(dict, "largest_step"),
                                       .halvings = option<int>(dict, "halvings"),
                                       .directions = option<int>(dict, "directions"),
                                       .seed = option<unsigned>(dict, "seed")};
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
  return for_dim(one->dim(), "with_fallback", [&](auto dim) -> PyMap {
    auto map = with_fallback<dim>(MapOf<dim>(one), MapOf<dim>(other), allowed);
    return {std::make_shared<MapFrom<dim, decltype(map)>>(std::move(map)), source};
  });
}

}  // namespace

void bind_functions(py::module_& m) {
  m.def("function_map", [](const py::object& jet_of, int dim, Eigen::Index outputs) {
    return PyMap(std::make_shared<FunctionMap>(jet_of, dim, outputs), py::none());
  });
  m.def("check_derivatives", &checked);
  m.def("with_fallback", &fallen_back);
}

}  // namespace quoin::python
