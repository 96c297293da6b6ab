// SPDX-License-Identifier: BSD-3-Clause
// Excitations, motions from logs, and iterative learning.
#include "../bindings.hpp"
#include "motions.hpp"
#include "quoin/robots/identification/bretschneider_wave.hpp"
#include "quoin/robots/identification/iterative_learning.hpp"
#include "quoin/robots/identification/sine_excitation.hpp"
#include "quoin/robots/identification/smoothed_motion.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace quoin::python {

void bind_output_error(py::module_& module);
void bind_linear_systems(py::module_& module);
void bind_inertias(py::module_& module);
void bind_forces(py::module_& module);

namespace {

using namespace identification;

BretschneiderWave wave_of(int waves, double peak, double height, double lowest, double highest, std::uint64_t seed) {
  return BretschneiderWave({.waves = waves,
                            .peak_frequency = peak,
                            .significant_height = height,
                            .lowest = lowest,
                            .highest = highest,
                            .seed = seed});
}

/// f at each of the times (M,).
template <class F>
py::array_t<double> along(const py::object& times, const F& f) {
  const Eigen::VectorXd at = any_vector(times, "time");
  return array_of(at.unaryExpr(f));
}

// (q, qd, qdd), (M, n) each
py::tuple sines(const py::object& amplitudes, const py::object& periods, const py::object& times) {
  const SineExcitation excitation{.amplitudes = any_vector(amplitudes, "amplitudes"),
                                  .periods = any_vector(periods, "periods")};
  const Eigen::VectorXd at = any_vector(times, "time");
  const Eigen::Index n = excitation.amplitudes.size();
  Eigen::MatrixXd q(n, at.size()), qd(n, at.size()), qdd(n, at.size());
  for (Eigen::Index k = 0; k < at.size(); ++k) {
    const JointReference now = excitation.at(at[k]);
    q.col(k) = now.q;
    qd.col(k) = now.qd;
    qdd.col(k) = now.qdd;
  }
  return py::make_tuple(array_of_points(std::move(q)), array_of_points(std::move(qd)), array_of_points(std::move(qdd)));
}

/// What a caller's inversion answers, with its prediction.
struct Inputs {
  py::object of;
  double predicted_miss = 0;
};

std::optional<py::object> unless_none(py::object object) {
  if (object.is_none()) return std::nullopt;
  return object;
}

py::object or_none(const std::optional<py::object>& object) { return object ? *object : py::none(); }

// All parts are Python's, and may be changed by none of another thread: the GIL is kept, and given up by Python.
// (model, [round], stop)
py::tuple learned(const py::object& model, const py::dict& parts, int max_runs, int max_replans, double max_miss) {
  const py::object plan = parts["plan"], invert = parts["invert"], run = parts["run"], met = parts["met"],
                   identify = parts["identify"];
  const auto result = iterative_learning<py::object, Inputs, py::object>(
      model, {.max_runs = max_runs, .max_replans = max_replans, .max_miss = max_miss},
      [&](const py::object& now, const PlanAttempt<Inputs>& attempt) {
        const py::object refused = attempt.refused ? attempt.refused->of : py::none();
        return unless_none(plan(now, attempt.round, attempt.replan, refused));
      },
      [&](const py::object& now, const py::object& found) {
        const py::tuple answer = invert(now, found);
        return Inputs{answer[0], answer[1].cast<double>()};
      },
      [&](const Inputs& inputs) { return unless_none(run(inputs.of)); },
      [&](const py::object& seen) { return met(seen).cast<bool>(); },
      [&](const py::object& now, const std::vector<py::object>& all) {
        py::list recordings;
        for (const py::object& one : all) recordings.append(one);
        return unless_none(identify(now, recordings));
      });
  py::list rounds;
  for (const auto& round : result.rounds)
    rounds.append(py::make_tuple(round.planned, round.failures, or_none(round.plan),
                                 round.inputs ? round.inputs->of : py::none(), round.predicted_miss,
                                 or_none(round.recording), round.met, round.identified));
  return py::make_tuple(result.model, rounds, static_cast<int>(result.stop));
}

}  // namespace

void bind_identification(py::module_& m) {
  py::class_<BretschneiderWave>(m, "BretschneiderWave", "The wave under the class BretschneiderWave.")
      .def(py::init(&wave_of), py::arg("waves"), py::arg("peak_frequency"), py::arg("significant_height"),
           py::arg("lowest"), py::arg("highest"), py::arg("seed"))
      .def(
          "at",
          [](const BretschneiderWave& wave, const py::object& times) {
            return along(times, [&](double t) { return wave.at(t); });
          },
          py::arg("times"))
      .def(
          "rate",
          [](const BretschneiderWave& wave, const py::object& times) {
            return along(times, [&](double t) { return wave.rate(t); });
          },
          py::arg("times"))
      .def("variance", &BretschneiderWave::variance)
      .def("amplitudes", [](const BretschneiderWave& wave) { return array_of(wave.amplitudes().matrix()); })
      .def("frequencies", [](const BretschneiderWave& wave) { return array_of(wave.frequencies().matrix()); })
      .def("phases", [](const BretschneiderWave& wave) { return array_of(wave.phases().matrix()); });
  m.def("bretschneider_spectrum", [](const py::object& frequencies, double peak, double height) {
    return along(frequencies, [&](double frequency) { return bretschneider_spectrum(frequency, peak, height); });
  });
  m.def("sines", &sines, py::arg("amplitudes"), py::arg("periods"), py::arg("times"));
  m.def("smoothed_motion", [](const py::object& q, const py::object& tau, double time_step, int half_window) {
    return tuple_of(smoothed_motion(points_from(q, -1, "q"), points_from(tau, -1, "tau"), time_step, half_window));
  });
  m.def("normalized_errors", [](const py::object& predicted, const py::object& measured) {
    return array_of(normalized_errors(points_from(predicted, -1, "predicted"), points_from(measured, -1, "measured")));
  });
  m.def("iterative_learning", &learned, py::arg("model"), py::arg("parts"), py::arg("max_runs"), py::arg("max_replans"),
        py::arg("max_miss"));
  bind_output_error(m);
  bind_linear_systems(m);
  bind_inertias(m);
  bind_forces(m);
}

}  // namespace quoin::python
