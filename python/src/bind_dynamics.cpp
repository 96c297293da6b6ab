// SPDX-License-Identifier: BSD-3-Clause
// Dynamics: those of Python's classes, linear ones, and steps of continuous ones.
#include "bindings.hpp"
#include "dynamics.hpp"
#include "gil.hpp"
#include "held_function.hpp"
#include "matrices.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"

#include <memory>
#include <utility>

namespace quoin::python {
namespace {

/// A class of Python's as Dynamics, or as Rates. call(x, u, derivatives) answers (status, next, dnext_dx, dnext_du) or
/// (status, next), checked by quoin.dynamics; next to nothing unless the status is 0.
class Called {
 public:
  Called(py::object call, py::object hint, Eigen::Index states, Eigen::Index controls)
      : call_(std::move(call)), states_(states), controls_(controls) {
    if (!hint.is_none()) hint_ = std::make_shared<HeldFunction>(std::move(hint));
  }

  Eigen::Index state_size() const { return states_; }
  Eigen::Index control_size() const { return controls_; }

  StepStatus ask(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& value, Eigen::MatrixXd* dx,
                 Eigen::MatrixXd* du) const {
    const WithGil gil;
    const auto answer = call_(array_of(x), array_of(u), dx != nullptr).cast<py::tuple>();
    const auto status = static_cast<StepStatus>(answer[0].cast<int>());
    if (status != StepStatus::ok) return status;
    read_vector(answer[1], value);
    if (dx == nullptr) return status;
    read_matrix(answer[2], *dx);
    read_matrix(answer[3], *du);
    return status;
  }

  void hint(const Eigen::MatrixXd& states) const {
    if (!hint_) return;
    const WithGil gil;
    (*hint_)(array_of_points(states));
  }

 private:
  HeldFunction call_;
  std::shared_ptr<HeldFunction> hint_;
  Eigen::Index states_, controls_;
};

struct CalledSteps : Called {
  using Called::Called;
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    return ask(x, u, next, nullptr, nullptr);
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    return ask(x, u, next, &dx, &du);
  }
};

struct CalledRates : Called {
  using Called::Called;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const {
    return ask(x, u, rate, nullptr, nullptr);
  }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    return ask(x, u, rate, &dx, &du);
  }
};

/// x' = A x + B u + a
struct LinearSteps {
  Eigen::MatrixXd A, B;
  Eigen::VectorXd a;

  Eigen::Index state_size() const { return A.rows(); }
  Eigen::Index control_size() const { return B.cols(); }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next = A * x + B * u + a;
    return StepStatus::ok;
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    dx = A;
    du = B;
    return step(x, u, next);
  }
};

struct Asked {
  StepStatus status;
  Eigen::VectorXd value;
  Eigen::MatrixXd dx, du;
};

py::tuple tuple_of(Asked asked, bool derivatives) {
  const int status = static_cast<int>(asked.status);
  if (asked.status != StepStatus::ok) return py::make_tuple(status);
  const auto value = array_of(asked.value);
  if (!derivatives) return py::make_tuple(status, value);
  return py::make_tuple(status, value, array_of_matrix(std::move(asked.dx)), array_of_matrix(std::move(asked.du)));
}

/// ask(x, u, asked) without the GIL.
template <class D, class Ask>
py::tuple answer(const D& dynamics, py::handle x, py::handle u, bool derivatives, const Ask& ask) {
  const Eigen::VectorXd state = vector_of(x, dynamics.state_size(), "x");
  const Eigen::VectorXd control = vector_of(u, dynamics.control_size(), "u");
  Asked asked{};
  {
    const WithoutGil release;
    asked.status = ask(state, control, asked);
  }
  return tuple_of(std::move(asked), derivatives);
}

py::tuple step(const std::shared_ptr<Dynamics>& of, py::handle x, py::handle u, bool derivatives) {
  return answer(*of, x, u, derivatives, [&](const Eigen::VectorXd& at, const Eigen::VectorXd& by, Asked& asked) {
    return derivatives ? of->step(at, by, asked.value, asked.dx, asked.du) : of->step(at, by, asked.value);
  });
}

py::tuple rate(const std::shared_ptr<Rates>& of, py::handle x, py::handle u, bool derivatives) {
  return answer(*of, x, u, derivatives, [&](const Eigen::VectorXd& at, const Eigen::VectorXd& by, Asked& asked) {
    return derivatives ? of->rate(at, by, asked.value, asked.dx, asked.du) : of->rate(at, by, asked.value);
  });
}

