// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/box_methods.hpp"

#include "benchmarks/alternatives/chebyshev_interpolant.hpp"
#include "benchmarks/alternatives/gradient_kriging.hpp"
#include "benchmarks/alternatives/gradient_polynomial.hpp"
#include "benchmarks/alternatives/leja_sparse_grid.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

namespace benchmarks {

Method chebyshev(const Workload& w) {
  return {"Chebyshev, dense", 1, [&w, n = 1]() mutable -> std::optional<Stage> {
            n = std::max(n + 1, static_cast<int>(1.1 * n));
            if (std::pow(n, w.f.dim) > static_cast<double>(w.budget)) return {};
            const auto count = std::make_shared<long>(0);
            const auto map = std::make_shared<ChebyshevInterpolant>(counted(w.f, count), w.box, n);
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

Method sparse_grid(const Workload& w) {
  const auto count = std::make_shared<long>(0);
  const auto map = std::make_shared<LejaSparseGrid>(counted(w.f, count), w.box);
  return {"sparse grid, R-Leja", 1, [&w, count, map]() -> std::optional<Stage> {
            const long wanted = std::max(*count + 1, *count * 6 / 5);
            if (wanted > std::min(w.budget, 6000L)) return {};
            map->refine(wanted);
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

Method polynomial(const Workload& w) {
  return {"polynomial, gradients", 1 + w.f.dim, [&w, degree = 0]() mutable -> std::optional<Stage> {
            if (GradientPolynomial::coefficients(w.f.dim, ++degree) > w.most_rows) return {};
            const auto count = std::make_shared<long>(0);
            const auto map = std::make_shared<GradientPolynomial>(counted(w.f, count), w.box, degree);
            if (*count > w.budget) return {};
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

Method kriging(const Workload& w, bool gradients, bool on_path, const SampleRecord& record) {
  const auto count = std::make_shared<long>(0);
  const Eigen::MatrixXd candidates = on_path ? w.queries(Eigen::all, Eigen::seq(0, w.queries.cols() - 1, 2)).eval()
                                             : halton_points(w.box, gradients ? 800 : 1200);
  const auto map = std::make_shared<GradientKriging>(counted(w.f, count), candidates,
                                                     0.5 * (w.box.upper - w.box.lower).mean(), gradients);
  const int rows = gradients ? 1 + w.f.dim : 1;
  return {std::string("kriging, ") + (gradients ? "gradients" : "values") + (on_path ? ", on the path" : ""), rows,
          [&w, count, map, rows, record]() -> std::optional<Stage> {
            const long wanted = std::max(*count + 1, *count * 6 / 5);
            if (wanted > w.budget || wanted * rows > w.most_rows || !map->refine(wanted)) return {};
            if (wanted > 2) map->tune();
            map->fit();
            if (record) record->push_back(map->points());
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

}  // namespace benchmarks
