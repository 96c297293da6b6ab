// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/plane_methods.hpp"

#ifdef QUOIN_HAS_GSL
#include <gsl/gsl_spline2d.h>
#endif
#ifdef QUOIN_HAS_CERES
#include <ceres/cubic_interpolation.h>
#endif

#include <memory>
#include <vector>

namespace benchmarks {
namespace {

#if defined(QUOIN_HAS_GSL) || defined(QUOIN_HAS_CERES)
/// Values on the nodes of `cells` cells an axis and of some more around the box, which interpolants from differences of
/// values need for its edge; they count as evaluations.
struct Nodes {
  double spacing;
  int around, count;           // count: an axis
  std::vector<double> values;  // the second coordinate outermost

  Nodes(const SmoothFunction<2>& f, int cells, int rings)
      : spacing(4.0 / cells), around(rings), count(cells + 1 + 2 * rings) {
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < count; ++i) values.push_back(f({at(i), at(j)}));
  }
  double at(int i) const { return -2 + spacing * (i - around); }
};
#endif

}  // namespace

#ifdef QUOIN_HAS_GSL
namespace {

class GslBicubic {
 public:
  explicit GslBicubic(const Nodes& nodes)
      : spline_(gsl_spline2d_alloc(gsl_interp2d_bicubic, static_cast<std::size_t>(nodes.count),
                                   static_cast<std::size_t>(nodes.count)),
                gsl_spline2d_free) {
    std::vector<double> axis;
    for (int i = 0; i < nodes.count; ++i) axis.push_back(nodes.at(i));
    gsl_spline2d_init(spline_.get(), axis.data(), axis.data(), nodes.values.data(), axis.size(), axis.size());
  }
  void operator()(const PointsOf<2>& x, Eigen::VectorXd& values, PointsOf<2>& gradients) const {
    for (Eigen::Index m = 0; m < x.cols(); ++m) {
      values[m] = gsl_spline2d_eval(spline_.get(), x(0, m), x(1, m), cell_0_.get(), cell_1_.get());
      gradients(0, m) = gsl_spline2d_eval_deriv_x(spline_.get(), x(0, m), x(1, m), cell_0_.get(), cell_1_.get());
      gradients(1, m) = gsl_spline2d_eval_deriv_y(spline_.get(), x(0, m), x(1, m), cell_0_.get(), cell_1_.get());
    }
  }

 private:
  using Accelerator = std::unique_ptr<gsl_interp_accel, void (*)(gsl_interp_accel*)>;
  std::unique_ptr<gsl_spline2d, void (*)(gsl_spline2d*)> spline_;
  Accelerator cell_0_{gsl_interp_accel_alloc(), gsl_interp_accel_free};
  Accelerator cell_1_{gsl_interp_accel_alloc(), gsl_interp_accel_free};
};

}  // namespace

PlaneMethod gsl_bicubic() {
  return {"GSL `gsl_interp2d_bicubic`", 0, 1500, [](const SmoothFunction<2>& f, int cells) {
            const Nodes nodes(f, cells, 2);
            const auto spline = std::make_shared<const GslBicubic>(nodes);
            return Surrogate<2>{static_cast<long>(nodes.values.size()),
                                [spline](const PointsOf<2>& x, Eigen::VectorXd& values, PointsOf<2>& gradients) {
                                  (*spline)(x, values, gradients);
                                }};
          }};
}
#endif

#ifdef QUOIN_HAS_CERES
PlaneMethod ceres_bicubic() {
  return {"Ceres `BiCubicInterpolator`", 0, 1500, [](const SmoothFunction<2>& f, int cells) {
            const auto nodes = std::make_shared<const Nodes>(f, cells, 1);
            using Grid = ceres::Grid2D<double>;
            const auto grid = std::make_shared<const Grid>(nodes->values.data(), 0, nodes->count, 0, nodes->count);
            return Surrogate<2>{static_cast<long>(nodes->values.size()),
                                [nodes, grid](const PointsOf<2>& x, Eigen::VectorXd& values, PointsOf<2>& gradients) {
                                  const ceres::BiCubicInterpolator<Grid> interpolator(*grid);
                                  const double per = 1 / nodes->spacing, edge = nodes->at(0);
                                  for (Eigen::Index m = 0; m < x.cols();
                                       ++m) {  // rows of values are the second coordinate
                                    interpolator.Evaluate((x(1, m) - edge) * per, (x(0, m) - edge) * per, &values[m],
                                                          &gradients(1, m), &gradients(0, m));
                                    gradients.col(m) *= per;
                                  }
                                }};
          }};
}
#endif

}  // namespace benchmarks
