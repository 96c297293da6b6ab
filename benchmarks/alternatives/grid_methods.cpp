// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/grid_methods.hpp"

#include "quoin/quoin.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace benchmarks {
namespace {

/// A grid in level mode: one spacing after the other, each on a fresh grid. On a box the grid has the box as its domain
/// and fills it; on a path its domain is unbounded, and it evaluates only the corners that the path meets.
template <int Dim, class MakeFunction>
std::function<std::optional<Stage>()> grid_stages(const Workload& w, MakeFunction make) {
  return [&w, make, step = 0]() mutable -> std::optional<Stage> {
    while (true) {
      GridOptions<Dim> options;
      Eigen::MatrixXd wanted = w.queries;
      if (w.path) {
        options.spacing.setConstant(w.largest_spacing * std::exp2(-0.5 * step++));
      } else {
        const int cells = step < 4 ? step + 1 : static_cast<int>(std::lround(4 * std::exp2((step - 3) / 3.0)));
        ++step;
        double corners = 1;
        for (int i = 0; i < Dim; ++i) corners *= cells + 1;
        if (corners > static_cast<double>(w.budget)) return {};
        options.origin = options.lower = w.box.lower;
        options.upper = w.box.upper;
        options.spacing = (w.box.upper - w.box.lower) / cells;
        wanted.resize(Dim, static_cast<Eigen::Index>(std::lround(std::pow(cells, Dim))));
        for (Eigen::Index c = 0; c < wanted.cols(); ++c) {
          Eigen::Index rest = c;
          for (int i = 0; i < Dim; ++i, rest /= cells)
            wanted(i, c) = options.lower[i] + (static_cast<double>(rest % cells) + 0.5) * options.spacing[i];
        }
      }
      const auto count = std::make_shared<long>(0);
      const auto grid = std::make_shared<AdaptiveGrid<Dim>>(make(counted(w.f, count)), options);
      for (Eigen::Index c = 0; c < wanted.cols(); c += 16) {
        grid->prefetch(wanted.middleCols(c, std::min<Eigen::Index>(16, wanted.cols() - c)));
        if (*count > w.budget) return {};
      }
      // If f has no answer at a corner at this spacing, the next one is tried.
      if (grid->statistics().failed_corners > 0) continue;
      return Stage{*count, [grid](const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
                     grid->evaluate(Point<Dim>(x), y, J);
                   }};
    }
  };
}

template <int Dim, int K>
Method jet_grid(const Workload& w) {
  return {"grid, K = " + to_text(K), jet_size(Dim, K), grid_stages<Dim>(w, [](const SampledFunction& f) {
            return exact_jet<Dim, K>(
                f.outputs, [f](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) { f.sample(x, K, jet); });
          })};
}

/// A grid in tolerance mode, K = 1: one tolerance after the other from the largest spacing, each on a fresh grid.
template <int Dim>
Method grid_to_tolerance(const Workload& w) {
  return {"grid to a tolerance, K = 1", 1 + Dim, [&w, step = 0]() mutable -> std::optional<Stage> {
            if (step == 16) return {};
            GridOptions<Dim> options;
            options.spacing.setConstant(w.largest_spacing);
            options.tolerance = 0.1 * std::exp2(-1.5 * step++);
            const auto count = std::make_shared<long>(0);
            const auto grid = std::make_shared<AdaptiveGrid<Dim>>(
                exact_jet<Dim, 1>(w.f.outputs,
                                  [f = counted(w.f, count)](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
                                    f.sample(x, 1, jet);
                                  }),
                options);
            Eigen::VectorXd y;
            for (Eigen::Index m = 0; m < w.queries.cols(); ++m) {
              grid->evaluate(Point<Dim>(w.queries.col(m)), y);
              if (*count > w.budget) return {};
            }
            return Stage{*count, [grid](const Eigen::VectorXd& x, Eigen::VectorXd& values, Eigen::MatrixXd& J) {
                           grid->evaluate(Point<Dim>(x), values, J);
                         }};
          }};
}

}  // namespace

template <int Dim>
std::vector<Method> grids(const Workload& w) {
  std::vector<Method> methods;
  methods.push_back({"grid, values only", 1, grid_stages<Dim>(w, [](const SampledFunction& f) {
                       return exact_function_without_derivatives<Dim>(
                           f.outputs, [f](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { f.sample(x, 0, y); });
                     })});
  methods.push_back(jet_grid<Dim, 1>(w));
  methods.push_back(jet_grid<Dim, 2>(w));
  if (w.f.largest_order >= 3) methods.push_back(jet_grid<Dim, 3>(w));
  if (w.path) methods.push_back(grid_to_tolerance<Dim>(w));
  return methods;
}

template std::vector<Method> grids<2>(const Workload&);
template std::vector<Method> grids<3>(const Workload&);
template std::vector<Method> grids<4>(const Workload&);
template std::vector<Method> grids<6>(const Workload&);

}  // namespace benchmarks
