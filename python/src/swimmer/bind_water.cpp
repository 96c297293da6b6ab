// SPDX-License-Identifier: BSD-3-Clause
// The water: boundary elements, and the added mass as maps of the joint angles.
#include "../for_dim.hpp"
#include "../gil.hpp"
#include "../matrices.hpp"
#include "../placements.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/decoupled_added_mass.hpp"
#include "quoin/robots/models/swimmer/extrapolated_added_mass.hpp"
#include "quoin/robots/models/swimmer/potential_flow.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"
#include "swimmers.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

using namespace swimmer;

template <int Dim, class M>
PyMap map_from(M map) {
  return {std::make_shared<MapFrom<Dim, M>>(std::move(map)), py::none()};
}

PotentialFlow flow_of(const py::list& surfaces, double min_gap, bool scalar) {
  std::vector<SurfaceMesh> bodies;
  for (const py::handle surface : surfaces) bodies.push_back(surface_of(surface));
  const WithoutGil release;
  return PotentialFlow(std::move(bodies), {.min_gap = min_gap, .scalar = scalar});
}

// potentials (P, 6 B), added mass per density (6 B, 6 B)
py::tuple solved(const PotentialFlow& flow, const py::list& placements) {
  std::vector<Eigen::Isometry3d> poses;
  for (const py::handle placement : placements) poses.push_back(placement_of(placement, "pose"));
  Eigen::MatrixXd phi, mass;
  {
    const WithoutGil release;
    flow.solve(poses, phi);
    mass = flow.added_mass(phi);
  }
  const double asymmetry = flow.asymmetry(mass);
  return py::make_tuple(array_of_matrix(std::move(phi)), array_of_matrix(std::move(mass)), asymmetry);
}

py::array_t<double> potentials(const SwimmerFlow& flow, py::handle q, int motion) {
  const Eigen::VectorXd at = vector_of(q, flow.swimmer().hinges(), "q");
  Eigen::MatrixXd phi;
  {
    const WithoutGil release;
    phi = flow.potentials(at, static_cast<Motion>(motion));
  }
  return array_of_matrix(std::move(phi));
}

double asymmetry(const SwimmerFlow& flow, py::handle q) {
  const Eigen::VectorXd at = vector_of(q, flow.swimmer().hinges(), "q");
  const WithoutGil release;
  return flow.asymmetry(at);
}

}  // namespace

void bind_swimmer_water(py::module_& m) {
  py::class_<PotentialFlow>(m, "PotentialFlow", "The flow under the class PotentialFlow.")
      .def(py::init(&flow_of), py::arg("surfaces"), py::arg("min_gap"), py::arg("scalar"))
      .def("first_vertex", &PotentialFlow::first_vertex, py::arg("body"))
      .def("solve", &solved, py::arg("poses"));
  py::class_<SwimmerFlow>(m, "SwimmerFlow", "The flow under the class SwimmerFlow.")
      .def(py::init([](const Swimmer& swimmer, double min_gap, bool scalar) {
             const WithoutGil release;
             return SwimmerFlow(swimmer, {.min_gap = min_gap, .scalar = scalar});
           }),
           py::arg("swimmer"), py::arg("min_gap"), py::arg("scalar"))
      .def(
          "first_vertex", [](const SwimmerFlow& flow, int link) { return flow.flow().first_vertex(link); },
          py::arg("link"))
      .def("potentials", &potentials, py::arg("q"), py::arg("motion"))
      .def("asymmetry", &asymmetry, py::arg("q"));
  m.def("added_mass", [](const SwimmerFlow& flow, int motion) {
    return for_dim(flow.swimmer().hinges(), "AddedMass",
                   [&](auto dim) { return map_from<dim>(AddedMass<dim>(flow, static_cast<Motion>(motion))); });
  });
  m.def("extrapolated_added_mass", [](const SwimmerFlow& coarse, const SwimmerFlow& fine, int motion) {
    return for_dim(fine.swimmer().hinges(), "ExtrapolatedAddedMass", [&](auto dim) {
      return map_from<dim>(ExtrapolatedAddedMass<dim>(coarse, fine, static_cast<Motion>(motion)));
    });
  });
  m.def("decoupled_added_mass", [](const std::vector<py::object>& arrays) {
    std::vector<Eigen::MatrixXd> blocks;
    for (const py::object& array : arrays) blocks.push_back(matrix_from(array, -1, -1, "links"));
    return for_dim(static_cast<int>(blocks.size()) - 1, "DecoupledAddedMass",
                   [&](auto dim) { return map_from<dim>(DecoupledAddedMass<dim>(blocks)); });
  });
}

}  // namespace quoin::python
