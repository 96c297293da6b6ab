// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/plane_methods.hpp"

#include "quoin/kernel/kernel_surrogate.hpp"
#include "quoin/quoin.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <memory>

namespace benchmarks {
namespace {

template <class Function>
Surrogate<2> filled_grid(Function f, int cells) {
  GridOptions<2> options;
  options.origin = options.lower = Point<2>::Constant(-2);
  options.upper = Point<2>::Constant(2);
  options.spacing = Point<2>::Constant(4.0 / cells);
  const auto grid = std::make_shared<const AdaptiveGrid<2>>(std::move(f), options);
  Eigen::VectorXd y;
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j)
      grid->evaluate(options.lower + Point<2>((i + 0.5) * options.spacing[0], (j + 0.5) * options.spacing[1]), y);
  return surrogate<2>(static_cast<long>(grid->statistics().exact_evaluations), grid);
}

template <int K>
PlaneMethod jet_grid() {
  return {"`AdaptiveGrid`, K = " + to_text(K), K, 250, [](const SmoothFunction<2>& f, int cells) {
            return filled_grid(
                exact_jet<2, K>(1, [f](const Point<2>& x, Eigen::Ref<Eigen::MatrixXd> jet) { f.jet(x, K, jet); }),
                cells);
          }};
}

/// Samples on a fine lattice.
struct LatticeSampler {
  SmoothFunction<2> f;
  int order;
  Eigen::Index output_size() const { return 1; }
  int jet_order() const { return order; }
  Point<2> nearest_corner(const Point<2>& x) const { return (16 * x).array().round() / 16; }
  void corner_jet(const Point<2>& x, Eigen::MatrixXd& jet) const {
    jet.resize(1, jet_size(2, order));
    f.jet(x, order, jet);
  }
};

PlaneMethod kernel(int order, int largest) {
  return {"kernel, " + (order == 0 ? std::string("values") : to_text(order) + "-jets"), order, largest,
          [order](const SmoothFunction<2>& f, int samples) {
            KernelSurrogate<2, LatticeSampler> grown({f, order}, {.jitter = 1e-14});
            Eigen::MatrixXd wanted(2, 21 * 21);
            for (int m = 0; m < wanted.cols(); ++m) wanted.col(m) << -2 + 0.2 * (m % 21), -2 + 0.2 * (m / 21);
            // down to what the jitter allows
            grown.refine_at(wanted, {.value = 2.1e-7, .gradient = 2.1e-7}, static_cast<std::size_t>(samples));
            return surrogate<2>(static_cast<long>(grown.exact_evaluations()),
                                std::make_shared<const KernelView<2>>(grown.view()));
          }};
}

}  // namespace

std::vector<PlaneMethod> grids_in_the_plane() {
  return {{"`AdaptiveGrid`, values alone", 0, 250,
           [](const SmoothFunction<2>& f, int cells) {
             return filled_grid(exact_function_without_derivatives<2>(
                                    1, [f](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = f(x); }),
                                cells);
           }},
          jet_grid<1>(),
          jet_grid<2>(),
          jet_grid<3>()};
}

std::vector<PlaneMethod> kernels_in_the_plane() { return {kernel(0, 200), kernel(1, 100), kernel(2, 60)}; }

}  // namespace benchmarks
