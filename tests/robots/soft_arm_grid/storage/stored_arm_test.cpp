// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"
#include "quoin/storage/sqlite_storage.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

using namespace quoin;
using namespace quoin::soft_arm;
using storage::SqliteStorage;

namespace {

/// An empty folder that goes with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("quoin_stored_arm_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Statics<2> arm_of(double young) {
  return Statics<2>(SoftArm<2>(make_beam<2>({.cells_across = 2, .cells_along = 10, .young = young, .line_force = 3})));
}

SoftArmGridOptions<2> stored(const Statics<2>& statics, const std::filesystem::path& path, double spacing = 1) {
  return {.spacing = spacing,
          .evaluator = ThisThread{},
          .storage = std::make_shared<SqliteStorage<2>>(path, statics.fingerprint().text())};
}

}  // namespace

TEST_CASE("equilibria in a file are found again for the same arm, and refused for another Young's modulus") {
  const Folder folder;
  const auto path = folder / "arm.quoin";
  const Point<2> alpha(3.3, 2.4);  // in a cell of which the basis has no corner
  Eigen::VectorXd first, y;
  int shapes = 0;
  Eigen::MatrixXd corners;
  {
    const Statics<2> statics = arm_of(5e5);
    SoftArmGrid<2> arm(statics, stored(statics, path));
    arm.grid().evaluate(alpha, first);
    CHECK(arm.grid().statistics().exact_evaluations == 4);
    corners = arm.corners();
    shapes = arm.grow();
    CHECK(shapes > 0);
  }

  const Statics<2> statics = arm_of(5e5);  // as another program has it
  SoftArmGrid<2> arm(statics, stored(statics, path));
  arm.grid().evaluate(alpha, y);
  CHECK(y == first);
  CHECK(arm.grid().statistics().from_storage == 4);
  CHECK(statics.solves() == 0);  // neither at corners nor for the basis
  CHECK(arm.corners() == corners);
  CHECK(arm.grow() == shapes);  // the basis sees shapes that were found as it does those that were solved for
  arm.grid().evaluate({1.3, 0.4}, y);
  CHECK(statics.solves() > 0);

  const Statics<2> stiffer = arm_of(6e5);
  CHECK_THROWS_WITH(SoftArmGrid<2>(stiffer, stored(stiffer, path)),
                    Catch::Contains(statics.fingerprint().text()) && Catch::Contains(stiffer.fingerprint().text()));
}

TEST_CASE("an arm on a grid answers from a file to the bit as without one, basis and all, and at half the spacing") {
  const Folder folder;
  const auto path = folder / "arm.quoin";
  const Point<2> alpha(1.3, 0.4);
  const auto value = [&](const SoftArmGrid<2>& arm) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    arm.coordinates(arm.grid().at_level(0)).evaluate(alpha, y, J);
    Eigen::MatrixXd all(y.size(), 3);
    all << y, J;
    return all;
  };
  const Statics<2> fresh = arm_of(5e5);
  SoftArmGridOptions<2> plain = stored(fresh, path);
  plain.storage = nullptr;
  const Eigen::MatrixXd wanted = value(SoftArmGrid<2>(fresh, plain));
  for (int run = 0; run < 2; ++run) {
    const Statics<2> statics = arm_of(5e5);
    CHECK(value(SoftArmGrid<2>(statics, stored(statics, path))) == wanted);
    CHECK((statics.solves() == 0) == (run == 1));
  }
  const Statics<2> statics = arm_of(5e5);
  const SoftArmGrid<2> finer(statics, stored(statics, path, 0.5));
  value(finer);
  CHECK(finer.grid().statistics().from_storage > 0);
}