// (status, states (k + 1, n)): k < K steps where the last failed.
py::tuple rollout(const std::shared_ptr<Dynamics>& of, py::handle x, py::handle controls) {
  const Eigen::VectorXd start = vector_of(x, of->state_size(), "x");
  const Eigen::MatrixXd U = points_from(controls, of->control_size(), "controls");
  Eigen::MatrixXd states(start.size(), U.cols() + 1);
  StepStatus status = StepStatus::ok;
  Eigen::Index k = 0;
  {
    const WithoutGil release;
    states.col(0) = start;
    Eigen::VectorXd now = start, next;
    for (; k < U.cols(); ++k) {
      status = of->step(now, U.col(k), next);
      if (status != StepStatus::ok) break;
      states.col(k + 1) = now = next;
    }
  }
  return py::make_tuple(static_cast<int>(status), array_of_points(states.leftCols(k + 1)));
}

/// Of the states; None: none, which are ones.
Eigen::VectorXd scales_of(const py::object& scales, Eigen::Index states) {
  return scales.is_none() ? Eigen::VectorXd() : vector_of(scales, states, "scales");
}

// (status, x after the step), under control(t) of Python's.
py::tuple followed_step(const std::shared_ptr<Rates>& of, const py::object& control, double time, double step,
                        py::handle x, double tolerance, const py::object& scales) {
  const Eigen::VectorXd sizes = scales_of(scales, of->state_size());
  const HeldFunction held(control);
  const auto followed = [&](double t) {
    const WithGil gil;
    return vector_of(held(t), of->control_size(), "control");
  };
  Asked asked{};
  asked.value = vector_of(x, of->state_size(), "x");
  {
    const WithoutGil release;
    asked.status = runge_kutta_step(RatesOf{of}, followed, time, step, asked.value, tolerance, sizes);
  }
  return tuple_of(std::move(asked), false);
}

template <class D>
void hint(const std::shared_ptr<D>& of, py::handle states) {
  const Eigen::MatrixXd X = points_from(states, of->state_size(), "states");
  const WithoutGil release;
  of->hint(X);
}

}  // namespace

void bind_dynamics(py::module_& m) {
  py::class_<Dynamics, std::shared_ptr<Dynamics>>(m, "Dynamics", "Steps of dynamics, under the class quoin.Dynamics.")
      .def("state_size", &Dynamics::state_size)
      .def("control_size", &Dynamics::control_size)
      .def("step", &step, py::arg("x"), py::arg("u"), py::arg("derivatives"))
      .def("rollout", &rollout, py::arg("x"), py::arg("controls"))
      .def("hint", &hint<Dynamics>, py::arg("states"));
  py::class_<Rates, std::shared_ptr<Rates>>(m, "Rates", "The rate, under the class quoin.ContinuousDynamics.")
      .def("state_size", &Rates::state_size)
      .def("control_size", &Rates::control_size)
      .def("rate", &rate, py::arg("x"), py::arg("u"), py::arg("derivatives"))
      .def("hint", &hint<Rates>, py::arg("states"));
  m.def("called_dynamics", [](const py::object& call, const py::object& hint, Eigen::Index n, Eigen::Index controls) {
    return dynamics_from(CalledSteps(call, hint, n, controls));
  });
  m.def("called_rates", [](const py::object& call, const py::object& hint, Eigen::Index n, Eigen::Index controls) {
    return rates_from(CalledRates(call, hint, n, controls));
  });
  m.def("linear_dynamics", [](const py::object& A, const py::object& B, const py::object& a) {
    const Eigen::Index n = matrix_from(A, -1, -1, "A").rows();
    LinearSteps steps{matrix_from(A, n, n, "A"), matrix_from(B, n, -1, "B"), Eigen::VectorXd::Zero(n)};
    if (!a.is_none()) steps.a = vector_of(a, n, "a");
    return dynamics_from(std::move(steps));
  });
  m.def("runge_kutta", [](const std::shared_ptr<Rates>& of, double duration, int steps, double tolerance,
                          const py::object& scales) {
    return dynamics_from(RungeKutta<RatesOf>({of}, duration, steps, tolerance, scales_of(scales, of->state_size())));
  });
  m.def("runge_kutta_step", &followed_step);
}

}  // namespace quoin::python
