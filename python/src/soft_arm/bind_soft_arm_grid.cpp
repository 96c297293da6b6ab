// SPDX-License-Identifier: BSD-3-Clause
#include "../dynamics.hpp"
#include "../gil.hpp"
#include "../grid_views.hpp"
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "../store.hpp"
#include "arms.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"

#include <memory>
#include <string>
#include <utility>

namespace quoin::python {
namespace {

using namespace soft_arm;

ReducedDynamicsOptions step_of(const py::dict& dict) {
  return {.time_step = option<double>(dict, "time_step"),
          .stiffness_damping = option<double>(dict, "stiffness_damping"),
          .mass_damping = option<double>(dict, "mass_damping"),
          .derivative = option<bool>(dict, "exact_derivatives") ? StepDerivative::exact : StepDerivative::gauss_newton};
}

template <int SpaceDim>
SoftArmGridOptions<SpaceDim> soft_arm_grid_options_of(const py::dict& dict) {
  SoftArmGridOptions<SpaceDim> options{.jet_order = option<int>(dict, "jet_order"),
                                       .spacing = option<double>(dict, "spacing"),
                                       .lower = option<double>(dict, "lower"),
                                       .upper = option<double>(dict, "upper"),
                                       .basis_control = option<double>(dict, "basis_control"),
                                       .basis_tolerance = option<double>(dict, "basis_tolerance"),
                                       .bending_modes = option<int>(dict, "bending_modes"),
                                       .step = step_of(dict)};
  if (!dict["threads"].is_none()) options.evaluator = Threads{option<int>(dict, "threads")};
  options.evaluate_ahead = option<bool>(dict, "evaluate_ahead");
  if (!dict["store"].is_none())
    options.storage =
        dynamic_cast<const Store<line_count<SpaceDim>>&>(*dict["store"].cast<std::shared_ptr<AnyStore>>()).storage();
  return options;
}

/// An InertialImage as a map of z = [alpha; q].
template <class Image>
class MapOfImage final : public Map {
 public:
  explicit MapOfImage(Image image) : image_(std::move(image)) {}

  int dim() const override { return static_cast<int>(image_.size()); }
  Eigen::Index output_size() const override { return image_.output_size(); }
  Answer evaluate(const double* z, Eigen::VectorXd& y) const override {
    Eigen::MatrixXd J;
    return evaluate(z, y, J);
  }
  Answer evaluate(const double* z, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return image_.evaluate(Eigen::Map<const Eigen::VectorXd>(z, image_.size()), y, J);
  }
  Answer try_evaluate(const double* z, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return image_.try_evaluate(Eigen::Map<const Eigen::VectorXd>(z, image_.size()), y, J);
  }

 private:
  Image image_;
};

template <int SpaceDim>
class Bound {
  using Arm = SoftArmGrid<SpaceDim>;
  static constexpr int lines = line_count<SpaceDim>;

 public:
  static std::shared_ptr<Arm> make(const Statics<SpaceDim>& statics, const py::dict& dict) {
    const py::object threads = dict["threads"];
    if (!threads.is_none() && threads.cast<int>() < 1)
      throw std::invalid_argument("SoftArmGrid: threads = " + std::to_string(threads.cast<int>()));
    const auto options = soft_arm_grid_options_of<SpaceDim>(dict);
    const WithoutGil release;
    return std::make_shared<Arm>(statics, options);
  }

  static std::shared_ptr<AnyGrid> grid(const std::shared_ptr<Arm>& arm) {
    return grid_of<lines>(std::shared_ptr<AdaptiveGrid<lines>>(arm, &arm->grid()));
  }

  static PyMap coordinates(const Arm& arm, py::handle view) {
    const auto map = map_of(view).map;
    return {view_beside<lines>(*map, arm.coordinates(grid_view_of<lines>(*map))), py::none()};
  }

  static PyMap tip(const Arm& arm, py::handle view) {
    const auto map = map_of(view).map;
    return {view_beside<lines>(*map, arm.tip(grid_view_of<lines>(*map))), py::none()};
  }

  static std::shared_ptr<Dynamics> dynamics(const Arm& arm, py::handle view) {
    return dynamics_from(arm.dynamics(grid_view_of<lines>(*map_of(view).map)));
  }

  static std::shared_ptr<Dynamics> inertial_dynamics(const Arm& arm, py::handle view) {
    const GridView<lines> of_grid = grid_view_of<lines>(*map_of(view).map);
    const WithoutGil release;
    return dynamics_from(arm.inertial_dynamics(of_grid));
  }

  static PyMap inertial_tip(const Arm& arm, py::handle view) {
    const GridView<lines> of_grid = grid_view_of<lines>(*map_of(view).map);
    const auto image = [&] {
      const WithoutGil release;
      return std::make_shared<MapOfImage<typename Arm::InertialTip>>(arm.inertial_tip(of_grid));
    }();
    return {image, py::none()};
  }

  static std::shared_ptr<Dynamics> exact_inertial_dynamics(const Arm& arm) {
    const WithoutGil release;
    return dynamics_from(arm.exact_inertial_dynamics());
  }

  static py::tuple error_along(const Arm& arm, py::handle view, py::handle alphas) {
    const auto map = map_of(view).map;
    const Eigen::MatrixXd points = points_from(alphas, lines, "alphas");
    const Answer answer = [&] {
      const Query running(*map);
      return arm.error_along(grid_view_of<lines>(*map), points);
    }();
    return py::make_tuple(static_cast<int>(answer.trust), answer.level, answer.error, answer.jacobian_error);
  }

  static void bind(py::module_& m) {
    py::class_<Arm, std::shared_ptr<Arm>>(m, in_space<SpaceDim>("SoftArmGrid").c_str(), "The arm under SoftArmGrid.")
        .def(py::init(&make), py::arg("statics"), py::arg("options"))
        .def("grid", &grid)
        .def("spacing", [](const Arm& arm) { return array_of(lattice_of<SpaceDim>(arm.options()).spacing); })
        .def("lower", [](const Arm& arm) { return array_of(lattice_of<SpaceDim>(arm.options()).lower); })
        .def("upper", [](const Arm& arm) { return array_of(lattice_of<SpaceDim>(arm.options()).upper); })
        .def("coordinates", &coordinates, py::arg("view"))
        .def("tip", &tip, py::arg("view"))
        .def("dynamics", &dynamics, py::arg("view"))
        .def("exact_dynamics", [](const Arm& arm) { return dynamics_from(arm.exact_dynamics()); })
        .def("inertial_dynamics", &inertial_dynamics, py::arg("view"))
        .def("inertial_tip", &inertial_tip, py::arg("view"))
        .def("exact_inertial_dynamics", &exact_inertial_dynamics)
        .def("full_dynamics", [](const Arm& arm) { return arm.full_dynamics(); })
        .def("error_along", &error_along, py::arg("view"), py::arg("alphas"))
        .def("basis_size", [](const Arm& arm) { return arm.basis().size(); })
        .def("shapes", [](const Arm& arm) { return array_of_matrix(arm.basis().shapes()); })
        .def("basis_remainder", &Arm::basis_remainder)
        .def("grow", &Arm::grow)
        .def("corners", [](const Arm& arm) { return array_of_points(arm.corners()); });
  }
};

}  // namespace

void bind_arm_on_grid(py::module_& m) {
  Bound<2>::bind(m);
  Bound<3>::bind(m);
}

}  // namespace quoin::python
