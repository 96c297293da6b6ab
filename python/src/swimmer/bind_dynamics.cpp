// SPDX-License-Identifier: BSD-3-Clause
// The mass of swimmer and water over any map of the added mass, and the motion over any map of the mass.
#include "../dynamics.hpp"
#include "../for_dim.hpp"
#include "../matrices.hpp"
#include "../placements.hpp"
#include "../read_option.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "steps.hpp"
#include "swimmers.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace quoin::python {
namespace {

using namespace swimmer;

template <int Dim>
class MassOver final : public MapFrom<Dim, GeneralizedMass<Dim, TwiceMapOf<Dim>>> {
 public:
  using MapFrom<Dim, GeneralizedMass<Dim, TwiceMapOf<Dim>>>::MapFrom;

  bool has_second_derivatives() const override { return water().has_second_derivatives(); }
  std::optional<Fingerprint> fingerprint() const override {
    if (!water().is_fingerprinted()) return std::nullopt;
    return this->map().fingerprint();
  }

 private:
  const TwiceMapOf<Dim>& water() const { return this->map().map(); }
};

PyMap generalized_mass(const Swimmer& swimmer, int motion, py::handle water) {
  const PyMap& of = map_of(water);
  return for_dim(swimmer.hinges(), "GeneralizedMass", [&](auto dim) -> PyMap {
    GeneralizedMass<dim, TwiceMapOf<dim>> mass(swimmer, static_cast<Motion>(motion), TwiceMapOf<dim>(of.map));
    return {std::make_shared<MassOver<dim>>(std::move(mass)), of.source};
  });
}

SwimmerDynamicsOptions swimmer_options_of(const py::dict& dict) {
  return {.time_step = option<double>(dict, "time_step"),
          .substeps = option<int>(dict, "substeps"),
          .integrator = static_cast<Integrator>(option<int>(dict, "integrator")),
          .momentum = option<bool>(dict, "free_momentum") ? Momentum::free : Momentum::zero,
          .torque_scale = option<double>(dict, "torque_scale"),
          .derivative = option<bool>(dict, "exact_derivatives") ? StepDerivative::exact : StepDerivative::gauss_newton,
          .difference_step = option<double>(dict, "difference_step"),
          .singular_tolerance = option<double>(dict, "singular_tolerance")};
}

/// What is asked of states besides steps.
class Swim {
 public:
  virtual ~Swim() = default;
  virtual std::shared_ptr<Dynamics> dynamics() const = 0;
  virtual py::array_t<double> state(py::handle q, py::handle rates, const py::object& base,
                                    const py::object& twist) const = 0;
  virtual py::array_t<double> base_pose(py::handle x) const = 0;
  virtual py::array_t<double> twist_at_zero_momentum(py::handle q, py::handle rates) const = 0;
  virtual py::array_t<double> velocity(py::handle x) const = 0;
  virtual double kinetic_energy(py::handle x) const = 0;
  virtual py::array_t<double> momentum(py::handle x) const = 0;
  virtual py::array_t<double> mass_matrix(py::handle q) const = 0;
};

template <int Dim>
class SwimOf final : public Swim {
  using Joints = Point<Dim>;

 public:
  SwimOf(const std::shared_ptr<Map>& mass, Motion motion, const SwimmerDynamicsOptions& options)
      : mass_(mass), motion_(motion), swim_(MapOf<Dim>(mass), motion, options) {}

  std::shared_ptr<Dynamics> dynamics() const override {
    if (!mass_->has_second_derivatives()) return dynamics_from(swim_);
    return dynamics_from(SwimmerDynamics<Dim, TwiceMapOf<Dim>>(TwiceMapOf<Dim>(mass_), motion_, swim_.options()));
  }
  py::array_t<double> state(py::handle q, py::handle rates, const py::object& base,
                            const py::object& twist) const override {
    const Joints at = joints(q, "q"), by = joints(rates, "rates");
    const Eigen::Isometry3d pose = base.is_none() ? Eigen::Isometry3d::Identity() : placement_of(base, "base");
    const Eigen::VectorXd body = any_vector(twist, "twist");
    return array_of(asked([&] { return swim_.state(at, by, pose, body); }));
  }
  py::array_t<double> base_pose(py::handle x) const override {
    return array_of_matrix(swim_.base_pose(whole(x)).matrix());
  }
  py::array_t<double> twist_at_zero_momentum(py::handle q, py::handle rates) const override {
    const Joints at = joints(q, "q"), by = joints(rates, "rates");
    return array_of(asked([&] { return swim_.twist_at_zero_momentum(at, by); }));
  }
  py::array_t<double> velocity(py::handle x) const override {
    const Eigen::VectorXd at = whole(x);
    return array_of(asked([&] { return swim_.velocity(at); }));
  }
  double kinetic_energy(py::handle x) const override {
    const Eigen::VectorXd at = whole(x);
    return asked([&] { return swim_.kinetic_energy(at); });
  }
  py::array_t<double> momentum(py::handle x) const override {
    const Eigen::VectorXd at = whole(x);
    return array_of(asked([&] { return Eigen::VectorXd(swim_.momentum(at)); }));
  }
  py::array_t<double> mass_matrix(py::handle q) const override {
    const Joints at = joints(q, "q");
    return array_of_matrix(asked([&] { return swim_.mass_matrix(at); }));
  }

 private:
  static Joints joints(py::handle array, const char* what) { return vector_of(array, Dim, what); }
  Eigen::VectorXd whole(py::handle x) const { return vector_of(x, swim_.state_size(), "x"); }
  // They ask the map.
  template <class Ask>
  auto asked(const Ask& ask) const {
    const Query running(*mass_);
    return ask();
  }

  std::shared_ptr<Map> mass_;
  Motion motion_;
  SwimmerDynamics<Dim, MapOf<Dim>> swim_;
};

std::shared_ptr<Swim> swim_of(py::handle object, int motion, const py::dict& options) {
  const auto mass = map_of(object).map;
  const auto chosen = swimmer_options_of(options);
  switch (mass->dim()) {  // a number of hinges takes most of a minute to compile
    case 2: return std::make_shared<SwimOf<2>>(mass, static_cast<Motion>(motion), chosen);
    case 3: return std::make_shared<SwimOf<3>>(mass, static_cast<Motion>(motion), chosen);
    default:
      throw std::invalid_argument("SwimmerDynamics: " + to_text(mass->dim()) +
                                  " hinges, steps are compiled for 2 and 3");
  }
}

}  // namespace

void bind_swimmer_dynamics(py::module_& m) {
  using py::arg;
  m.def("generalized_mass", &generalized_mass);
  py::class_<Swim, std::shared_ptr<Swim>>(m, "SwimmerDynamics", "The dynamics under the class SwimmerDynamics.")
      .def(py::init(&swim_of), arg("mass"), arg("motion"), arg("options"))
      .def("dynamics", &Swim::dynamics)
      .def("state", &Swim::state, arg("q"), arg("rates"), arg("base"), arg("twist"))
      .def("base_pose", &Swim::base_pose, arg("x"))
      .def("twist_at_zero_momentum", &Swim::twist_at_zero_momentum, arg("q"), arg("rates"))
      .def("velocity", &Swim::velocity, arg("x"))
      .def("kinetic_energy", &Swim::kinetic_energy, arg("x"))
      .def("momentum", &Swim::momentum, arg("x"))
      .def("mass_matrix", &Swim::mass_matrix, arg("q"));
}

}  // namespace quoin::python
