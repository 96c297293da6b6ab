// SPDX-License-Identifier: BSD-3-Clause
// Ranks of an MPI job call f; alone, the program is a job of one rank.
#include <quoin/evaluation/mpi/mpi_ranks.hpp>
#include <quoin/quoin.hpp>

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int wrong = 0;
  {
    const auto f = quoin::exact_function<1>(1, [](const quoin::Point<1>& x, auto y, auto J) {
      y[0] = x[0] * x[0];
      J(0, 0) = 2 * x[0];
    });
    const quoin::MpiRanks ranks;
    if (ranks.serves()) {
      ranks.serve<1>(f);  // until rank 0 is done
    } else {
      const quoin::AdaptiveGrid<1> grid(f, {}, ranks);  // f is called on the other ranks
      Eigen::VectorXd y;
      grid.evaluate(quoin::Point<1>(0.5), y);
      wrong = !(std::abs(y[0] - 0.25) < 1e-12);
    }
  }
  MPI_Finalize();
  return wrong;
}
