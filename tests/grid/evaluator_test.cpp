// SPDX-License-Identifier: BSD-3-Clause
// Errors of evaluators: none of their wrong answers is trusted, and no evaluation is lost.
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#ifdef __GLIBC__
#include <pthread.h>
#endif

using namespace quoin;
using namespace quoin::test;

namespace {

using CornerSamples = std::span<CornerSample<2>>;

std::string failure(const AdaptiveGrid<2>& grid, const Point<2>& x) {
  Eigen::VectorXd y;
  try {
    grid.evaluate(x, y);
  } catch (const CornerFailure& error) {
    return error.what();
  }
  return "no failure";
}

}  // namespace

TEST_CASE("what an evaluator leaves in a sample is checked, whatever it says") {
  struct Case {
    std::function<void(CornerSample<2>&)> spoil;
    std::string reason;
    bool may_pass;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Case cases[] = {
      {[&](CornerSample<2>& s) { s.jet(1, 0) = nan; }, "value 1 is nan", false},
      {[](CornerSample<2>& s) { s.jet(2, 2) = std::numeric_limits<double>::infinity(); },
       "derivative 2 of output 2 is inf", false},
      {[](CornerSample<2>& s) { s.jet(0, 1) = 1e305; }, "derivative 1 of output 0 is 1e+305, too large", false},
      {[](CornerSample<2>& s) { s.jet = Eigen::MatrixXd::Zero(3, 1); }, "3 x 1, expected 3 x 3", true},
      {[](CornerSample<2>& s) { s.jet = Eigen::MatrixXd::Zero(2, 3); }, "2 x 3, expected 3 x 3", true},
      {[](CornerSample<2>& s) { s.jet.resize(0, 0); }, "has not evaluated it", true},
      {[](CornerSample<2>& s) { s.reason = "the worker's licence is over"; }, "licence is over", false},
  };
  for (const Case& c : cases) {
    INFO(c.reason);
    const Calls calls = new_calls();
    bool spoils = true;
    const AdaptiveGrid<2> grid(counted_waves<2>(calls), {}, [&](const CornerFunction<2>& f, CornerSamples samples) {
      for (CornerSample<2>& sample : samples) {
        f.evaluate(sample);
        if (spoils && sample.x == Point<2>(1, 1)) c.spoil(sample);
      }
    });
    CHECK_THAT(failure(grid, {0.5, 0.5}), Catch::Contains(c.reason) && Catch::Contains("corner (1, 1)"));
    CHECK(grid.statistics().failed_corners == 1);
    spoils = false;
    CHECK((failure(grid, {0.5, 0.5}) == "no failure") == c.may_pass);
    CHECK(*calls == 4 + c.may_pass);
  }
}

TEST_CASE("an evaluator that fails for one corner loses none of the others") {
  const Calls calls = new_calls();
  int left = 96;
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), {}, [&](const CornerFunction<2>& f, CornerSamples samples) {
    for (CornerSample<2>& sample : samples) {
      if (left-- == 0) throw std::runtime_error("a worker died");
      f.evaluate(sample);
    }
  });
  const Eigen::MatrixXd X = 8 * Eigen::MatrixXd::Random(2, 60);
  CHECK_THROWS_WITH(grid.prefetch(X), "a worker died");
  CHECK(*calls == 96);
  CHECK(grid.statistics().corners == 96);
  CHECK(grid.statistics().exact_evaluations == 96);
  grid.prefetch(X);
  CHECK(static_cast<std::size_t>(*calls) == grid.statistics().corners);
  CHECK(grid.statistics().failed_corners == 0);
}

TEST_CASE("an evaluator that is empty is refused where it is given, and so is a function") {
  CHECK_THROWS_WITH(AdaptiveGrid<2>(counted_waves<2>(new_calls()), {}, Evaluator<2>()),
                    Catch::Contains("the evaluator is empty"));
  using Value = std::function<void(const Point<2>&, Eigen::Ref<Eigen::VectorXd>)>;
  CHECK_THROWS_WITH(exact_function_without_derivatives<2>(1, Value()), Catch::Contains("the callable is empty"));
}

#ifdef __GLIBC__
TEST_CASE("where the system gives no thread, Threads goes on with those there are") {
  struct StackSize {  // a stack that no thread can have
    StackSize() {
      pthread_getattr_default_np(&before);
      pthread_attr_t attributes;
      pthread_attr_init(&attributes);
      REQUIRE(pthread_attr_setstacksize(&attributes, std::size_t{1} << 46) == 0);
      REQUIRE(pthread_setattr_default_np(&attributes) == 0);
      pthread_attr_destroy(&attributes);
    }
    ~StackSize() { pthread_setattr_default_np(&before); }
    pthread_attr_t before;
  };
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), {}, Threads{4});
  const Eigen::MatrixXd X = 8 * Eigen::MatrixXd::Random(2, 20);
  {
    const StackSize none;
    CHECK_THROWS_AS(std::thread([] {}), std::system_error);
    grid.prefetch(X);
  }
  CHECK(static_cast<std::size_t>(*calls) == grid.statistics().corners);
  CHECK(*calls > 40);
}
#endif
