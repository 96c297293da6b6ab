// SPDX-License-Identifier: BSD-3-Clause
#include "../gil.hpp"
#include "../map_of_dim.hpp"
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "arms.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <memory>
#include <utility>

namespace quoin::python {
namespace {

using namespace soft_arm;

StaticsOptions statics_options_of(const py::dict& dict) {
  return {.tolerance = option<double>(dict, "tolerance"),
          .continuation_step = option<double>(dict, "continuation_step"),
          .taylor_step = option<double>(dict, "taylor_step"),
          .iterations = option<int>(dict, "iterations"),
          .remembered = option<int>(dict, "remembered"),
          .remembered_jets = option<int>(dict, "remembered_jets")};
}

template <int SpaceDim>
py::array_t<double> jet(const Statics<SpaceDim>& statics, const py::object& alpha, int order) {
  constexpr int lines = line_count<SpaceDim>;
  if (order < 1 || order > 3) throw std::invalid_argument("jet: order " + std::to_string(order) + ", expected 1 to 3");
  const Point<lines> at = vector_of(alpha, lines, "alpha");
  Eigen::MatrixXd jet(statics.output_size(), jet_size(lines, order));
  {
    const WithoutGil release;
    statics.evaluate_jet(order, at, jet);
  }
  return array_of_matrix(std::move(jet));
}

template <int SpaceDim>
void bind_statics_in(py::module_& m) {
  using S = Statics<SpaceDim>;
  py::class_<S>(m, in_space<SpaceDim>("Statics").c_str(), "The statics under the class Statics.")
      .def(py::init([](const SoftArm<SpaceDim>& arm, const py::dict& options) {
             return S(arm, statics_options_of(options));
           }),
           py::arg("arm"), py::arg("options"))
      .def("map",
           [](const S& statics) {
             return PyMap(std::make_shared<MapFrom<line_count<SpaceDim>, S>>(statics), py::none());
           })
      .def("arm", [](const S& statics) { return statics.arm(); })
      .def("jet", &jet<SpaceDim>, py::arg("alpha"), py::arg("order"))
      .def("solves", &S::solves)
      .def("newton_iterations", &S::newton_iterations)
      .def("seconds", &S::seconds)
      .def("forget", &S::forget, py::call_guard<WithoutGil>());
}

}  // namespace

void bind_statics(py::module_& m) {
  bind_statics_in<2>(m);
  bind_statics_in<3>(m);
}

}  // namespace quoin::python
