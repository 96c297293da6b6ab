// SPDX-License-Identifier: BSD-3-Clause
// The grid is compiled in a library, f and the watch in this program, which is compiled with -fvisibility=hidden as a
// module of Python is: exceptions pass from one to the other and back, and both see the same watch and request.
#include <quoin/evaluation/workers.hpp>
#include <quoin/quoin.hpp>

#include <cstdio>
#include <stdexcept>
#include <stop_token>

namespace {

int failures = 0;

void expect(bool ok, const char* what) {
  failures += !ok;
  if (!ok) std::printf("FAILED: %s\n", what);
}

template <class Exception, class Call>
bool throws(const Call& call) {
  try {
    call();
    return false;
  } catch (const Exception&) {
    return true;
  }
}

}  // namespace

int main() {
  using quoin::Point;
  bool on_behalf = true;
  const auto f = quoin::exact_function<2>(1, [&](const Point<2>& x, auto y, auto J) {
    on_behalf = on_behalf && quoin::Request::current() != nullptr;
    if (x[0] > 20) throw quoin::Interrupted("a key was pressed");
    if (x[0] > 10) throw std::runtime_error("the mesh is inverted");
    y[0] = x[0];
    J << 1, 0;
  });
  const quoin::AdaptiveGrid<2> grid(f, {});
  Eigen::VectorXd y;
  std::stop_source stop;
  {
    const quoin::Watch watch(stop.get_token());
    grid.evaluate({0.5, 0.5}, y);
    expect(watch.progress().evaluated == 4, "the library tells the program's watch of four corners");
    expect(on_behalf, "f sees the request that the library made");
    stop.request_stop();
    expect(throws<quoin::Interrupted>([&] { grid.evaluate({2.5, 0.5}, y); }), "the program's watch stops the library");
  }
  expect(throws<quoin::CornerFailure>([&] {
           grid.evaluate({12.5, 0.5}, y);
         }),
         "the program catches a corner's failure");
  expect(throws<quoin::Interrupted>([&] {
           grid.evaluate({22.5, 0.5}, y);
         }),
         "what f throws passes through the library");
  expect(throws<std::invalid_argument>([&] {
           quoin::AdaptiveGrid<2>(f, {.spacing = {-1, 1}});
         }),
         "the program catches what the library says of bad options");

  const quoin::Workers<1> constant(
      {.command = {"sh", "-c",
                   "read greeting <&3; echo 'quoin 2 outputs 1 order 0 fingerprint 2' >&4;"
                   "while read word asked <&3; do echo \"answer $asked jet 2\" >&4; done"}});
  const quoin::AdaptiveGrid<1> of_workers(constant, {});
  const quoin::Watch watch{std::stop_token()};
  of_workers.evaluate(Point<1>(0.5), y);
  expect(y[0] == 2 && watch.progress().evaluated >= 2, "workers of one library under the grid of another");
  return failures;
}
