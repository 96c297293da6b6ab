// SPDX-License-Identifier: BSD-3-Clause
// The path of a missing corner, from the store that does not have it back into the store.
//
//   CellField::require_corners           a cell, a surplus or a gradient needs corners
//     CornerRequests::require            finds them in the store; the path ends here if none is missing
//       Gate::Pass                       gate: waits for its turn to call an f that is not concurrent
//       refuse_circles                   throws CornerFailure if a corner that it wants waits for it
//       Claims::claim                    claim: corners that another request has claimed are waited for below
//       CornerSource                     evaluate: one of three, without a lock
//         FunctionCalls                    from the storage or f itself, through the Evaluator, into CornerSample
//         DifferencedGradients             from corners of the field of values: this path once more
//         GridCore::apply                  C f, from corners of the field of f: this path once more
//       ClaimedCorners::keep             keep: checked, then into the CornerStore, failures with their reason
//       ~ClaimedCorners                  release: whatever happens; wakes those who wait
//       wait_for                         for corners that others had claimed; unfinished ones begin again
//
// Turns, and how threads wait for them, are in turns.hpp.
#pragma once

#include "quoin/grid/detail/corners/corner_store.hpp"
#include "quoin/grid/detail/corners/wait_graph.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/request.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Which request evaluates which corner of one grid. All members are called with the mutex of the WaitGraph held.
class Claims {
 public:
  /// False if another request has it.
  bool claim(const CornerName& name, const Request& request) {
    return owners_.try_emplace(name, Ownership{&request}).second;
  }
  /// nullptr if no request has it.
  const Ownership* find(const CornerName& name) const {
    const auto owned = owners_.find(name);
    return owned == owners_.end() ? nullptr : &owned->second;
  }
  void release(const CornerName& name) noexcept {
    const auto owned = owners_.find(name);
    WaitGraph::of_process().release(owned->second);
    owners_.erase(owned);
  }
  /// In the child of a fork: nobody evaluates what other threads have claimed.
  void forget_other_threads() noexcept {
    std::erase_if(owners_, [](const auto& claim) { return !claim.second.holder->made_here(); });
  }

 private:
  std::map<CornerName, Ownership> owners_;
};

/// The state that all fields of one grid share on the path of a missing corner.
struct MissingCornerPath {
  /// Of stores, cells and surpluses; never held while f runs, nor together with the WaitGraph's.
  ForkSafeMutex mutex;
  Claims claims;
  Gate gate;           ///< passed by those who may call f, if f is not concurrent
  bool gated = false;  ///< f is not concurrent
  /// Corners are claimed and evaluated one by one, unless an evaluator can use several: a corner that waits in a batch
  /// behind another, whose f asks the grid for it, would look as if it waited for itself.
  bool singly = false;
  std::atomic<int> doubtful = 0;  ///< fields whose FunctionDoubts are not empty
  UseClock clock;
};

/// Computes jets, or reasons, for the samples (their x is set) at these addresses; called without a lock.
template <int Dim>
using CornerSource = std::function<void(const Requester&, std::span<const Address<Dim>>, std::span<CornerSample<Dim>>)>;

/// Corners that one request has claimed, on their way into a store: finished ones are kept whatever happens, and all
/// are released in the end, so that other requests find or compute them.
template <int Dim>
class ClaimedCorners {
 public:
  /// most: the largest number of corners to claim. Keeps references.
  ClaimedCorners(MissingCornerPath& path, const Lattice<Dim>& lattice, CornerStore& store, const Request& request,
                 std::size_t most)
      : path_(path), lattice_(lattice), store_(store), request_(request) {
    addresses_.reserve(most);
    samples_.reserve(most);
  }
  ~ClaimedCorners() {
    while (kept_ < samples_.size()) {
      try {
        keep(true);
      } catch (const std::bad_alloc&) {
        ++kept_;  // this one will be evaluated again
      }
    }
    const std::lock_guard lock(WaitGraph::of_process().mutex());
    for (const Address<Dim>& address : addresses_) path_.claims.release(name(address));
  }
  ClaimedCorners(const ClaimedCorners&) = delete;
  ClaimedCorners& operator=(const ClaimedCorners&) = delete;

  /// False if another request has it. Called with the mutex of the WaitGraph held.
  bool claim(const Address<Dim>& address) {
    if (!path_.claims.claim(name(address), request_)) return false;
    addresses_.push_back(address);
    samples_.push_back({.x = lattice_.point(address), .jet = {}, .reason = {}, .request = &request_});
    return true;
  }

  std::span<const Address<Dim>> addresses() const { return addresses_; }
  std::span<CornerSample<Dim>> samples() { return samples_; }

  /// Puts the samples into the store. only_finished: leaves out those that have not been evaluated.
  void keep(bool only_finished = false) {
    const std::lock_guard lock(path_.mutex);
    for (; kept_ < samples_.size(); ++kept_) {
      CornerSample<Dim>& sample = samples_[kept_];
      if (only_finished && !sample.finished()) continue;
      sample.check(store_.rows(), store_.derivatives(), store_.largest());
      const LatticeKey key = Lattice<Dim>::key(addresses_[kept_]);
      const Corner* corner = sample.reason.empty()
                                 ? store_.insert(key, sample.jet, sample.branch, sample.seconds)
                                 : store_.insert_failed(key, sample.reason, sample.retry, sample.seconds);
      corner->used = ++path_.clock.now;
    }
  }

 private:
  CornerName name(const Address<Dim>& address) const { return {&store_, Lattice<Dim>::key(address)}; }

