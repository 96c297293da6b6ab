// SPDX-License-Identifier: BSD-3-Clause
// What a query costs, against a plain read of as many bytes in the same run: value, value and Jacobian, J^T v, from a
// cell that is in cache, from cells that fit the last-level cache, and from memory, with jets of doubles and of floats;
// with one and two threads; against the number of corners stored; and what a batch costs, against a loop that fills the
// same matrices.
#include "benchmarks/query/parts.hpp"

#include <string>

using namespace benchmarks;

int main(int argc, char** argv) {
  return run_benchmark(
      argc, argv, "query", "What a query costs, beside a plain read of as many bytes in the same run.", [](bool quick) {
        Report report;
        const FromMemory from_memory = large_outputs(report, quick);
        small_outputs(report, quick);
        latencies(report, quick);
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
                          {"most_us", "99.9 % [us]"},
                          {"slowest_us", "slowest [us]"},
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
        const auto at_most = [](const std::string& what, double limit, double found, bool binding = true) {
          using studies::figures::format_number;
          return studies::Check{what + ", at most " + format_number(limit) + ": " + format_number(found),
                                found <= limit, binding};
        };
        const std::string batch_of_arms = "batch over loop, N 1575, 8 points a cell in random order: ";
        report.checks = {
            at_most("value + Jacobian from memory over a plain read, N 1575, d 4", 1.05, from_memory.arm, false),
            at_most("the same, N 12708, d 3", 1.2, from_memory.large, false),
            at_most("from floats over a plain read of doubles, N 1575", 0.75, from_memory.arm_single, false),
            at_most("the same, N 12708", 0.75, from_memory.large_single, false),
            at_most("batch over loop, N 3: values", 1.1, small_batch.value),
            at_most("the same: value + Jacobian", 1.1, small_batch.jacobian),
            at_most(batch_of_arms + "values", 0.55, large_batch.value),
            at_most(batch_of_arms + "value + Jacobian, bound by arithmetic and by writing J", 0.8,
                    large_batch.jacobian)};
        return report;
      });
}
