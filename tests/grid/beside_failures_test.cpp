// SPDX-License-Identifier: BSD-3-Clause
// A point on a face belongs to the cells on both sides of it: where one has a failed corner, the other answers.
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <stdexcept>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Waves that fail beyond a drawn place on some axes.
template <int Dim>
struct Broken {
  Point<Dim> most;
  bool answers(const Point<Dim>& x) const { return (x.array() <= most.array()).all(); }
  auto function(const Calls& calls) const {
    return exact_function<Dim>(3,
                               [*this, calls, waves = Waves<Dim>(3)](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y,
                                                                     Eigen::Ref<Eigen::MatrixXd> J) {
                                 ++*calls;
                                 if (!answers(x)) throw std::runtime_error("no data");
                                 y = waves.value(x);
                                 J = waves.jacobian(x);
                               });
  }
};

template <int Dim>
void draw_faces(std::mt19937& random) {
  std::uniform_real_distribution<double> unit;
  for (const FailurePolicy policy : {FailurePolicy::throw_error, FailurePolicy::coarser, FailurePolicy::call_function})
    for (const bool to_tolerance : {false, true})
      for (int draw = 0; draw < draws_wanted(10); ++draw) {
        Broken<Dim> broken{Point<Dim>::Constant(9)};
        Point<Dim> on_face, below;
        for (int i = 0; i < Dim; ++i) {
          const double face = std::floor(4 * unit(random)) / 2;
          const bool breaks = i == 0 || unit(random) < 0.4;
          if (breaks) broken.most[i] = face + 0.4 * unit(random);
          // Some axes without a failure lie on a face, too.
          on_face[i] = breaks || unit(random) < 0.3 ? face : face + 0.5 * unit(random);
          below[i] = breaks ? face - 1e-9 : on_face[i];
        }
        const Calls calls = new_calls();
        GridOptions<Dim> options;
        options.spacing.setConstant(0.5);
        options.on_failure = policy;
        options.failure_splits = 0;
        options.deepest_level = 3;
        if (to_tolerance) options.tolerance = 1e-2;
        CAPTURE(seed_wanted(), Dim, static_cast<int>(policy), to_tolerance, draw, on_face.transpose());
        const AdaptiveGrid<Dim> grid(broken.function(calls), options), prepared(broken.function(new_calls()), options);
        Eigen::VectorXd y, y_below, known;
        Eigen::MatrixXd J, J_below;
        const Answer beside = grid.try_evaluate(below, y_below, J_below), answer = grid.try_evaluate(on_face, y, J);
        REQUIRE(beside.has_value());
        CHECK(answer.trust == beside.trust);
        REQUIRE(answer.has_value());
        CHECK((y - y_below).norm() < 1e-7);
        CHECK((J - J_below).norm() < 1e-7);

        const int before = *calls;
        CHECK(grid.evaluate_cached(on_face, known).trust == answer.trust);
        CHECK(known == y);
        CHECK(grid.error_estimate(on_face).trust == grid.error_estimate(below).trust);
        CHECK(*calls == before);

        prepared.prefetch(on_face);
        const auto evaluations = prepared.statistics().exact_evaluations;
        CHECK(prepared.evaluate(on_face, known).trust == answer.trust);
        CHECK(known == y);
        CHECK(prepared.statistics().exact_evaluations == evaluations);
      }
}

}  // namespace

TEST_CASE("on a face beside a failed corner the cell on the other side answers, under every policy") {
  std::mt19937 random(seed_wanted());
  draw_faces<1>(random);
  draw_faces<2>(random);
  draw_faces<3>(random);
}

TEST_CASE("a failed corner on the face itself costs no call of f beyond it") {
  const Calls calls = new_calls();
  const auto f =
      exact_function<2>(1, [&](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        ++*calls;
        if (x == Point<2>(1, 1)) throw std::runtime_error("no data");
        y[0] = x[0];
        J << 1, 0;
      });
  const AdaptiveGrid<2> grid(f);
  Eigen::VectorXd y;
  CHECK(grid.try_evaluate({1, 0.5}, y).trust == Trust::failed);
  CHECK(*calls == 4);
  CHECK(grid.evaluate({1, -0.5}, y).trust == Trust::unchecked);
}
