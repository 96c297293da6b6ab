// SPDX-License-Identifier: BSD-3-Clause
// Every allocation of every public operation fails once. Afterwards nothing hangs, all evaluations are kept, and the
// grid answers like one whose memory never ran out.
#include "memory/failing_allocation.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/interleave.hpp"
#include "quoin/kernel/kernel_surrogate.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

using Grid = AdaptiveGrid<2>;
using Make = std::function<Grid()>;
using Operation = std::function<void(Grid&)>;

const Point<2> x(0.3, 0.4), far(5.3, -2.6), outside(90, 0);
const Eigen::MatrixXd points = (Eigen::MatrixXd(2, 5) << 0.1, 0.6, 1.7, -3.2, 0.2, 0.2, 0.4, 2.6, 0.3, 0.3).finished();

GridOptions<2> options() {
  GridOptions<2> o;
  o.lower = {-40, -40};
  o.upper = {40, 40};
  o.outside = OutsidePolicy::extend;
  return o;
}

struct NamedMake {
  std::string name;
  Make make;
};

std::vector<NamedMake> grids() {
  const auto tolerance = [](double value) {
    GridOptions<2> o = options();
    o.tolerance = value;
    return o;
  };
  const auto branches = exact_function<2>(
      3, [waves = Waves<2>(3)](const Point<2>& p, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y = waves.value(p);
        J = waves.jacobian(p);
        return p[0] > 0.6 ? 1 : 0;
      });
  const auto failing = exact_function<2>(
      3, [waves = Waves<2>(3)](const Point<2>& p, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if (p[0] > 0.9 && p[0] < 1.1 && p[1] > 0.1) throw std::runtime_error("there is no equilibrium at this place");
        y = waves.value(p);
        J = waves.jacobian(p);
      });
  const auto starting = exact_function<2>(3,
                                          [waves = Waves<2>(3)](const Point<2>& p, Eigen::Ref<Eigen::VectorXd> y,
                                                                Eigen::Ref<Eigen::MatrixXd> J, const SolvedCorner<2>*) {
                                            y = waves.value(p);
                                            J = waves.jacobian(p);
                                          },
                                          {.repeatable_to = 1e-9});
  GridOptions<2> coarser = tolerance(1e-3);
  coarser.on_failure = FailurePolicy::coarser;
  GridOptions<2> certified = tolerance(1e-3);
  certified.fourth_derivatives = [](const Point<2>&, const Point<2>&) {
    return FourthDerivativeBounds<2>::common(1.0);
  };
  return {
      {"a level", [] { return Grid(Waves<2>(3).jet<1>(), options()); }},
      {"jets of order 2", [] { return Grid(Waves<2>(3).jet<2>(), options()); }},
      {"differences",
       [] {
         return Grid(
             exact_function_without_derivatives<2>(
                 3, [waves = Waves<2>(3)](const Point<2>& p, Eigen::Ref<Eigen::VectorXd> y) { y = waves.value(p); }),
             options());
       }},
      {"a tolerance", [=] { return Grid(Waves<2>(3).jet<1>(), tolerance(1e-3)); }},
      {"a certificate", [=] { return Grid(Waves<2>(3).jet<1>(), certified); }},
      {"branches", [=] { return Grid(branches, tolerance(1e-3)); }},
      {"failures", [=] { return Grid(failing, coarser); }},
      {"starts", [=] { return Grid(starting, options()); }},
      {"threads", [] { return Grid(counted_waves<2>(new_calls()), options(), Threads{3}); }},
  };
}

struct NamedOperation {
  std::string name;
  Operation run;
  bool once = false;  // it changes the grid: not repeated
};

std::vector<NamedOperation> operations() {
  const auto query = [](const auto& map, const Point<2>& at) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    map.try_evaluate(at, y, J);  // in some grids f fails here
  };
  return {
      {"evaluate",
       [](Grid& g) {
         Eigen::VectorXd y;
         g.evaluate(x, y);
       }},
      {"evaluate with the Jacobian", [=](Grid& g) { query(g, x), query(g, far), query(g, outside); }},
      {"try_evaluate",
       [](Grid& g) {
         Eigen::VectorXd y;
         Eigen::MatrixXd J;
         g.try_evaluate(far, y, J);
       }},
      {"times and vjp",
       [](Grid& g) {
         Eigen::VectorXd out;
         for (const Point<2>& at : {x, outside}) {
           g.jvp(at, Eigen::Vector2d(1, 2), out);
           g.vjp(at, Eigen::Vector3d(1, 2, 3), out);
         }
       }},
      {"second derivatives and curvature",
       [](Grid& g) {
         Eigen::VectorXd y;
         Eigen::MatrixXd J, H;
         for (const Point<2>& at : {x, outside}) {
           g.try_evaluate(at, y, J, H);
           g.curvature(at, Eigen::Vector3d(1, 2, 3), H);
         }
       }},
      {"a functional",
       [=](Grid& g) {
         const auto sum = g.linear_output(Eigen::MatrixXd::Ones(2, 3));
         query(sum, x);
         query(sum.linear_output(Eigen::MatrixXd::Ones(1, 2)), far);
       }},
      {"refine", [=](Grid& g) { g.refine(), query(g, x), query(g.at_level(0), x), query(g.at_tolerance(1e-2), far); },
       true},
      {"prepare", [](Grid& g) { g.prefetch(points); }},
      {"evaluate_batch",
       [](Grid& g) {
         Eigen::MatrixXd Y, J;
         g.evaluate_batch(points, Y);
         g.evaluate_batch(points, Y, J);
       }},
      {"corner_jet",
       [](Grid& g) {
         Eigen::MatrixXd jet;
         g.corner_jet(g.nearest_corner(x), jet);
       }},
      {"error_estimate and statistics",
       [=](Grid& g) { query(g, x), g.error_estimate(x), g.error_estimate(far), g.statistics(); }},
      {"trim", [=](Grid& g) { query(g, x), query(g.at_level(1), far), g.trim(), query(g, x); }, true},
      {"interleave",
       [](Grid& g) {
         const auto solver = [](const GridView<2>& map, const Eigen::VectorXd& guess) {
           Eigen::VectorXd y;
           map.try_evaluate(Point<2>(guess), y);
           return SolverResult<Eigen::VectorXd>{.iterate = guess, .cost = y.sum(), .converged = true};
         };
         interleave(g, solver, Eigen::VectorXd(x), {.schedule = Levels{.first = 0, .last = 2}});
       },
       true},
  };
}

