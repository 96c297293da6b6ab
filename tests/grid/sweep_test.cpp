// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/detail/kernels/sweep.hpp"
#include "quoin/grid/detail/arena.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace quoin;
using namespace quoin::grid_detail;

namespace {

std::vector<InstructionSet> supported_sets() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
  if (instruction_set() >= InstructionSet::avx2) sets.push_back(InstructionSet::avx2);
  if (instruction_set() >= InstructionSet::avx512) sets.push_back(InstructionSet::avx512);
  return sets;
}

/// Jets of a cell, packed and plain, with random weights.
struct Cell {
  Eigen::Index rows;
  int corners, derivatives;
  const JetFormat& format;
  Arena arena;
  std::vector<Eigen::MatrixXd> jets;
  std::vector<const void*> at;
  std::mt19937_64 random;

  Cell(Eigen::Index row_count, int corner_count, int derivative_count,
       const JetFormat& number_format = jet_format<double>)
      : rows(row_count),
        corners(corner_count),
        derivatives(derivative_count),
        format(number_format),
        arena(format.size_in_doubles(row_count, derivative_count)),
        random(row_count) {
    for (int c = 0; c < corners; ++c) {
      // Floats, so that either format holds them.
      jets.push_back(numbers(rows, derivatives).cast<float>().cast<double>());
      arena.reserve_one();
      double* slot = arena.take();
      std::fill_n(slot, arena.stride(), 0.0);
      format.pack(jets.back(), slot);
      at.push_back(slot);
    }
  }
  Eigen::MatrixXd numbers(Eigen::Index n, Eigen::Index m) {
    std::uniform_real_distribution<double> number(-1, 1);
    return Eigen::MatrixXd::NullaryExpr(n, m, [&] { return number(random); });
  }
  PackedJets packed() const {
    return {.corners = at.data(), .count = corners, .derivatives = derivatives, .rows = rows, .format = &format};
  }
};

double sweep_error(Eigen::Index rows, int corners, int derivatives, int outputs, InstructionSet set) {
  Cell cell(rows, corners, derivatives);
  const Eigen::MatrixXd w = cell.numbers(outputs, corners * derivatives);  // column-major: [corner][derivative][output]
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(rows, outputs);
  for (int c = 0; c < corners; ++c) expected += cell.jets[c] * w.middleCols(c * derivatives, derivatives).transpose();

  constexpr double untouched = 123.0;
  std::vector<std::vector<double>> out(outputs, std::vector<double>(rows + 8, untouched));
  std::vector<double*> columns;
  for (auto& column : out) columns.push_back(column.data());
  grid_detail::sweep(cell.packed(), w.data(), outputs, columns.data(), set);
  double worst = 0;
  for (int p = 0; p < outputs; ++p) {
    for (Eigen::Index row = 0; row < rows; ++row) worst = std::max(worst, std::abs(out[p][row] - expected(row, p)));
    for (Eigen::Index row = rows; row < rows + 8; ++row) REQUIRE(out[p][row] == untouched);
  }
  return worst;
}

double moments_error(Eigen::Index rows, int corners, int derivatives, InstructionSet set) {
  Cell cell(rows, corners, derivatives);
  const Eigen::VectorXd v = cell.numbers(rows, 1);
  Arena arena(static_cast<std::size_t>(grid_detail::pack_count(rows) * 8));
  arena.reserve_one();
  double* padded = arena.take();
  std::fill_n(padded, grid_detail::pack_count(rows) * 8, 0.0);
  std::copy_n(v.data(), rows, padded);
  std::vector<double> out(corners * derivatives);
  grid_detail::moments(cell.packed(), padded, out.data(), set);
  double worst = 0;
  for (int c = 0; c < corners; ++c)
    for (int a = 0; a < derivatives; ++a)
      worst = std::max(worst, std::abs(out[c * derivatives + a] - v.dot(cell.jets[c].col(a))));
  return worst;
}

}  // namespace

