// SPDX-License-Identifier: BSD-3-Clause
// What suggest_surrogate does, step by step.
#pragma once

#include "quoin/choosing/detail/kernel_jets.hpp"
#include "quoin/choosing/detail/met_corners.hpp"
#include "quoin/choosing/suggest_surrogate.hpp"
#include "quoin/kernel/detail/sigma_forecast.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::choosing_detail {

template <int Dim>
class SurrogateSearch {
 public:
  SurrogateSearch(const AdaptiveGrid<Dim>& grid, const Eigen::MatrixXd& points, const SurrogateTask& task)
      : grid_(grid), points_(points), task_(task), differenced_(grid.at_level(0).differenced()) {
    check();
    extent_ = points.rowwise().maxCoeff() - points.rowwise().minCoeff();
    extent_ = (extent_.array() > 0).select(extent_, Point<Dim>::Constant(extent_.maxCoeff())).eval();
    const Eigen::Index stride = (points.cols() + most_places - 1) / most_places;
    places_.resize(Dim, (points.cols() + stride - 1) / stride);
    for (Eigen::Index m = 0; m < places_.cols(); ++m) places_.col(m) = points.col(m * stride);
  }

  SurrogateAdvice<Dim> advice() {
    int samples = task_.samples > 0 ? task_.samples : 4 * (Dim + 2);
    SurrogateAdvice<Dim> advice = advice_from(samples);
    // What few samples foretell of many is often wrong. Those of a kernel that would serve best are no loss.
    for (int look = 0; look < further_looks && task_.samples == 0; ++look) {
      const SurrogateChoice<Dim>& best = advice.choices.front();
      if (best.kind != SurrogateKind::kernel) break;
      const int known = best.order == 0 ? values_->size() : samples;
      if (best.corners < known + 2) break;
      const int half = (known + static_cast<int>(best.corners)) / 2;
      if (best.order == 0)
        take_values(half);
      else
        samples = half;
      advice = advice_from(samples);
    }
    return advice;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Eigen::Index most_places = 400;  // at which a kernel is planned
  static constexpr int most_numbers = 1500;         // that a kernel may know
  static constexpr int most_rounds = 4;             // of a spacing's correction
  static constexpr double min_jitter = 1e-14;       // that a kernel may have
  static constexpr int further_looks = 2;           // at a kernel, each with half of the samples that it lacks
  static constexpr double safety = 2;               // a kernel's: its largest error over that of samples left out

  [[noreturn]] static void refuse(const std::string& why) {
    throw std::invalid_argument("suggest_surrogate<" + to_text(Dim) + ">: " + why);
  }
  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  void check() const {
    if (points_.rows() != Dim || points_.cols() < 2)
      refuse("points of " + shape_text(points_) + ", expected " + to_text(Dim) + " rows and at least 2 columns");
    if (!points_.allFinite()) refuse("points that are not finite");
    if ((points_.colwise() - points_.col(0)).isZero(0)) refuse("points all at " + to_text(Point<Dim>(points_.col(0))));
    if (!(task_.tolerance > 0) || !std::isfinite(task_.tolerance))
      refuse("tolerance " + to_text(task_.tolerance) + " is not positive and finite");
    if (!(task_.queries > 0) || !std::isfinite(task_.queries)) refuse(to_text(task_.queries) + " queries");
    constexpr int most = 200;
    if (task_.samples != 0 && (task_.samples < KernelCalibration::fewest || task_.samples > most))
      refuse(to_text(task_.samples) + " samples, expected " + to_text(KernelCalibration::fewest) + " to " +
             to_text(most) + ", or 0 for 4 (Dim + 2)");
    const int order = grid_.at_level(0).jet_order();
    if (order < 1) refuse("a grid of K = 0 has no derivatives");
    if (task_.costs.size() < static_cast<std::size_t>(order) || task_.costs.size() > 3)
      refuse(to_text(task_.costs.size()) + " costs, for jets up to order " + to_text(order) + " there are " +
             to_text(order) + " to 3");
  }

  SurrogateAdvice<Dim> advice_from(int samples) {
    const KernelInterpolant<Dim> known = take_samples(samples);
    SurrogateAdvice<Dim> advice{.samples = known.size(), .seconds_per_evaluation = seconds_of_f_};
    advice.unexplained = unexplained(known);
    advice.choices.push_back({.evaluations = task_.queries, .seconds = task_.queries * seconds_of_f_});
    if (differenced_) {
      if (!values_) values_.emplace(known.output_size(), 0, known.options());
      values_->insert(known.samples());
    }
    const KernelJets<Dim> model(known.view().samples());
    for (const Resolution<Dim>& resolution : resolutions(known, model))
      advice.choices.push_back(of_grid(resolution, model, advice.resolved()));
    for (int order = values_ ? 0 : 1; advice.resolved() && order <= known.jet_order(); ++order)
      if (const auto choice = of_kernel(order == 0 ? *values_ : known, order)) advice.choices.push_back(*choice);
    std::sort(advice.choices.begin(), advice.choices.end(),
              [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    return advice;
  }

  // On a level whose corners stand where they are wanted, to a thirty-second of the region.
  KernelInterpolant<Dim> take_samples(int samples) {
    const GridOptions<Dim>& lattice = grid_.options();
    const auto finest = extent_.array() / 32;
    int level = 0;
    while (level < lattice.deepest_level && (lattice.spacing.array() * std::ldexp(1, -level) > finest).any()) ++level;

    const double before = grid_.statistics().seconds_in_function;
    const auto start = Clock::now();
    KernelSurrogate<Dim, GridView<Dim>> kernel(grid_.at_level(level), {.output_weights = task_.output_weights});
    const double floor = 2 * std::sqrt(kernel.interpolant().options().jitter);
    kernel.refine_at(places_, {.value = floor, .gradient = floor}, static_cast<std::size_t>(samples));
    const KernelInterpolant<Dim>& known = kernel.interpolant();
    if (known.size() < KernelCalibration::fewest)
      refuse("f answered at " + to_text(known.size()) + " of " + to_text(kernel.exact_evaluations()) +
             " points, at least " + to_text(KernelCalibration::fewest) + " are needed");

    const GridStatistics now = grid_.statistics();
    const double adding = std::max(0.0, since(start) - (now.seconds_in_function - before));
    const auto again = Clock::now();  // whichever was less disturbed
    refitted(known, known.jet_order(), known.options().jitter);
    seconds_of_adding_ = std::min(adding, since(again)) / std::pow(known.size(), 2);
    if (now.exact_evaluations > 0) seconds_of_f_ = now.seconds_in_function / static_cast<double>(now.exact_evaluations);
    return known;
  }

  // Single ones, as a kernel of values takes them, until there are so many.
  void take_values(int count) {
    kernel_detail::SigmaForecast<Dim> forecast(values_->view().samples(), places_);
    std::vector<Eigen::Index> next;
    while (forecast.size() < count)
      if (const auto worst = forecast.take_worst())
        next.push_back(*worst);
      else
        break;
    std::erase_if(next, [&](Eigen::Index m) {
      const auto x = places_.col(m).array();
      return (x < grid_.options().lower.array() || x > grid_.options().upper.array()).any();
    });
    values_->insert(grid_.sample(places_(Eigen::all, next)));
  }

  static KernelInterpolant<Dim> refitted(const KernelInterpolant<Dim>& known, int order, double jitter) {
    KernelOptions<Dim> options = known.options();
    options.jitter = jitter;
    KernelInterpolant<Dim> other(known.output_size(), order, options);
    other.insert(known.samples());
    return other;
  }

  double unexplained(const KernelInterpolant<Dim>& known) const {
    const auto& samples = known.view().samples();
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(known.output_size());
    for (const auto& jet : samples.jets()) mean += jet->col(0) / known.size();
    double errors = 0, differences = 0;
    const auto left_out = samples.clusters_left_out();
    for (const auto& sample : left_out)
      errors += std::pow(sample.value.error, 2) / static_cast<double>(left_out.size());
    for (const auto& jet : samples.jets())
      differences += std::pow(samples.norm()(jet->col(0) - mean), 2) / samples.size();
    return differences > 0 ? std::sqrt(errors / differences) : 0;
  }

  // At a corner without neighbours.
  double values_of_jet(int order) const { return differenced_ && order > 0 ? 1 + 4 * Dim : 1; }

  double seconds_of_jet(int order) const {
    if (order == 0) return seconds_of_f_;
    const auto cost = [&](int k) { return task_.costs[static_cast<std::size_t>(k - 1)]; };
    return seconds_of_f_ * cost(order) / cost(grid_.at_level(0).jet_order());
  }

  // Of f's own third derivatives, or of the kernel's where f gives fewer.
  std::vector<Resolution<Dim>> resolutions(const KernelInterpolant<Dim>& known, const KernelJets<Dim>& model) const {
    std::vector<Eigen::MatrixXd> jets;
    for (int s = 0; s < known.size(); ++s) {
      jets.emplace_back(known.output_size(), jet_size(Dim, 3));
      if (known.jet_order() >= 3)
        jets.back() = known.view().samples().jet(s);
      else
        model.fill(known.point(s), 3, jets.back());
    }
    // A quadratic f shows suggest_resolutions no scale: a cell is as large as the region.
    const auto flat = [&](int degree) {
      return std::ranges::all_of(jets, [&](const Eigen::MatrixXd& jet) {
        return jet.middleCols(jet_size(Dim, degree - 1), jet_size(Dim, degree) - jet_size(Dim, degree - 1)).isZero(0);
      });
    };
    if (flat(2) || flat(3)) {
      std::vector<Resolution<Dim>> one_cell;
      for (int order = 1; order <= known.jet_order(); ++order) one_cell.push_back({.order = order, .spacing = extent_});
      return one_cell;
    }
    std::vector<double> costs = task_.costs;
    costs.resize(static_cast<std::size_t>(known.jet_order()));
    return suggest_resolutions<Dim>(
        jets, task_.tolerance, {.output_weights = task_.output_weights, .costs = costs, .coverage = task_.coverage});
  }

  SurrogateChoice<Dim> of_grid(const Resolution<Dim>& resolution, const KernelJets<Dim>& model, bool resolved) const {
    SurrogateChoice<Dim> choice{.kind = SurrogateKind::grid,
                                .order = resolution.order,
                                .spacing = resolution.spacing,
                                .error = resolution.predicted_error};
    const double query = differenced_        ? try_grid<0>(model, choice)
                         : choice.order == 1 ? try_grid<1>(model, choice)
                         : choice.order == 2 ? try_grid<2>(model, choice)
                                             : try_grid<3>(model, choice);
    const MetCorners met = task_.coverage == Coverage::path
                               ? corners_along<Dim>(points_, grid_.options().origin, choice.spacing, differenced_)
                               : corners_in_box<Dim>(points_.rowwise().minCoeff(), points_.rowwise().maxCoeff(),
                                                     grid_.options().origin, choice.spacing, differenced_);
    choice.corners = met.corners;
    choice.evaluations = met.values;
    choice.seconds = choice.evaluations * seconds_of_jet(choice.order) + task_.queries * query;
    if (resolved) return choice;
    choice.kind = SurrogateKind::grid_tolerance;
    choice.spacing = extent_ / 5;
    choice.error = task_.tolerance;
    return choice;
  }

  // Corrects the spacing by what a grid of the model errs at some of the places. Returns the seconds of a query. K: of
  // f's jets; 0: its gradients are differenced.
  template <int K>
  double try_grid(const KernelJets<Dim>& model, SurrogateChoice<Dim>& choice) const {
    const WeightedNorm norm(model.outputs(), task_.output_weights, "suggest_surrogate");
    const double cell =
        std::ldexp(2e-9, Dim) * static_cast<double>(model.outputs() * model.numbers() * jet_size(Dim, choice.order));
    const auto trials = static_cast<Eigen::Index>(std::clamp(0.2 / cell, 8., 100.));
    double factor = 1;
    for (int round = 0;; ++round) {
      choice.spacing = (factor * choice.spacing).cwiseMin(extent_);
      const AdaptiveGrid<Dim> grid = grid_of<K>(model, choice.spacing);
      Eigen::VectorXd y;
      Eigen::MatrixXd exact(model.outputs(), 1);
      choice.error = 0;
      for (Eigen::Index m = 0; m < trials; ++m) {
        const Point<Dim> x = places_.col(m * places_.cols() / trials);
        grid.evaluate(x, y);
        model.fill(x, 0, exact);
        choice.error = std::max(choice.error, norm(y - exact.col(0)));
      }
      const double relative = choice.error / task_.tolerance;
      factor = std::clamp(std::pow(relative, -1. / (2 * choice.order + 2)), 0.25, 4.);
      const bool met = 0.6 < relative && relative < 1.1;
      const bool as_coarse_as_it_gets = factor > 1 && choice.spacing == extent_;
      if (round == most_rounds || met || as_coarse_as_it_gets) return seconds_of_query(grid);
    }
  }

  template <int K>
  AdaptiveGrid<Dim> grid_of(const KernelJets<Dim>& model, const Point<Dim>& spacing) const {
    const GridOptions<Dim> options{.origin = grid_.options().origin, .spacing = spacing};
    if constexpr (K == 0) {
      const auto value = [&](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { model.fill(x, 0, y); };
      return AdaptiveGrid<Dim>(exact_function_without_derivatives<Dim>(model.outputs(), value), options);
    } else {
      const auto jet = [&](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> all) { model.fill(x, K, all); };
      return AdaptiveGrid<Dim>(exact_jet<Dim, K>(model.outputs(), jet), options);
    }
  }

  template <class Map>
  double seconds_of_query(const Map& map) const {
    constexpr int cells = 8, rounds = 20;
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    const auto ask = [&] {
      for (Eigen::Index c = 0; c < cells; ++c) map.evaluate(places_.col(c * places_.cols() / cells), y, J);
    };
    ask();
    double least = std::numeric_limits<double>::infinity();  // the round that was not disturbed
    for (int round = 0; round < rounds; ++round) {
      const auto start = Clock::now();
      ask();
      least = std::min(least, since(start));
    }
    return least / cells;
  }

  // Errors over sigma of the samples, each left out in turn: their root mean square, and what to expect at worst.
  struct ErrorsOverSigma {
    double typical = 0, expected = 0;
  };
  static ErrorsOverSigma errors_over_sigma(const kernel_detail::KernelSamples<Dim>& samples) {
    double squares = 0, largest = 0;
    const auto left_out = samples.clusters_left_out();
    for (const auto& sample : left_out) {
      const double ratio = sample.value.error / sample.value.sigma;
      squares += ratio * ratio;
      largest = std::max(largest, ratio);
    }
    return {std::sqrt(squares / static_cast<double>(left_out.size())), safety * largest};
  }

  std::optional<SurrogateChoice<Dim>> of_kernel(const KernelInterpolant<Dim>& known, int order) const {
    for (const double jitter : {known.options().jitter, min_jitter}) {
      const bool same = order == known.jet_order() && jitter == known.options().jitter;
      const KernelInterpolant<Dim> kernel = same ? known : refitted(known, order, jitter);
      const auto& samples = kernel.view().samples();
      const ErrorsOverSigma errors = errors_over_sigma(samples);
      const double floor = std::sqrt(jitter);
      if (task_.tolerance < errors.typical * floor) continue;
      const double sigma = std::clamp(task_.tolerance / errors.expected, 2 * floor, 1.0);
      kernel_detail::SigmaForecast<Dim> forecast(samples, places_);
      const double count = forecast.samples_until(
          sigma, std::min(samples.options().localize_above, most_numbers / samples.derivatives()));
      if (!std::isfinite(count)) break;
      const double query = seconds_of_query(kernel.view()) * count / known.size();
      return SurrogateChoice<Dim>{
          .kind = SurrogateKind::kernel,
          .order = order,
          // Values that are chosen for derivatives stand beside each other, and tell little else.
          .threshold = {.value = 2 * floor, .gradient = order == 0 ? 1 : 2 * floor},
          .jitter = jitter,
          .corners = count,
          .evaluations = count * values_of_jet(order),
          .seconds = count * (values_of_jet(order) * seconds_of_jet(order) + seconds_of_adding_ * count) +
                     task_.queries * query,
          .error = errors.expected * forecast.largest()};
    }
    return std::nullopt;
  }

  const AdaptiveGrid<Dim>& grid_;
  const Eigen::MatrixXd& points_;
  const SurrogateTask& task_;
  bool differenced_;        // f gives values alone
  Eigen::MatrixXd places_;  // some of the points
  Point<Dim> extent_;       // of the box around them; along axes without any the largest of the others
  std::optional<KernelInterpolant<Dim>> values_;  // of f and of what was taken beside, where it gives values alone
  double seconds_of_f_ = 0, seconds_of_adding_ = 0;
};

}  // namespace quoin::choosing_detail

namespace quoin {

template <int Dim>
SurrogateAdvice<Dim> suggest_surrogate(const AdaptiveGrid<Dim>& grid, const Eigen::MatrixXd& points,
                                       const SurrogateTask& task) {
  return choosing_detail::SurrogateSearch<Dim>(grid, points, task).advice();
}

}  // namespace quoin
