// SPDX-License-Identifier: BSD-3-Clause
// Surfaces, and swimmers without the water.
#include "../bindings.hpp"
#include "../matrices.hpp"
#include "../placements.hpp"
#include "../read_option.hpp"
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "quoin/robots/geometry/surface_mesh.hpp"
#include "quoin/robots/io/surface_files.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"
#include "swimmers.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::python {

SurfaceMesh surface_of(py::handle pair) {
  const auto parts = pair.cast<py::tuple>();
  const auto triangles = py::array_t<int, py::array::c_style | py::array::forcecast>::ensure(parts[1]);
  if (!triangles) throw py::error_already_set();
  if (triangles.ndim() != 2 || triangles.shape(1) != 3)
    throw std::invalid_argument("triangles: shape " + shape_of(triangles) + ", expected (T, 3)");
  return {.vertices = points_from(parts[0], 3, "vertices"),
          .triangles = Eigen::Map<const Eigen::Matrix3Xi>(triangles.data(), 3, triangles.shape(0))};
}

namespace {

using namespace swimmer;

py::tuple parts_of(const SurfaceMesh& surface) {
  py::array_t<int> triangles({surface.triangles.cols(), Eigen::Index{3}});
  Eigen::Map<Eigen::Matrix3Xi>(triangles.mutable_data(), 3, surface.triangles.cols()) = surface.triangles;
  return py::make_tuple(array_of_points(surface.vertices), triangles);
}

py::tuple parts_of(const LinkInertia& inertia) {
  return py::make_tuple(inertia.mass, array_of(inertia.centre), array_of_matrix(inertia.inertia));
}

Swimmer swimmer_of(const py::list& links, const py::list& hinges, double fluid_density) {
  std::vector<Link> bodies;
  for (const py::handle item : links) {
    const auto parts = item.cast<py::tuple>();  // surface, density, inertia
    Link link{.density = parts[1].cast<double>()};
    if (!parts[0].is_none()) link.surface = surface_of(parts[0]);
    if (!parts[2].is_none()) {
      const auto inertia = parts[2].cast<py::tuple>();
      link.inertia = LinkInertia{.mass = inertia[0].cast<double>(),
                                 .centre = vector_of(inertia[1], 3, "centre"),
                                 .inertia = matrix_from(inertia[2], 3, 3, "inertia")};
    }
    bodies.push_back(std::move(link));
  }
  std::vector<Hinge> joints;
  for (const py::handle item : hinges) {
    const auto parts = item.cast<py::tuple>();
    joints.push_back({.parent = parts[0].cast<int>(),
                      .axis = vector_of(parts[1], 3, "axis"),
                      .in_parent = vector_of(parts[2], 3, "in_parent"),
                      .in_link = vector_of(parts[3], 3, "in_link")});
  }
  return Swimmer(std::move(bodies), std::move(joints), fluid_density);
}

Swimmer chain_of(const py::dict& dict) {
  return ellipsoid_chain({.links = option<int>(dict, "links"),
                          .semi_axes = vector_of(dict["semi_axes"], 3, "semi_axes"),
                          .gap = option<double>(dict, "gap"),
                          .axis = vector_of(dict["axis"], 3, "axis"),
                          .mesh = option<int>(dict, "mesh"),
                          .density = option<double>(dict, "density"),
                          .fluid_density = option<double>(dict, "fluid_density")});
}

Eigen::VectorXd angles(const Swimmer& swimmer, py::handle q) { return vector_of(q, swimmer.hinges(), "q"); }

void check_link(const Swimmer& swimmer, int link) {
  if (link < 0 || link >= swimmer.links())
    throw std::invalid_argument("link " + std::to_string(link) + " of " + std::to_string(swimmer.links()));
}

py::array_t<double> poses(const Swimmer& swimmer, py::handle q, const py::object& base) {
  const Eigen::Isometry3d from = base.is_none() ? Eigen::Isometry3d::Identity() : placement_of(base, "base");
  return array_of_placements(swimmer.poses(from, angles(swimmer, q)));
}

// (6 links, 6 + hinges), and a list of its derivatives by each angle
py::tuple link_jacobians(const Swimmer& swimmer, py::handle q) {
  Eigen::MatrixXd J;
  std::vector<Eigen::MatrixXd> dJ;
  swimmer.link_jacobians(angles(swimmer, q), J, dJ);
  py::list slopes;
  for (Eigen::MatrixXd& slope : dJ) slopes.append(array_of_matrix(std::move(slope)));
  return py::make_tuple(array_of_matrix(std::move(J)), slopes);
}

py::list hinges_of(const Swimmer& swimmer) {
  py::list hinges;
  for (int k = 0; k < swimmer.hinges(); ++k) {
    const Hinge& hinge = swimmer.hinge(k);
    hinges.append(
        py::make_tuple(hinge.parent, array_of(hinge.axis), array_of(hinge.in_parent), array_of(hinge.in_link)));
  }
  return hinges;
}

}  // namespace

void bind_swimmer_bodies(py::module_& m) {
  using py::arg;
  m.def("geodesic_ellipsoid", [](py::handle semi_axes, int n) {
    return parts_of(geodesic_ellipsoid(vector_of(semi_axes, 3, "semi_axes"), n));
  });
  m.def("read_surface", [](const std::string& path) { return parts_of(io::read_surface(path)); });
  m.def("check_surface", [](const py::tuple& surface) { require_closed_surface(surface_of(surface), "SurfaceMesh"); });
  m.def("solid_moments", [](const py::tuple& pair) {
    const SurfaceMesh surface = surface_of(pair);
    require_closed_surface(surface, "SurfaceMesh");
    const SolidMoments moments = solid_moments(surface);
    return py::make_tuple(moments.volume, array_of(moments.centroid), array_of_matrix(moments.inertia));
  });
  m.def("ellipsoid_chain", &chain_of);
  py::class_<Swimmer>(m, "Swimmer", "The bodies under the class Swimmer.")
      .def(py::init(&swimmer_of), arg("links"), arg("hinges"), arg("fluid_density"))
      .def("links", &Swimmer::links)
      .def("hinges", &hinges_of)
      .def("fluid_density", &Swimmer::fluid_density)
      .def("mass", &Swimmer::mass)
      .def(
          "surface",
          [](const Swimmer& swimmer, int link) {
            check_link(swimmer, link);
            return parts_of(swimmer.link(link).surface);
          },
          arg("link"))
      .def(
          "inertia",
          [](const Swimmer& swimmer, int link) {
            check_link(swimmer, link);
            return parts_of(swimmer.inertia(link));
          },
          arg("link"))
      .def(
          "mass_matrix",
          [](const Swimmer& swimmer, int link) {
            check_link(swimmer, link);
            return array_of_matrix(swimmer.mass_matrix(link));
          },
          arg("link"))
      .def("poses", &poses, arg("q"), arg("base"))
      .def(
          "centre_of_mass",
          [](const Swimmer& swimmer, py::handle q) { return array_of(swimmer.centre_of_mass(angles(swimmer, q))); },
          arg("q"))
      .def("link_jacobians", &link_jacobians, arg("q"));
}

void bind_swimmer(py::module_& m) {
  bind_swimmer_bodies(m);
  bind_swimmer_water(m);
  bind_swimmer_dynamics(m);
}

}  // namespace quoin::python
