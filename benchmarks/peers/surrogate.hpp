// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/drawn_functions.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <cmath>
#include <functional>
#include <string>

namespace benchmarks {

template <int Dim>
using PointsOf = Eigen::Matrix<double, Dim, Eigen::Dynamic>;

/// A smooth function of one output on [-2, 2]^Dim.
template <int Dim>
struct SmoothFunction {
  std::string family;
  int largest_order;  ///< of its jets
  /// jet: 1 x C(Dim + order, order).
  std::function<void(const Point<Dim>& x, int order, Eigen::Ref<Eigen::MatrixXd> jet)> jet;

  double operator()(const Point<Dim>& x) const {
    Eigen::MatrixXd value(1, 1);
    jet(x, 0, value);
    return value(0, 0);
  }
};

/// One of DrawnFunctions, which turn over 0.5 to 4 units; jets of order 2.
template <int Dim>
SmoothFunction<Dim> drawn_function(const std::string& family, Draw& random) {
  const auto f = DrawnFunctions<Dim>(0.5, 4).draw(family, 1, random);
  return {family, 2,
          [f](const Point<Dim>& x, int order, Eigen::Ref<Eigen::MatrixXd> jet) { fill_jets<Dim>(f, x, order, jet); }};
}

/// cos(k . x + phase) with 1/2 <= |k| <= 4, Genz's oscillatory function; jets of any order.
template <int Dim>
SmoothFunction<Dim> drawn_wave(Draw& random) {
  const Point<Dim> k = random.log_uniform(0.5, 4) * random.direction<Dim>();
  const double phase = random.uniform(-3, 3);
  return {"oscillatory", 3, [k, phase](const Point<Dim>& x, int order, Eigen::Ref<Eigen::MatrixXd> jet) {
            static const auto indices = graded_multi_indices<Dim>(3);
            const double t = k.dot(x) + phase, waves[] = {std::cos(t), -std::sin(t), -std::cos(t), std::sin(t)};
            for (int c = 0; c < jet_size(Dim, order); ++c) {
              double factor = 1;
              int grade = 0;
              for (std::size_t i = 0; i < Dim; ++i)
                for (int times = 0; times < indices[static_cast<std::size_t>(c)][i]; ++times, ++grade)
                  factor *= k[static_cast<Eigen::Index>(i)];
              jet(0, c) = factor * waves[grade % 4];
            }
          }};
}

/// What has been made of a function by so many evaluations of it, each with the jet that the method asks for.
template <int Dim>
struct Surrogate {
  long evaluations;
  /// Values and gradients at points: sizes are right.
  std::function<void(const PointsOf<Dim>& x, Eigen::VectorXd& values, PointsOf<Dim>& gradients)> answer;
};

/// From a map that answers value and Jacobian.
template <int Dim, class Map>
Surrogate<Dim> surrogate(long evaluations, Map map) {
  return {evaluations, [map, y = Eigen::VectorXd(), J = Eigen::MatrixXd()](
                           const PointsOf<Dim>& x, Eigen::VectorXd& values, PointsOf<Dim>& gradients) mutable {
            for (Eigen::Index m = 0; m < x.cols(); ++m) {
              map->evaluate(Point<Dim>(x.col(m)), y, J);
              values[m] = y[0];
              gradients.col(m) = J.row(0);
            }
          }};
}

/// Random points of the box, with the function's values and gradients there.
template <int Dim>
struct Sought {
  PointsOf<Dim> x, gradients;
  Eigen::VectorXd values;

  Sought(const SmoothFunction<Dim>& f, Draw& random, int points)
      : x(Dim, points), gradients(Dim, points), values(points) {
    Eigen::MatrixXd jet(1, 1 + Dim);
    for (Eigen::Index m = 0; m < points; ++m) {
      x.col(m) = random.in_box<Dim>(-2, 2);
      f.jet(x.col(m), 1, jet);
      values[m] = jet(0, 0);
      gradients.col(m) = jet.template rightCols<Dim>().transpose();
    }
  }
};

/// Root mean squares over the points, relative to those of the function.
struct SurrogateErrors {
  double value, gradient;
};

template <int Dim>
SurrogateErrors errors_of(const Surrogate<Dim>& surrogate, const Sought<Dim>& sought) {
  Eigen::VectorXd values(sought.values.size());
  PointsOf<Dim> gradients(Dim, sought.values.size());
  surrogate.answer(sought.x, values, gradients);
  return {(values - sought.values).norm() / sought.values.norm(),
          (gradients - sought.gradients).norm() / sought.gradients.norm()};
}

}  // namespace benchmarks