TEST_CASE("every instruction set's sweep is the plain double loop, and writes no row too many") {
  for (const InstructionSet set : supported_sets()) {
    CAPTURE(static_cast<int>(set));
    for (Eigen::Index rows = 1; rows <= 20; ++rows)
      for (int outputs = 1; outputs <= grid_detail::max_sweep_outputs; ++outputs) {
        CAPTURE(rows, outputs);
        REQUIRE(sweep_error(rows, 4, 3, outputs, set) < 1e-13);
      }
    for (const Eigen::Index rows : {127, 128, 129, 136, 256, 1575})
      for (const int outputs : {1, 2, 5, 7, 8}) {
        CAPTURE(rows, outputs);
        REQUIRE(sweep_error(rows, 16, 5, outputs, set) < 1e-12);
      }
    for (const int corners : {2, 8, 32, 64}) REQUIRE(sweep_error(133, corners, 1, 3, set) < 1e-12);
    REQUIRE(sweep_error(37, 64, 84, 7, set) < 1e-10);
  }
}

TEST_CASE("one output swept alone equals, to the bit, the same output swept with others") {
  for (const InstructionSet set : supported_sets()) {
    Cell cell(157, 16, 5);
    const Eigen::MatrixXd w = cell.numbers(8, 80);
    Eigen::MatrixXd together(157, 8), alone(157, 8);
    for (int count = 1; count <= 8; ++count) {
      const Eigen::MatrixXd some = w.topRows(count);
      std::vector<double*> columns;
      for (int p = 0; p < count; ++p) columns.push_back(together.col(p).data());
      grid_detail::sweep(cell.packed(), some.data(), count, columns.data(), set);
      for (int p = 0; p < count; ++p) {
        const Eigen::VectorXd one = w.row(p).transpose();
        double* column = alone.col(p).data();
        grid_detail::sweep(cell.packed(), one.data(), 1, &column, set);
      }
      CAPTURE(static_cast<int>(set), count);
      CHECK((together.leftCols(count).array() == alone.leftCols(count).array()).all());
    }
  }
}

TEST_CASE("groups of outputs swept together equal, to the bit, each group swept alone") {
  for (const InstructionSet set : supported_sets())
    for (const Eigen::Index rows : {3, 157})
      for (const int outputs : {1, 5, 8}) {
        Cell cell(rows, 16, 5);
        const int groups = 3;
        const Eigen::MatrixXd w = cell.numbers(outputs, groups * 80);
        Eigen::MatrixXd together(rows, groups * outputs), alone(rows, groups * outputs);
        std::vector<double*> columns, own;
        for (Eigen::Index p = 0; p < together.cols(); ++p) {
          columns.push_back(together.col(p).data());
          own.push_back(alone.col(p).data());
        }
        grid_detail::sweep_groups(cell.packed(), w.data(), outputs, groups, columns.data(), set);
        for (int g = 0; g < groups; ++g)
          grid_detail::sweep(cell.packed(), w.col(g * 80).data(), outputs, own.data() + g * outputs, set);
        CAPTURE(static_cast<int>(set), rows, outputs);
        CHECK((together.array() == alone.array()).all());
      }
}

TEST_CASE("a large cell that was swept last, and so is swept as from a cache, gives the same to the bit") {
  Cell other(1575, 2, 5), small(6, 8, 4);
  for (const InstructionSet set : supported_sets())
    for (const JetFormat* format : {&jet_format<double>, &jet_format<float>})
      for (const int corners : {2, 4, 8, 16, 32}) {
        Cell cell(1575, corners, 5, *format);
        const Eigen::MatrixXd w = cell.numbers(8, corners * 5);
        Eigen::MatrixXd from_memory(1575, 8), from_cache(1575, 8);
        for (int outputs = 1; outputs <= 8; ++outputs) {
          const auto sweep_to = [&](Eigen::MatrixXd& to) {
            std::vector<double*> columns;
            for (int p = 0; p < outputs; ++p) columns.push_back(to.col(p).data());
            grid_detail::sweep(cell.packed(), w.data(), outputs, columns.data(), set);
          };
          REQUIRE(come_from_memory(other.packed()));
          sweep_to(from_memory);
          REQUIRE_FALSE(come_from_memory(small.packed()));
          REQUIRE_FALSE(come_from_memory(cell.packed()));
          sweep_to(from_cache);
          CAPTURE(static_cast<int>(set), format->number_bytes, corners, outputs);
          REQUIRE((from_memory.leftCols(outputs).array() == from_cache.leftCols(outputs).array()).all());
        }
      }
}

