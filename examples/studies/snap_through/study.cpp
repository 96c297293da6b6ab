// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/study.hpp"

#include "quoin/quoin.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace studies::branches {
namespace {

using Eigen::VectorXd;

double mean_size(const VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); }

/// The exact results at a query point.
struct Truth {
  Point<2> x;
  VectorXd f;
  std::vector<VectorXd> equilibria;
};

std::optional<double> jump_on_row(const AnyBody& body, const Setup& setup, double beside) {
  const auto label = [&](double at) { return lowest_equilibrium(body, on_row(setup, at, beside)).branch; };
  double low = setup.lower[setup.jump_axis], high = setup.upper[setup.jump_axis];
  const int low_label = label(low);
  if (label(high) == low_label) return std::nullopt;
  for (int i = 0; i < 16; ++i) {
    const double middle = (low + high) / 2;
    (label(middle) == low_label ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The equilibrium with a label, at a point where both branches exist.
std::optional<Equilibrium> of_branch(const AnyBody& body, const Point<2>& x, int label) {
  for (Equilibrium& equilibrium : equilibria(body, x))
    if (equilibrium.branch == label) return std::move(equilibrium);
  return std::nullopt;
}

void find_curves(const AnyBody& body, Result& result) {
  const Setup& setup = result.setup;
  const int other = 1 - setup.jump_axis;
  for (int i = 0; i < setup.curve_points; ++i) {
    const double part = static_cast<double>(i) / (setup.curve_points - 1);
    const double beside = (1 - part) * setup.lower[other] + part * setup.upper[other];
    const auto at = jump_on_row(body, setup, beside);
    if (!at) continue;
    const Point<2> point = on_row(setup, *at, beside);
    result.maxwell.push_back(point);
    for (int b = 0; setup.fold_step > 0 && b < 2; ++b) {
      const auto start = of_branch(body, point, setup.branches[b].label);
      for (const double bound : {setup.lower[setup.jump_axis], setup.upper[setup.jump_axis]}) {
        if (!start) continue;
        const Point<2> end = on_row(setup, bound, beside);
        const double part_known = fold(body, point, *start, end, setup.fold_step, 1e-4);
        if (part_known < 1) result.folds[b].push_back((1 - part_known) * point + part_known * end);
      }
    }
  }
}

/// Both branches along the line, each followed outward from the jump.
std::vector<Truth> follow_line(const AnyBody& body, Result& result) {
  const Setup& setup = result.setup;
  const int points = setup.line_points;
  result.line.setLinSpaced(points, setup.lower[setup.jump_axis], setup.upper[setup.jump_axis]);
  std::vector<Truth> truths(static_cast<std::size_t>(points));
  std::vector<double> least(static_cast<std::size_t>(points), std::numeric_limits<double>::infinity());
  const auto middle = std::lower_bound(result.line.begin(), result.line.end(), result.jump_point[setup.jump_axis]);
  const int first = static_cast<int>(middle - result.line.begin());
  for (int b = 0; b < 2; ++b) {
    result.line_observed[b].setConstant(points, std::numeric_limits<double>::quiet_NaN());
    for (const int direction : {1, -1}) {
      VectorXd last = result.at_jump[b].y;
      for (int i = direction > 0 ? first : first - 1; i >= 0 && i < points; i += direction) {
        Truth& truth = truths[static_cast<std::size_t>(i)];
        truth.x = on_row(setup, result.line[i], setup.line_at);
        const auto at = body.settle(last, truth.x);
        if (!at || at->branch != setup.branches[b].label) break;
        last = at->y;
        result.line_observed[b][i] = setup.observable * at->y;
        truth.equilibria.push_back(at->y);
        if (at->energy >= least[static_cast<std::size_t>(i)]) continue;
        least[static_cast<std::size_t>(i)] = at->energy;
        truth.f = at->y;
      }
    }
  }
  return truths;
}

std::vector<Truth> random_truths(const AnyBody& body, const Setup& setup) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  std::vector<Truth> truths;
  for (int i = 0; i < setup.queries; ++i) {
    Truth& truth = truths.emplace_back();
    for (int k = 0; k < 2; ++k) truth.x[k] = setup.lower[k] + uniform(random) * (setup.upper[k] - setup.lower[k]);
    double least = std::numeric_limits<double>::infinity();
    for (Equilibrium& at : equilibria(body, truth.x)) {
      if (at.energy < least) truth.f = at.y;
      least = std::min(least, at.energy);
      truth.equilibria.push_back(std::move(at.y));
    }
  }
  return truths;
}

Query ask(const GridView<2>& view, const Truth& truth, const Result& result) {
  VectorXd y;
  Query query{.x = truth.x, .answer = view.evaluate(truth.x, y)};
  query.error = mean_size(y - truth.f) / result.jump;
  query.estimate = query.answer.error / result.jump;
  query.off_equilibrium = std::numeric_limits<double>::infinity();
  for (const VectorXd& equilibrium : truth.equilibria)
    query.off_equilibrium = std::min(query.off_equilibrium, mean_size(y - equilibrium) / result.jump);
  query.observed = result.setup.observable * y;
  return query;
}

std::vector<Leaf> leaves_of(const Case& grid, const Setup& setup) {
  std::set<std::tuple<int, long, long>> seen;
  std::vector<Leaf> leaves;
  for (const Query& query : grid.queries) {
    const Point<2> h = std::ldexp(1.0, -query.answer.level) * setup.spacing;
    const Point<2> cell = query.x.cwiseQuotient(h).array().floor();
    if (!seen.emplace(query.answer.level, std::lround(cell[0]), std::lround(cell[1])).second) continue;
    const Point<2> lower = cell.cwiseProduct(h);
    leaves.push_back({lower, lower + h, query.answer.trust});
  }
  return leaves;
}

/// The function under all grids of a study, evaluated once per point. The evaluations that a grid saves
/// are counted by the grid itself.
class Remembered {
 public:
  explicit Remembered(const AnyBody& body) : body_(body) {}
  const Equilibrium& operator()(const Point<2>& x) {
    const auto [at, is_new] = known_.try_emplace({x[0], x[1]});
    if (is_new) at->second = lowest_equilibrium(body_, x);
    return at->second;
  }

 private:
  const AnyBody& body_;
  std::map<std::pair<double, double>, Equilibrium> known_;
};

Case run(Remembered& lowest_at, const Result& result, Case grid_case, BranchPolicy policy,
         const std::vector<Truth>& random, const std::vector<Truth>& line) {
  const Setup& setup = result.setup;
  GridOptions<2> options;
  options.spacing = setup.spacing;
  options.lower = setup.lower;
  options.upper = setup.upper;
  options.on_branches = policy;
  // Without labels the tolerance cannot be met at the jump: the refinement needs a limit.
  options.deepest_level = setup.level + 4;
  options.branch_splits = grid_case.tolerance_mode ? options.deepest_level : 3;

  std::vector<std::pair<Point<2>, int>> called;
  const auto f = exact_function<2>(
      random.front().f.size(), [&](const Point<2>& x, Eigen::Ref<VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
        const Equilibrium& lowest = lowest_at(x);
        y = lowest.y;
        J = lowest.J;
        called.emplace_back(x, lowest.branch);
        return grid_case.labels ? lowest.branch : 0;
      });
  const AdaptiveGrid<2> grid(f, options);
  const GridView<2> view = grid_case.tolerance_mode ? grid.at_level(0).at_tolerance(setup.tolerance * result.jump)
                                                    : grid.at_level(setup.level);
  for (const Truth& truth : random) grid_case.queries.push_back(ask(view, truth, result));
  grid_case.evaluations = static_cast<long>(grid.statistics().exact_evaluations);
  grid_case.calls = grid_case.evaluations - static_cast<long>(grid.statistics().corners);
  for (const auto& [x, label] : called) {
    const Point<2> units = (x - setup.lower).cwiseQuotient(setup.spacing) * std::ldexp(1.0, options.deepest_level);
    if ((units - units.array().round().matrix()).lpNorm<Eigen::Infinity>() < 1e-6)
      grid_case.corners.emplace_back(x, label);
  }
  grid_case.leaves = leaves_of(grid_case, setup);
  for (const Truth& truth : line) grid_case.line.push_back(ask(view, truth, result));
  return grid_case;
}

}  // namespace

double Case::share(Trust trust) const {
  const auto count =
      std::count_if(queries.begin(), queries.end(), [&](const Query& query) { return query.answer.trust == trust; });
  return static_cast<double>(count) / static_cast<double>(queries.size());
}

double Case::worst(Trust trust, double Query::*what) const {
  double worst = 0;
  for (const Query& query : queries)
    if (query.answer.trust == trust) worst = std::max(worst, query.*what);
  return worst;
}

double Case::share_wrong(double least) const {
  const auto count = std::count_if(queries.begin(), queries.end(), [&](const Query& query) {
    return query.error > least && query.off_equilibrium <= least;
  });
  return static_cast<double>(count) / static_cast<double>(queries.size());
}

double Case::share_over_estimate() const {
  const auto count =
      std::count_if(queries.begin(), queries.end(), [](const Query& query) { return query.error > query.estimate; });
  return static_cast<double>(count) / static_cast<double>(queries.size());
}

double Case::share_off(double least) const {
  const auto count =
      std::count_if(queries.begin(), queries.end(), [&](const Query& query) { return query.off_equilibrium > least; });
  return static_cast<double>(count) / static_cast<double>(queries.size());
}

double Case::median_error(Trust trust) const {
  std::vector<double> errors;
  for (const Query& query : queries)
    if (query.answer.trust == trust) errors.push_back(query.error);
  if (errors.empty()) return 0;
  std::nth_element(errors.begin(), errors.begin() + errors.size() / 2, errors.end());
  return errors[errors.size() / 2];
}

Point<2> on_row(const Setup& setup, double at, double beside) {
  return setup.jump_axis == 0 ? Point<2>(at, beside) : Point<2>(beside, at);
}

Result study(const AnyBody& body, const Setup& setup) {
  Result result{.setup = setup};
  const auto jump = jump_on_row(body, setup, setup.line_at);
  if (!jump) throw std::runtime_error("the line of queries of " + setup.name + " crosses no jump");
  result.jump_point = on_row(setup, *jump, setup.line_at);
  for (int b = 0; b < 2; ++b) {
    const auto at = of_branch(body, result.jump_point, setup.branches[b].label);
    if (!at) throw std::runtime_error("a branch of " + setup.name + " is missing at the jump");
    result.at_jump[b] = *at;
  }
  result.jump = mean_size(result.at_jump[0].y - result.at_jump[1].y);
  find_curves(body, result);

  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Truth> random = random_truths(body, setup);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  result.seconds_per_evaluation = spent.count() / setup.queries;
  const std::vector<Truth> line = follow_line(body, result);

  Remembered lowest_at(body);
  const auto add = [&](const Case& grid_case, BranchPolicy policy) {
    result.cases.push_back(run(lowest_at, result, grid_case, policy, random, line));
  };
  add({.key = "unlabelled", .name = "no labels", .labels = false}, BranchPolicy::nearest_corner);
  add({.key = "nearest", .name = "labels, nearest corner"}, BranchPolicy::nearest_corner);
  add({.key = "call", .name = "labels, f called"}, BranchPolicy::call_function);
  add({.key = "unlabelled_tolerance", .name = "no labels, tolerance", .labels = false, .tolerance_mode = true},
      BranchPolicy::nearest_corner);
  add({.key = "nearest_tolerance", .name = "labels, tolerance, nearest corner", .tolerance_mode = true},
      BranchPolicy::nearest_corner);
  add({.key = "call_tolerance", .name = "labels, tolerance, f called", .tolerance_mode = true},
      BranchPolicy::call_function);
  return result;
}

}  // namespace studies::branches
