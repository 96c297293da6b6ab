// SPDX-License-Identifier: BSD-3-Clause
// What a query costs, against a plain read of as many bytes in the same run: value, value and Jacobian, J^T v, from a
// cell that is in cache, from cells that fit the last-level cache, and from memory, with jets of doubles and of floats;
// with one and two threads; against the number of corners stored; and what a batch costs, against a loop that fills the
// same matrices.
#include "benchmarks/query/parts.hpp"

using namespace benchmarks;

int main(int argc, char** argv) {
  return run_benchmark(
      argc, argv, "query", "What a query costs, beside a plain read of as many bytes in the same run.", [](bool quick) {
        Report report;
        const FromMemory from_memory = large_outputs(report, quick);
        small_outputs(report, quick);
        const auto [small_batch, large_batch] = batches(report, quick);
        report.columns = {{"N"},
                          {"dim"},
                          {"K"},
                          {"numbers"},
                          {"cells in"},
                          {"threads"},
                          {"corners"},
                          {"bytes_a_corner", "bytes a corner"},
                          {"value_us", "value [us]"},
                          {"value_jacobian_us", "value + Jacobian [us]"},
                          {"transpose_times_us", "J^T v [us]"},
                          {"batch_us", "in batches of 1000 [us]"},
                          {"plain_read_us", "plain read [us]"},
                          {"value_ratio", "value / read"},
                          {"value_jacobian_ratio", "value + Jacobian / read"},
                          {"transpose_times_ratio", "J^T v / read"},
                          {"points"},
                          {"points a cell"},
                          {"batch_value_ratio", "batch / loop, value"},
                          {"batch_jacobian_ratio", "batch / loop, value + Jacobian"}};
        report.notes =
            "Medians; ratios are medians of ratios of neighbours in time. The plain read sums as many scattered blocks "
            "of the size of a corner in doubles, from as much memory. With two threads each thread does the same work. "
            "Cells in memory came there by one prepare() or by queries, cell after cell. "
            "Batches: times per point, value and Jacobian; the loop fills the same matrices; checks allow a tenth for "
            "noise.\n";
        report.checks = {
            {"value + Jacobian from memory, N 1575, d 4, at most 1.05 plain reads: " +
                 studies::figures::format_number(from_memory.arm),
             from_memory.arm <= 1.05, false},
            {"value + Jacobian from memory, N 12708, d 3, at most 1.2 plain reads: " +
                 studies::figures::format_number(from_memory.large),
             from_memory.large <= 1.2, false},
            {"the same from floats, N 1575, at most 0.75 plain reads of doubles: " +
                 studies::figures::format_number(from_memory.arm_single),
             from_memory.arm_single <= 0.75, false},
            {"the same from floats, N 12708, at most 0.75: " +
                 studies::figures::format_number(from_memory.large_single),
             from_memory.large_single <= 0.75, false},
            {"batches at N 3 cost at most 1.1 loops, value: " + studies::figures::format_number(small_batch.value) +
                 ", value + Jacobian: " + studies::figures::format_number(small_batch.jacobian),
             small_batch.value <= 1.1 && small_batch.jacobian <= 1.1},
            {"values in a batch at N 1575, 8 points a cell in random order, at most 0.55 of a loop: " +
                 studies::figures::format_number(large_batch.value),
             large_batch.value <= 0.55},
            {"with Jacobians, bound by arithmetic and by writing them, at most 0.8: " +
                 studies::figures::format_number(large_batch.jacobian),
             large_batch.jacobian <= 0.8}};
        return report;
      });
}
