// SPDX-License-Identifier: BSD-3-Clause
// Meshes and arms: from the library's beam, from Gmsh's files, from arrays.
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "arms.hpp"
#include "quoin/robots/io/gmsh.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include <pybind11/stl.h>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

using namespace soft_arm;
using namespace py::literals;

template <class Indices>
py::array_t<int> array_of_indices(const Indices& indices) {
  py::array_t<int> array({indices.cols(), indices.rows()});
  Eigen::Map<Eigen::MatrixXi>(array.mutable_data(), indices.rows(), indices.cols()) = indices;
  return array;
}

template <int SpaceDim>
py::dict dict_of(const SimplexMesh<SpaceDim>& mesh) {
  return py::dict("vertices"_a = array_of_points(mesh.vertices), "elements"_a = array_of_indices(mesh.elements),
                  "element_group"_a = mesh.element_group, "element_group_names"_a = mesh.element_group_names,
                  "vertex_groups"_a = mesh.vertex_groups);
}

template <int SpaceDim>
SimplexMesh<SpaceDim> mesh_of(const py::dict& dict) {
  const auto elements = py::array_t<int, py::array::c_style | py::array::forcecast>::ensure(dict["elements"]);
  if (!elements) throw py::error_already_set();
  if (elements.ndim() != 2 || elements.shape(1) != SpaceDim + 1)
    throw std::invalid_argument("elements: shape " + shape_of(elements) + ", expected (E, " +
                                std::to_string(SpaceDim + 1) + ")");
  SimplexMesh<SpaceDim> mesh;
  mesh.vertices = points_from(dict["vertices"], SpaceDim, "vertices");
  mesh.elements = Eigen::Map<const Eigen::MatrixXi>(elements.data(), SpaceDim + 1, elements.shape(0));
  mesh.element_group = dict["element_group"].cast<std::vector<int>>();
  mesh.element_group_names = dict["element_group_names"].cast<std::vector<std::string>>();
  mesh.vertex_groups = dict["vertex_groups"].cast<std::map<std::string, std::vector<int>>>();
  return mesh;
}

BeamOptions beam_options_of(const py::dict& dict) {
  BeamOptions options{.length = option<double>(dict, "length"),
                      .width = option<double>(dict, "width"),
                      .cells_across = option<int>(dict, "cells_across"),
                      .cells_along = option<int>(dict, "cells_along"),
                      .young = option<double>(dict, "young"),
                      .stiff_ratio = option<double>(dict, "stiff_ratio"),
                      .stiff_every = option<int>(dict, "stiff_every"),
                      .stiff_cap = option<bool>(dict, "stiff_cap"),
                      .poisson = option<double>(dict, "poisson"),
                      .density = option<double>(dict, "density")};
  if (!dict["line_force"].is_none()) options.line_force = option<double>(dict, "line_force");
  return options;
}

ArmDescription description_of(const py::dict& dict) {
  return {.clamped = dict["clamped"].cast<std::string>(),
          .lines = dict["lines"].cast<std::vector<std::string>>(),
          .tip = dict["tip"].cast<std::string>(),
          .before_tip = dict["before_tip"].cast<std::string>(),
          .young = dict["young"].cast<std::map<std::string, double>>(),
          .poisson = option<double>(dict, "poisson"),
          .density = option<double>(dict, "density"),
          .thickness = option<double>(dict, "thickness"),
          .line_force = option<double>(dict, "line_force")};
}

template <int SpaceDim>
ArmOptions<SpaceDim> loads_of(const py::object& gravity, const py::object& dead_load) {
  ArmOptions<SpaceDim> options;
  if (!gravity.is_none()) options.gravity = vector_of(gravity, SpaceDim, "gravity");
  options.dead_load = any_vector(dead_load, "dead_load");
  return options;
}

template <int SpaceDim>
Point<line_count<SpaceDim>> controls_of(py::handle u) {
  return vector_of(u, line_count<SpaceDim>, "u");
}

template <int SpaceDim>
void bind_arm(py::module_& m) {
  using Arm = SoftArm<SpaceDim>;
  m.def(in_space<SpaceDim>("read_gmsh").c_str(),
        [](const std::string& file) { return dict_of(io::read_gmsh<SpaceDim>(file)); });
  m.def(in_space<SpaceDim>("make_beam").c_str(),
        [](const py::dict& options, const py::object& gravity, const py::object& load) {
          return Arm(make_beam<SpaceDim>(beam_options_of(options)), loads_of<SpaceDim>(gravity, load));
        });
  m.def(in_space<SpaceDim>("arm_from_mesh").c_str(),
        [](const py::dict& mesh, const py::dict& description, const py::object& gravity, const py::object& load) {
          return Arm(arm_from_mesh<SpaceDim>(mesh_of<SpaceDim>(mesh), description_of(description)),
                     loads_of<SpaceDim>(gravity, load));
        });
  py::class_<Arm>(m, in_space<SpaceDim>("SoftArm").c_str(), "The arm under the class SoftArm.")
      .def("size", &Arm::size)
      .def("line_force", &Arm::line_force)
      .def("mesh", [](const Arm& arm) { return dict_of<SpaceDim>(arm.mesh()); })
      .def("lines", [](const Arm& arm) { return arm.mesh().lines; })
      .def("rest", [](const Arm& arm) { return array_of(arm.rest()); })
      .def("mass", [](const Arm& arm) { return array_of(arm.mass()); })
      .def("free_dofs", [](const Arm& arm) { return arm.free_dofs(); })
      .def("tip_rows", [](const Arm& arm) { return array_of_matrix(arm.tip_rows()); })
      .def(
          "energy",
          [](const Arm& arm, const py::object& x, const py::object& u) {
            return arm.energy(vector_of(x, arm.size(), "x"), controls_of<SpaceDim>(u));
          },
          py::arg("x"), py::arg("u"))
      .def(
          "gradient",
          [](const Arm& arm, const py::object& x, const py::object& u) {
            Eigen::VectorXd gradient;
            arm.gradient(vector_of(x, arm.size(), "x"), controls_of<SpaceDim>(u), gradient);
            return array_of(gradient);
          },
          py::arg("x"), py::arg("u"))
      .def(
          "lengths",
          [](const Arm& arm, const py::object& x) { return array_of(arm.lengths(vector_of(x, arm.size(), "x"))); },
          py::arg("x"));
}

}  // namespace

void bind_arm_meshes(py::module_& m) {
  bind_arm<2>(m);
  bind_arm<3>(m);
}

}  // namespace quoin::python
