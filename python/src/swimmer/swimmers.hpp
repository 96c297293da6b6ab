// SPDX-License-Identifier: BSD-3-Clause
// What the files of the swimmer's bindings share.
#pragma once

#include "../map_of_dim.hpp"
#include "quoin/robots/geometry/surface_mesh.hpp"

#include <pybind11/pybind11.h>

#include <memory>

namespace quoin::python {

void bind_swimmer_bodies(py::module_& module);
void bind_swimmer_water(py::module_& module);
void bind_swimmer_dynamics(py::module_& module);

/// The surface of a pair of arrays, vertices (V, 3) and triangles (T, 3).
SurfaceMesh surface_of(py::handle pair);

/// A map with second derivatives, and a fingerprint, as the library's templates take them. Only for one that has them.
template <int Dim>
class TwiceMapOf : public MapOf<Dim> {
 public:
  explicit TwiceMapOf(const std::shared_ptr<Map>& map) : MapOf<Dim>(map), map_(let_go_without_gil(map)) {}

  using MapOf<Dim>::evaluate;
  using MapOf<Dim>::try_evaluate;
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return map_->evaluate(x.data(), y, J, H);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return map_->try_evaluate(x.data(), y, J, H);
  }
  bool has_second_derivatives() const { return map_->has_second_derivatives(); }
  bool is_fingerprinted() const { return map_->fingerprint().has_value(); }
  Fingerprint fingerprint() const { return map_->fingerprint().value(); }

 private:
  std::shared_ptr<const Map> map_;
};

}  // namespace quoin::python