// The errors by which a caller may see that memory ran out.
template <class Run>
void survive(Run&& run) {
  try {
    run();
  } catch (const std::bad_alloc&) {
  } catch (const CornerFailure& failure) {
    CHECK_THAT(failure.what(), Catch::Contains("out of memory"));
  }
}

struct Answers {
  std::vector<Eigen::VectorXd> values;
  std::vector<Trust> trusts;
  explicit Answers(const Grid& grid) {
    const auto& tolerance = grid.options().tolerance;
    const GridView<2> view = tolerance ? grid.at_tolerance(*tolerance) : grid.at_level(1);
    for (const Point<2>& at : {x, far, outside, Point<2>(1.4, 0.7)}) {
      trusts.push_back(view.evaluate(at, values.emplace_back()).trust);
    }
  }
  friend bool operator==(const Answers&, const Answers&) = default;
};

}  // namespace

TEST_CASE("whichever allocation of a public operation fails, the grid answers rightly afterwards, and nothing hangs") {
  int positions = 0;
  for (const NamedMake& grid : grids())
    for (const NamedOperation& operation : operations()) {
      INFO(grid.name << ", " << operation.name);
      Grid sound = grid.make();
      operation.run(sound);
      const Answers right(sound);
      for (long n = 0;; ++n) {
        Grid victim = grid.make();
        bool reached = false;
        {
          const FailingAllocation failing(n);
          survive([&] { operation.run(victim); });
          reached = failing.reached();
        }
        INFO("allocation " << n);
        if (!operation.once) operation.run(victim);
        const bool same = Answers(victim) == right;
        if (!same || victim.statistics().exact_evaluations > sound.statistics().exact_evaluations + 16) {
          CHECK(same);
          CHECK(victim.statistics().exact_evaluations <= sound.statistics().exact_evaluations + 16);
          break;
        }
        if (!reached) break;
        ++positions;
      }
    }
  INFO(positions << " positions");
  CHECK(positions > 1000);
}

TEST_CASE("whichever allocation of a grid's construction fails, nothing is left behind and the next one is made") {
  for (const NamedMake& grid : grids()) {
    INFO(grid.name);
    const Answers right(grid.make());
    for (long n = 0;; ++n) {
      bool reached = false;
      {
        const FailingAllocation failing(n);
        survive([&] { grid.make(); });
        reached = failing.reached();
      }
      if (!reached) break;
      REQUIRE(Answers(grid.make()) == right);
    }
  }
}

TEST_CASE("trim needs no memory: it keeps and gives back the same, whichever allocation fails") {
  for (const NamedMake& grid : grids()) {
    bool reached = true;
    for (long n = 0; reached; ++n) {
      INFO(grid.name << ", allocation " << n);
      Grid g = grid.make();
      const auto sum = g.linear_output(Eigen::MatrixXd::Ones(1, 3));
      Eigen::VectorXd y, again;
      for (int i = 0; i < 20; ++i) {
        sum.evaluate(Point<2>(i - 10 + 0.5, 0.5), y);
        if (!g.tolerance()) g.at_level(2).evaluate(Point<2>(i - 10 + 0.3, 0.5), again);
      }
      const GridStatistics before = g.statistics();
      {
        const FailingAllocation failing(n);
        g.trim();
        reached = failing.reached();
      }
      REQUIRE(g.statistics().bytes < before.bytes);
      sum.evaluate(Point<2>(9.5, 0.5), again);
      REQUIRE(again == y);
      REQUIRE(g.statistics().exact_evaluations == before.exact_evaluations);
    }
  }
}

TEST_CASE("whichever allocation of a kernel's refinement fails, it goes on from the samples that it has") {
  const auto refined = [](KernelSurrogate<2, GridView<2>>& kernel) {
    return kernel.refine_at(points, {.value = 1e-2, .gradient = 1e-1});
  };
  const auto make = [](const Grid& grid) {
    return KernelSurrogate<2, GridView<2>>(grid.at_level(2), {.length_scale = Point<2>::Constant(2.0)});
  };
  const Grid grid(Waves<2>(3).jet<1>(), options());
  auto sound = make(grid);
  refined(sound);
  Eigen::VectorXd right, y;
  sound.view().evaluate(x, right);
  int positions = 0;
  for (long n = 0;; ++n) {
    const Grid own(Waves<2>(3).jet<1>(), options());
    auto kernel = make(own);
    bool reached = false;
    {
      const FailingAllocation failing(n);
      survive([&] { refined(kernel); });
      reached = failing.reached();
    }
    INFO("allocation " << n);
    REQUIRE(refined(kernel).above == 0);
    kernel.view().evaluate(x, y);
    REQUIRE((y - right).norm() < 1e-2);
    REQUIRE(own.statistics().exact_evaluations <= grid.statistics().exact_evaluations + 2);
    if (!reached) break;
    ++positions;
  }
  CHECK(positions > 50);
}
