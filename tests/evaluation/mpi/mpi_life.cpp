// SPDX-License-Identifier: BSD-3-Clause
// Jobs that go wrong, or end in another order: mpi_life <what> [<seed>], on three ranks. Each rank checks what it sees;
// the status tells. Nothing here may wait for ever: run.sh ends what does.
#include "quoin/evaluation/mpi/mpi_ranks.hpp"
#include "quoin/grid/adaptive_grid.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;

namespace {

int wrong = 0, rank = 0;
void check(bool holds, const std::string& claim) {
  if (holds) return;
  ++wrong;
  std::fprintf(stderr, "rank %d: does not hold: %s\n", rank, claim.c_str());
}

int calls = 0;
auto times(double factor, int outputs = 1) {
  return exact_function<1>(outputs, [factor](const Point<1>& x, auto y, auto J) {
    ++calls;
    y.setConstant(factor * x[0]);
    J.setConstant(factor);
  });
}

/// The same as times(), with a fingerprint.
struct Marked {
  double factor;
  Eigen::Index output_size() const { return 1; }
  Answer evaluate(const Point<1>& x, Eigen::VectorXd& y) const {
    y = Eigen::VectorXd::Constant(1, factor * x[0]);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<1>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    J = Eigen::MatrixXd::Constant(1, 1, factor);
    return evaluate(x, y);
  }
  struct Text {
    double factor;
    std::string text() const { return "times " + to_text(factor); }
  };
  Text fingerprint() const { return {factor}; }
};

/// What a query is refused with, within this many seconds; empty if it is answered.
template <class F>
std::string refusal(const F& f, const MpiRanks& ranks, double within = 1) {
  const auto start = std::chrono::steady_clock::now();
  std::string words;
  try {
    Eigen::VectorXd y;
    AdaptiveGrid<1>(f, {}, ranks).evaluate(Point<1>(0.25), y);
  } catch (const std::exception& error) {
    words = error.what();
  }
  check(std::chrono::steady_clock::now() - start < std::chrono::duration<double>(within), "it is told soon");
  return words;
}
bool says(const std::string& words, const std::string& part) { return words.find(part) != words.npos; }
template <class F>
void check_answer(const F& f, const MpiRanks& ranks, double expected) {
  Eigen::VectorXd y;
  const int before = calls;
  AdaptiveGrid<1>(f, {}, ranks).evaluate(Point<1>(0.25), y);
  check(std::abs(y[0] - expected) < 1e-12, "the answer is " + to_text(expected) + ", got " + to_text(y[0]));
  check(calls == before, "rank 0 does not call f");
}

void other_functions() {
  const MpiRanks ranks;
  const auto f = times(2);
  if (ranks.serves()) return ranks.serve<1>(f);
  check_answer(f, ranks, 0.5);
  check_answer(f, ranks, 0.5);  // a second grid of the same
  const std::string same_type = refusal(times(3), ranks);
  check(says(same_type, "named") && says(same_type, "fingerprint"), "another factor: " + same_type);
  const auto of_another_type = exact_function<1>(1, [](const Point<1>& x, auto y, auto J) {
    y = x;
    J.setOnes();
  });
  check(says(refusal(of_another_type, ranks), "rank 1 serves"), "another type");
  check(says(refusal(times(2, 2), ranks), "1 outputs"), "another number of outputs");
  check(says(refusal(f, ranks.named("f")), "'f'"), "a name that the ranks do not know");
  check_answer(f, ranks, 0.5);
}

void marked_functions() {
  {
    const MpiRanks ranks;
    if (ranks.serves()) {
      ranks.serve<1>(Marked{2});
    } else {
      check_answer(Marked{2}, ranks, 0.5);
      check_answer(Marked{2}, ranks, 0.5);  // another object of the same fingerprint
      const std::string words = refusal(Marked{3}, ranks);
      check(says(words, "times 2") && says(words, "times 3"), "another fingerprint: " + words);
    }
  }
  const MpiRanks ranks = MpiRanks().named("doubled");
  if (ranks.serves()) return ranks.serve<1>(times(2));
  check_answer(times(2), ranks, 0.5);
  check_answer(times(2), ranks, 0.5);
  check(says(refusal(times(2), ranks.named("tripled")), "'tripled'"), "another name");
}

void never_served(const std::string& what) {
  try {
    std::optional<MpiRanks> ranks;
    if (rank != 2 || what != "never made") ranks.emplace(MPI_COMM_WORLD, MpiOptions{.patience = 1});
    if (rank == 2 && what == "throws") throw std::runtime_error("no mesh");
    if (rank == 2) {
      if (what == "is slow") std::this_thread::sleep_for(std::chrono::seconds(3));
      return;
    }
    if (ranks->serves()) return ranks->serve<1>(times(2));
    for (int k = 0; k < 2; ++k) {
      const std::string words = refusal(times(2), *ranks, 1.5);
      check(says(words, "rank 2"), what + " is told: " + words);
    }
  } catch (const std::runtime_error& error) {
    const std::string words = error.what();
    if (rank == 2)
      check(words == "no mesh", words);
    else
      check(what == "never made" && says(words, rank == 0 ? "rank 2" : "another rank"), words);
  }
}

/// Several MpiRanks at a time, whose ends, and that of MPI, come in an order that is drawn.
void any_order(unsigned seed) {
  std::mt19937 together(seed), alone(seed + 1000 * static_cast<unsigned>(rank));
  const int count = 1 + static_cast<int>(together() % 3);
  const bool outlive = together() % 2;
  std::vector<std::unique_ptr<MpiRanks>> ranks;
  for (int k = 0; k < count; ++k)
    ranks.push_back(std::make_unique<MpiRanks>(MPI_COMM_WORLD, MpiOptions{.patience = 20}));
  std::vector<int> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), together);  // in which rank 0 is done with them
  if (rank > 0)
    for (const int k : order) ranks[static_cast<std::size_t>(k)]->serve<1>(times(k + 2));
  std::vector<std::unique_ptr<AdaptiveGrid<1>>> grids;
  if (rank == 0)
    for (const int k : order) {
      check_answer(times(k + 2), *ranks[static_cast<std::size_t>(k)], 0.25 * (k + 2));
      grids.push_back(std::make_unique<AdaptiveGrid<1>>(times(k + 2), GridOptions<1>{},
                                                        ranks[static_cast<std::size_t>(k)]->named("kept")));
      if (!outlive || k != order.back()) {
        grids.pop_back();
        ranks[static_cast<std::size_t>(k)].reset();
      }
    }
  std::shuffle(order.begin(), order.end(), alone);
  if (!outlive || rank > 0)
    for (const int k : order) ranks[static_cast<std::size_t>(k)].reset();
  MPI_Finalize();
  if (grids.empty()) return;
  Eigen::VectorXd y;
  try {
    grids.back()->evaluate(Point<1>(7.25), y);
    check(false, "behind MPI_Finalize nothing is answered");
  } catch (const std::logic_error& error) {
    check(says(error.what(), "finalized"), error.what());
  }
}

