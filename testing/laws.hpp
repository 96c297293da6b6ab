// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/derivative_check.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <cstddef>
#include <thread>
#include <vector>

namespace quoin::test {

/// The promises of a map beyond those of a DifferentiableMap.
struct MapLaws {
  double repeatable_to = 0;  ///< relative to the largest output; 0: to the bit
  bool concurrent = true;    ///< may be called from several threads at once, if its traits do not deny it
  int threads = 4;
  DerivativeCheckOptions derivatives = {};  ///< largest_step: as far as the map is smooth around the points
};

namespace detail {
template <class A, class B>
bool agree(const A& a, const B& b, double to) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  if (to == 0) return (a.array() == b.array()).all();
  return (a - b).cwiseAbs().maxCoeff() <= to * b.cwiseAbs().maxCoeff();
}
}  // namespace detail

/// The laws of every DifferentiableMap, at some points of its domain:
///   1. outputs are resized: y to N, J to N x Dim, whatever they were;
///   2. the value does not depend on whether the Jacobian is asked for, nor on what was asked before;
///   3. the Jacobian leaves a Taylor remainder of second order;
///   4. concurrent calls give what calls one after the other give.
///
///   quoin::test::obeys_the_laws_of_maps<2>(map, points, {.repeatable_to = 1e-12});
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
void obeys_the_laws_of_maps(const Map& map, const std::vector<Point<Dim>>& points, const MapLaws& laws = {}) {
  const Eigen::Index n = map.output_size();
  REQUIRE(n >= 1);
  std::vector<Eigen::VectorXd> values;
  std::vector<Eigen::MatrixXd> jacobians;
  for (const Point<Dim>& x : points) {
    CAPTURE(x.transpose());
    Eigen::VectorXd y = Eigen::VectorXd::Constant(n + 3, 7.0), alone, again(1);
    Eigen::MatrixXd J = Eigen::MatrixXd::Constant(1, Dim + 2, 7.0), J_again;
    REQUIRE(map.evaluate(x, y, J).has_value());
    REQUIRE(map.evaluate(x, alone).has_value());
    map.evaluate(x, again, J_again);
    REQUIRE(y.size() == n);
    REQUIRE(J.rows() == n);
    REQUIRE(J.cols() == Dim);
    CHECK(y.allFinite());
    CHECK(J.allFinite());
    CHECK(detail::agree(alone, y, laws.repeatable_to));
    CHECK(detail::agree(again, y, laws.repeatable_to));
    CHECK(detail::agree(J_again, J, laws.repeatable_to));

    const DerivativeCheck check = check_derivatives<Dim>(map, x, laws.derivatives);
    CAPTURE(check.message);
    CHECK(check.passed);
    values.push_back(y);
    jacobians.push_back(J);
  }

  if constexpr (requires { map.traits(); }) {
    if (!map.traits().concurrent) return;
  }
  if (!laws.concurrent) return;
  // Assertions are not thread-safe: each thread keeps its answers, which are compared afterwards.
  std::vector<std::vector<Eigen::VectorXd>> y(laws.threads, std::vector<Eigen::VectorXd>(points.size()));
  std::vector<std::vector<Eigen::MatrixXd>> J(laws.threads, std::vector<Eigen::MatrixXd>(points.size()));
  std::vector<std::thread> threads;
  for (int k = 0; k < laws.threads; ++k)
    threads.emplace_back([&, k] {
      for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t at = (i * (2 * k + 1) + k) % points.size();
        map.evaluate(points[at], y[k][at], J[k][at]);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (int k = 0; k < laws.threads; ++k)
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (y[k][i].size() == 0) continue;  // strides that do not reach every point
      CHECK(detail::agree(y[k][i], values[i], laws.repeatable_to));
      CHECK(detail::agree(J[k][i], jacobians[i], laws.repeatable_to));
    }
}

}  // namespace quoin::test