  MissingCornerPath& path_;
  const Lattice<Dim>& lattice_;
  CornerStore& store_;
  const Request& request_;
  std::vector<Address<Dim>> addresses_;
  std::vector<CornerSample<Dim>> samples_;
  std::size_t kept_ = 0;
};

/// Finds corners in a store, or has them computed, each once for all requests.
template <int Dim>
class CornerRequests {
 public:
  /// Keeps references.
  CornerRequests(MissingCornerPath& path, const Lattice<Dim>& lattice, CornerStore& store,
                 const CornerSource<Dim>& source, const Requester& requester)
      : path_(path), lattice_(lattice), store_(store), source_(source), requester_(requester) {}

  /// found[i] belongs to addresses[i] and is never null. Throws CornerFailure if a corner waits for itself, and what
  /// the source itself throws: finished corners are then kept, and the others released.
  void require(std::span<const Address<Dim>> addresses, std::span<const Corner*> found) {
    std::vector<std::size_t> missing;
    StopCheck stop(1024);
    for (std::size_t i = 0; i < addresses.size(); ++i, stop())
      if (!find(addresses[i], found[i])) missing.push_back(i);
    if (!missing.empty()) compute(addresses, missing, found);
    for (const Corner* corner : found) store_.note(*corner, requester_);
  }

 private:
  // Claimed at a time: what is done for so many between two calls of f takes a moment.
  static constexpr std::size_t most_together = 1 << 14;

  // True if the corner is there, and is not to be tried again.
  bool find(const Address<Dim>& address, const Corner*& corner) const {
    corner = store_.find(Lattice<Dim>::key(address));
    return corner != nullptr && !corner->may_pass();
  }

  CornerName name(const Address<Dim>& address) const { return {&store_, Lattice<Dim>::key(address)}; }

  void compute(std::span<const Address<Dim>> addresses, std::vector<std::size_t>& missing,
               std::span<const Corner*> found) {
    const Request request;
    const Miss miss(request, missing.size());
    std::optional<Gate::Pass> pass;
    if (path_.gated) pass.emplace(path_.gate, request);
    refuse_circles(addresses, missing, request);
    std::vector<std::size_t> theirs;
    theirs.reserve(missing.size());
    while (!missing.empty()) {
      const std::size_t batch = path_.singly ? 1 : most_together;
      StopCheck stop;
      for (std::size_t first = 0; first < missing.size(); first += batch) {
        if (!path_.singly) stop();
        compute_unclaimed(addresses, {missing.data() + first, std::min(batch, missing.size() - first)}, found, request,
                          theirs);
      }
      missing.clear();
      for (const std::size_t i : theirs) {
        wait_for(addresses[i], request);
        found[i] = store_.find(Lattice<Dim>::key(addresses[i]));
        if (found[i] == nullptr) missing.push_back(i);  // the request that had it was interrupted
      }
      theirs.clear();
    }
  }

  // Tells the watch of a query how many corners it needs; not those that other corners are made of.
  class Miss {
   public:
    Miss(const Request& request, std::size_t count) : watch_(request.outermost() ? request.watch() : nullptr) {
      if (watch_) watch_->miss(count);
    }
    ~Miss() {
      if (watch_) watch_->has_all();
    }
    Miss(const Miss&) = delete;
    Miss& operator=(const Miss&) = delete;

   private:
    Watch* watch_;
  };

  // Called before the function is evaluated at the other corners, where it might recurse in the same way without end.
  void refuse_circles(std::span<const Address<Dim>> addresses, std::span<const std::size_t> missing,
                      const Request& request) {
    const std::lock_guard lock(WaitGraph::of_process().mutex());
    for (const std::size_t i : missing) {
      const Ownership* owned = path_.claims.find(name(addresses[i]));
      if (owned != nullptr && request.descends_from(owned->holder)) throw_circular(addresses[i]);
    }
  }

  // Computes the missing corners that no other request is computing; appends the others to theirs.
  void compute_unclaimed(std::span<const Address<Dim>> addresses, std::span<const std::size_t> missing,
                         std::span<const Corner*> found, const Request& request, std::vector<std::size_t>& theirs) {
    std::vector<std::size_t> mine;
    mine.reserve(missing.size());
    ClaimedCorners<Dim> claimed(path_, lattice_, store_, request, missing.size());
    {
      const std::lock_guard lock(WaitGraph::of_process().mutex());
      for (const std::size_t i : missing) {
        if (find(addresses[i], found[i])) continue;
        (claimed.claim(addresses[i]) ? mine : theirs).push_back(i);
      }
    }
    if (mine.empty()) return;
    {
      const Request::Scope scope(&request);  // the source asks other fields on the request's behalf
      source_(requester_, claimed.addresses(), claimed.samples());
    }
    claimed.keep();
    for (const std::size_t i : mine) found[i] = store_.find(Lattice<Dim>::key(addresses[i]));
  }

  void wait_for(const Address<Dim>& address, const Request& request) {
    WaitGraph& graph = WaitGraph::of_process();
    std::unique_lock lock(graph.mutex());
    while (const Ownership* owned = path_.claims.find(name(address))) {
      if (graph.would_deadlock(*owned, request)) throw_circular(address);
      graph.wait(lock, *owned, request);
    }
  }

  [[noreturn]] void throw_circular(const Address<Dim>& address) const {
    throw CornerFailure("the function asks the grid for the corner that it is being evaluated for, " +
                        to_text(lattice_.point(address)) + ", or for one that waits for it");
  }

  MissingCornerPath& path_;
  const Lattice<Dim>& lattice_;
  CornerStore& store_;
  const CornerSource<Dim>& source_;
  Requester requester_;
};

}  // namespace quoin::grid_detail