/// f hangs on both ranks for a while; its answers are too long to be sent to one who does not wait for them.
void hangs() {
  const auto f = exact_function<1>(50'000, [](const Point<1>& x, auto y, auto J) {
    if (x[0] < 5) std::this_thread::sleep_for(std::chrono::seconds(3));
    y.setConstant(x[0]);
    J.setOnes();
  });
  const auto began = std::chrono::steady_clock::now();
  {
    const MpiRanks ranks(MPI_COMM_WORLD, {.patience = 1, .time_limit = 0.5});
    if (ranks.serves()) return ranks.serve<1>(f);
    const AdaptiveGrid<1> grid(f, {}, ranks);
    for (const double x : {0.25, 1.25, 8.25}) {  // behind the first there is no other rank
      Eigen::VectorXd y;
      try {
        grid.evaluate(Point<1>(x), y);
        check(false, "it hangs");
      } catch (const std::runtime_error& error) {
        check(says(error.what(), "has not answered within 0.5 s"), error.what());
      }
    }
  }
  check(std::chrono::steady_clock::now() - began < std::chrono::seconds(3), "rank 0 waits for nobody");
}

void too_long() {
  const auto f = exact_function<1>(200'000'000, [](const Point<1>&, auto, auto) { ++calls; });
  const MpiRanks ranks(MPI_COMM_WORLD, {.patience = 2});
  try {
    if (ranks.serves()) {
      ranks.serve<1>(f);
    } else {
      std::vector<CornerSample<1>> samples(1);
      ranks(CornerFunction<1>(f), std::span(samples));
    }
    check(false, "it is refused");
  } catch (const std::invalid_argument& error) {
    check(says(error.what(), "200000000 outputs") && says(error.what(), "268434943 numbers"), error.what());
  }
  check(calls == 0, "f is not called");
}

void forked() {
  const MpiRanks ranks(MPI_COMM_WORLD, {.patience = 5});
  const auto in_child = [&](auto&& work) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);
      wrong = 0;
      work();
      { const MpiRanks copy = ranks; }  // the last handle of the child may go as it ends
      _exit(wrong);
    }
    int status = 0;
    waitpid(child, &status, 0);
    check(status == 0, "a child is told, and ends");
  };
  const auto told = [&] {
    const std::string words = refusal(times(2), ranks);
    check(says(words, "forked from rank " + to_text(rank)), words);
  };
  if (ranks.serves()) {
    in_child([&] {
      try {
        ranks.serve<1>(times(2));
        check(false, "a child does not serve");
      } catch (const std::logic_error& error) {
        check(says(error.what(), "forked from rank"), error.what());
      }
    });
    return ranks.serve<1>(times(2));
  }
  const auto f = times(2);
  in_child(told);
  check_answer(f, ranks, 0.5);
  in_child(told);
  check_answer(f, ranks, 0.5);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "other functions") other_functions();
  if (what == "marked functions") marked_functions();
  if (what == "throws" || what == "is slow" || what == "is left out" || what == "never made") never_served(what);
  if (what == "hangs") hangs();
  if (what == "too long") too_long();
  if (what == "forked") forked();
  if (what == "any order") {
    any_order(static_cast<unsigned>(std::stoi(argv[2])));
    return wrong ? 1 : 0;
  }
  MPI_Finalize();
  return wrong ? 1 : 0;
}
