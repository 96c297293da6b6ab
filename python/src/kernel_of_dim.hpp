// SPDX-License-Identifier: BSD-3-Clause
// AnyKernel for one Dim.
#pragma once

#include "gil.hpp"
#include "grid_of_dim.hpp"
#include "kernel.hpp"
#include "map_of_dim.hpp"
#include "python_interleave.hpp"
#include "python_samples.hpp"
#include "quoin/kernel/interleave.hpp"
#include "quoin/kernel/kernel_surrogate.hpp"
#include "read_option.hpp"

#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin::python {

template <int Dim>
using KernelMap = MapFrom<Dim, KernelView<Dim>>;

template <int Dim>
class InterpolantBase : public AnyKernel {
 public:
  std::shared_ptr<Map> view() const override { return std::make_shared<KernelMap<Dim>>(interpolant().view()); }
  int size() const override { return interpolant().size(); }
  int jet_order() const override { return interpolant().jet_order(); }
  bool local() const override { return interpolant().local(); }
  Eigen::VectorXd length_scale() const override { return interpolant().length_scale(); }
  py::dict samples() const override { return dict_of(interpolant().samples()); }
  py::tuple deviation(const py::object& x) const override {
    const KernelDeviation d = interpolant().deviation(Point<Dim>(vector_of(x, Dim, "x")));
    return py::make_tuple(d.value, d.gradient);
  }

 protected:
  virtual const KernelInterpolant<Dim>& interpolant() const = 0;
};

template <int Dim>
class Interpolant final : public InterpolantBase<Dim> {
 public:
  explicit Interpolant(KernelInterpolant<Dim> kernel) : kernel_(std::move(kernel)) {}

  void add(const py::object& x, const py::object& jet) override {
    const Point<Dim> point = vector_of(x, Dim, "x");
    Eigen::MatrixXd numbers(kernel_.output_size(), jet_size(Dim, kernel_.jet_order()));
    read_jet(jet, numbers);
    const WithoutGil release;
    kernel_.add(point, numbers);
  }
  py::dict insert(const py::dict& dict) override {
    const Samples<Dim> samples = samples_of<Dim>(dict);
    return dict_of([&] {
      const WithoutGil release;
      return kernel_.insert(samples);
    }());
  }
  py::dict refine_at(const py::object&, double, double, const py::object&) override { return no_function(); }
  py::dict interleave(const py::object&, const py::object&, const py::dict&, const py::object&) override {
    return no_function();
  }

 private:
  const KernelInterpolant<Dim>& interpolant() const override { return kernel_; }
  [[noreturn]] static py::dict no_function() {
    throw std::logic_error("a kernel interpolant has no function to sample: make a KernelSurrogate");
  }

  KernelInterpolant<Dim> kernel_;
};

template <int Dim>
class Surrogate final : public InterpolantBase<Dim> {
 public:
  Surrogate(GridView<Dim> sampler, const KernelOptions<Dim>& options) : kernel_(std::move(sampler), options) {}

  void add(const py::object&, const py::object&) override { samples_itself(); }
  py::dict insert(const py::dict&) override { return samples_itself(); }
  py::dict refine_at(const py::object& array, double value, double gradient, const py::object& allowed) override {
    const Eigen::MatrixXd X = points_of(array);
    const auto most = allowed.is_none() ? std::numeric_limits<std::size_t>::max() : allowed.cast<std::size_t>();
    const KernelRefinement r = [&] {
      const WithoutGil release;
      return kernel_.refine_at(X, {.value = value, .gradient = gradient}, most);
    }();
    using namespace py::literals;
    return py::dict("added"_a = r.added, "failed"_a = r.failed, "unreachable"_a = r.unreachable, "above"_a = r.above,
                    "over_budget"_a = r.over_budget, "largest"_a = py::make_tuple(r.largest.value, r.largest.gradient));
  }
  py::dict interleave(const py::object& solve, const py::object& guess, const py::dict& dict,
                      const py::object& show) override {
    using Schedule = KernelSchedule<PythonIterate>;
    Callbacks calls;
    auto options = interleave_options_of<Schedule>(dict, calls);
    const auto schedule = dict["schedule"].cast<py::tuple>();
    options.schedule.points = std::exchange(options.points, nullptr);
    options.schedule.stages.clear();
    for (const auto& [value, gradient] : schedule[1].cast<std::vector<std::pair<double, double>>>())
      options.schedule.stages.push_back({.value = value, .gradient = gradient});
    options.schedule.rounds_per_stage = schedule[2].cast<int>();
    options.schedule.tolerance = schedule[3].cast<double>();
    options.schedule.jacobian_tolerance = schedule[4].cast<double>();
    const auto solver = [&](const KernelView<Dim>& view, const py::object& iterate) {
      const py::object shown = calls.call(show, PyMap(std::make_shared<KernelMap<Dim>>(view), py::none()));
      return solver_result_of(calls.call(solve, shown, iterate));
    };
    return dict_of(quoin::interleave(kernel_, solver, iterate_of(guess), options), calls);
  }

 private:
  const KernelInterpolant<Dim>& interpolant() const override { return kernel_.interpolant(); }
  [[noreturn]] static py::dict samples_itself() {
    throw std::logic_error("a kernel surrogate samples its function itself: refine_at");
  }

  KernelSurrogate<Dim, GridView<Dim>> kernel_;
};

template <int Dim>
KernelOptions<Dim> kernel_options_of(const py::dict& dict) {
  KernelOptions<Dim> options;
  read_point<Dim>(dict, "length_scale", options.length_scale);
  read(dict, "jitter", options.jitter);
  read(dict, "localize_above", options.localize_above);
  read(dict, "neighbours", options.neighbours);
  read_point<Dim>(dict, "lower", options.lower);
  read_point<Dim>(dict, "upper", options.upper);
  if (!dict["output_weights"].is_none()) {
    const auto weights = as_doubles(dict["output_weights"], "output_weights");
    options.output_weights = Eigen::Map<const Eigen::VectorXd>(weights.data(), weights.size());
  }
  return options;
}

template <int Dim>
std::shared_ptr<AnyKernel> make_kernel_of(const py::object& sampler, const py::dict& dict) {
  const KernelOptions<Dim> options = kernel_options_of<Dim>(dict);
  if (sampler.is_none())
    return std::make_shared<Interpolant<Dim>>(
        KernelInterpolant<Dim>(option<Eigen::Index>(dict, "outputs"), option<int>(dict, "jet_order"), options));
  const auto view = std::dynamic_pointer_cast<View<Dim>>(map_of(sampler).map);
  if (!view) throw py::type_error("KernelSurrogate: the sampler is no view of a grid");
  return std::make_shared<Surrogate<Dim>>(view->view(), options);
}

template <int Dim>
std::shared_ptr<Map> kernel_functional_of(const Map& view, const Eigen::MatrixXd& C) {
  const auto* kernel = dynamic_cast<const KernelMap<Dim>*>(&view);
  if (kernel == nullptr) throw py::type_error("this map is no view of a kernel");
  return std::make_shared<KernelMap<Dim>>(kernel->map().linear_output(C));
}

}  // namespace quoin::python