TEST_CASE("jets of floats are summed, to the bit, as the same numbers in doubles") {
  std::vector<Eigen::Index> sizes{127, 136, 157, 1575};
  for (Eigen::Index rows = 1; rows <= 20; ++rows) sizes.push_back(rows);
  for (const InstructionSet set : supported_sets())
    for (const Eigen::Index rows : sizes) {
      Cell wide(rows, 16, 5), narrow(rows, 16, 5, jet_format<float>);
      const Eigen::MatrixXd w = wide.numbers(8, 80);
      Eigen::MatrixXd of_wide(rows, 8), of_narrow(rows, 8);
      std::vector<double*> wide_columns, narrow_columns;
      for (int p = 0; p < 8; ++p) {
        wide_columns.push_back(of_wide.col(p).data());
        narrow_columns.push_back(of_narrow.col(p).data());
      }
      for (int outputs = 1; outputs <= 8; ++outputs) {
        sweep(wide.packed(), w.data(), outputs, wide_columns.data(), set);
        sweep(narrow.packed(), w.data(), outputs, narrow_columns.data(), set);
        CAPTURE(static_cast<int>(set), rows, outputs);
        REQUIRE(of_wide.leftCols(outputs) == of_narrow.leftCols(outputs));
      }
      Arena arena(static_cast<std::size_t>(pack_count(rows) * 8));
      arena.reserve_one();
      double* v = arena.take();
      std::fill_n(v, arena.stride(), 0.0);
      for (Eigen::Index row = 0; row < rows; ++row) v[row] = w(row % 8, row % 80);
      std::vector<double> wide_moments(80), narrow_moments(80);
      moments(wide.packed(), v, wide_moments.data(), set);
      moments(narrow.packed(), v, narrow_moments.data(), set);
      REQUIRE(wide_moments == narrow_moments);
      REQUIRE(unpacked(wide.packed())[15] == unpacked(narrow.packed())[15]);
    }
}

TEST_CASE("every instruction set's moments are the plain scalar products") {
  for (const InstructionSet set : supported_sets()) {
    CAPTURE(static_cast<int>(set));
    for (Eigen::Index rows = 1; rows <= 20; ++rows)
      for (const int derivatives : {1, 2, 3, 5, 6, 10, 11}) REQUIRE(moments_error(rows, 4, derivatives, set) < 1e-13);
    REQUIRE(moments_error(1575, 16, 5, set) < 1e-12);
    REQUIRE(moments_error(100, 64, 84, set) < 1e-12);
  }
}

TEST_CASE("the arena's slots are aligned, do not meet, do not move, and are given back from the end") {
  constexpr std::size_t length = 97;
  Arena arena(length);
  CHECK(arena.bytes() == 0);
  std::vector<double*> slots;
  Arena::Place middle;
  for (int n = 0; n < 3000; ++n) {
    arena.reserve_one();
    slots.push_back(arena.take());
    REQUIRE(reinterpret_cast<std::uintptr_t>(slots.back()) % 64 == 0);
    std::fill_n(slots.back(), length, n);
    if (n < 1000) middle = arena.after(middle);
  }
  for (int n = 0; n < 3000; ++n) REQUIRE(std::all_of(slots[n], slots[n] + length, [n](double v) { return v == n; }));
  CHECK(arena.bytes() >= 8 * 3000 * length);
  CHECK(arena.at(middle) == slots[1000]);
  const std::size_t all = arena.bytes();
  arena.give_back_from(middle);
  CHECK(arena.bytes() < all / 2 + (std::size_t{1} << 16));
  arena.reserve_one();
  CHECK(arena.take() == slots[1000]);
  CHECK(slots[999][0] == 999);
  arena.give_back_from({});
  CHECK(arena.bytes() == 0);
}
