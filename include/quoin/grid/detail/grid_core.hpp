// SPDX-License-Identifier: BSD-3-Clause
// The state that all views of a grid share, and the last step to a missing corner: the call of f or of a functional.
#pragma once

#include "quoin/grid/detail/corners/background.hpp"
#include "quoin/grid/detail/corners/differenced_gradients.hpp"
#include "quoin/grid/detail/corners/eviction_lock.hpp"
#include "quoin/grid/detail/corners/function_calls.hpp"
#include "quoin/grid/detail/corners/jet_field.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/query/check_options.hpp"
#include "quoin/grid/detail/query/query_counters.hpp"
#include "quoin/grid/detail/query/spot_checks.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/grid/grid_statistics.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The state that a grid and all its views share: the function, its corners, and the fields made from them.
template <int Dim>
class GridCore {
 public:
  using Field = JetField<Dim>;

  GridCore(CornerFunction<Dim> f, const GridOptions<Dim>& options, Evaluator<Dim> evaluator)
      : options_(options),
        lattice_(options.origin, options.spacing, options.lower, options.upper, options.deepest_level,
                 options.periodic),
        calls_(std::move(f), std::move(evaluator), options.storage),
        f_(calls_.function()) {
    path_.gated = !f_.traits().concurrent && !calls_.evaluator().elsewhere();
    path_.singly = path_.gated || calls_.evaluator().one_by_one();
    const WeightedNorm norm(f_.output_size(), options.output_weights, "GridOptions::output_weights");
    check_options(options, f_, calls_.evaluator());
    path_.clock.running = options.memory_budget.has_value();
    if (options_.storage) options_.storage->open(f_.output_size(), f_.order());
    sampled_ = &own_fields_.emplace_back(
        lattice_, norm, f_.output_size(), f_.order(), format(), false, f_.traits().repeatable_to, path_,
        [this](const Requester&, auto, std::span<CornerSample<Dim>> samples) { call_function(samples); });
    answering_ = sampled_;
    if (!f_.differenced()) return;
    const DifferencedGradients<Dim> gradients(lattice_, *sampled_);
    answering_ = &own_fields_.emplace_back(
        lattice_, norm, f_.output_size(), 1, format(), true, f_.traits().repeatable_to, path_, gradients, sampled_,
        [gradients](int level, const Address<Dim>& address) { return gradients.nodes(level, address); });
  }
  GridCore(const GridCore&) = delete;
  GridCore& operator=(const GridCore&) = delete;

  const GridOptions<Dim>& options() const { return options_; }
  bool differenced() const { return f_.differenced(); }
  const Lattice<Dim>& lattice() const { return lattice_; }
  /// Of all jets that it keeps.
  const JetFormat& format() const { return options_.precision ? *options_.precision : jet_format<double>; }
  const CornerFunction<Dim>& function() const { return f_; }
  QueryCounters& counters() { return counters_; }
  SpotChecks<Dim>& spot_checks() { return spot_checks_; }
  /// Lets each cell that answers to a tolerance be compared with f inside.
  void look_everywhere() {
    const std::lock_guard lock(path_.mutex);
    for_each_field([](Field& field) { field.memory().forget_answers(); });
  }
  std::size_t evaluations() const { return calls_.evaluations(); }
  /// What was requested and nobody waits for. Its work may refer to the core.
  Background& background() { return background_; }

  /// The field that answers for the function itself.
  Field& answering() { return *answering_; }

  /// A field of C f. C: M x N; weights: M, of its norm, or empty. The field is freed with its last owner; it keeps its
  /// parent and the core alive.
  static std::shared_ptr<Field> linear_output(const std::shared_ptr<GridCore>& core,
                                              const std::shared_ptr<Field>& parent, const Eigen::MatrixXd& C,
                                              const Eigen::VectorXd& weights) {
    const char* who = "AdaptiveGrid::linear_output";
    if (C.cols() != parent->rows() || C.rows() < 1)
      throw std::invalid_argument(std::string(who) + ": C is " + shape_text(C) + ", the map has " +
                                  to_text(parent->rows()) + " outputs");
    for (Eigen::Index j = 0; j < C.cols(); ++j)
      for (Eigen::Index i = 0; i < C.rows(); ++i)
        if (!std::isfinite(C(i, j)))
          throw std::invalid_argument(std::string(who) + ": C(" + to_text(i) + ", " + to_text(j) +
                                      ") = " + to_text(C(i, j)) + " is not finite");
    struct Functional {
      Functional(std::shared_ptr<GridCore> of, std::shared_ptr<Field> from, const Eigen::MatrixXd& with,
                 WeightedNorm norm)
          : core(std::move(of)),
            parent(std::move(from)),
            C(with),
            field(
                core->lattice_, std::move(norm), C.rows(), parent->interpolant().order(), core->format(),
                core->f_.differenced(), core->f_.traits().repeatable_to, core->path_,
                [this](const Requester& requester, std::span<const Address<Dim>> addresses,
                       std::span<CornerSample<Dim>> samples) { apply(C, *parent, requester, addresses, samples); },
                parent.get(), [](int, const Address<Dim>& address) { return std::vector<Address<Dim>>{address}; },
                [this](Eigen::MatrixXd jet) -> Eigen::MatrixXd {
                  return product(C, parent->transform(std::move(jet)));
                }) {
        const std::lock_guard lock(core->path_.mutex);
        core->functionals_.push_back(&field);
      }
      ~Functional() {
        const std::lock_guard lock(core->path_.mutex);
        std::erase(core->functionals_, &field);
      }
      std::shared_ptr<GridCore> core;
      std::shared_ptr<Field> parent;
      Eigen::MatrixXd C;
      Field field;
    };
    auto functional = std::make_shared<Functional>(core, parent, C, WeightedNorm(C.rows(), weights, who));
    Field* field = &functional->field;
    return {std::move(functional), field};
  }

  /// Fills in samples that are no corners, or are corners of the function's own field.
  void call_function(std::span<CornerSample<Dim>> samples) {
    calls_(
        samples, [this](const Point<Dim>& x) { return lattice_.rounding(x); },
        [this](const Point<Dim>& x) { return sampled_->nearest_solved(x); });
  }

  /// Calls f once, at a query point; never concurrently if f is not concurrent.
  CornerSample<Dim> call_function_at(const Point<Dim>& x) {
    const Request request;
    std::optional<Gate::Pass> pass;
    if (path_.gated) pass.emplace(path_.gate, request);
    CornerSample<Dim> sample{.x = lattice_.within_period(x), .jet = {}, .reason = {}, .request = &request};
    call_function({&sample, 1});
    sample.check(f_.output_size(), f_.derivatives(), sampled_->store(0).largest());
    return sample;
  }

  /// While it lives nothing that a query may point to leaves memory; when it ends, what exceeds the budget may.
  class Hold {
   public:
    explicit Hold(GridCore& core) : core_(core.options_.memory_budget ? &core : nullptr) {
      if (core_) hold_.emplace(core_->eviction_lock_);
    }
    ~Hold() {
      if (!core_) return;
      hold_.reset();
      core_->keep_budget();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    GridCore* core_;
    std::optional<EvictionLock::Hold> hold_;
  };

  /// Of the function's corners, those that failed included.
  std::vector<Address<Dim>> known_addresses() const {
    std::vector<Address<Dim>> addresses;
    for (const auto& [corner, reason] : sampled_->known_corners())
      addresses.push_back(Lattice<Dim>::address(corner->key));
    return addresses;
  }

  /// The function's corners, as arrays.
  Samples<Dim> samples() {
    const Hold hold(*this);
    const auto corners = sampled_->known_corners();
    Samples<Dim> samples = samples_of_size(corners.size());
    StopCheck stop(64);
    for (std::size_t m = 0; m < corners.size(); ++m) {
      stop();
      write(*corners[m].first, corners[m].second, m, samples);
    }
    return samples;
  }

  /// f at lattice points, evaluated together where it is not known, and kept.
  Samples<Dim> sample(std::span<const Address<Dim>> addresses) {
    const Hold hold(*this);
    std::vector<const Corner*> corners(addresses.size());
    sampled_->require_corners({.level = lattice_.deepest_level(), .to_tolerance = true}, addresses, corners);
    Samples<Dim> samples = samples_of_size(corners.size());
    for (std::size_t m = 0; m < corners.size(); ++m) {
      const Corner& corner = *corners[m];
      write(corner, corner.failed() ? sampled_->failure(0, corner) : std::string(), m, samples);
    }
    return samples;
  }

  /// Keeps samples as corners of the function.
  InsertedSamples insert(const Samples<Dim>& samples) {
    samples.check(f_.output_size(), "AdaptiveGrid<" + to_text(Dim) + ">::insert");
    const Hold hold(*this);
    InsertedSamples use;
    StopCheck stop(64);
    for (Eigen::Index m = 0; m < samples.size(); ++m) {
      stop();
      const auto s = static_cast<std::size_t>(m);
      const auto address = lattice_.find(samples.point(m));
      if (!address) {
        ++use.off_lattice;
      } else if (samples.failed(m) && samples.retry[s]) {
        ++use.to_retry;
      } else if (!samples.failed(m) && samples.jet_order < f_.order()) {
        ++use.of_lower_order;
      } else {
        CornerSample<Dim> sample{.x = samples.point(m), .jet = {}, .branch = samples.branches[s], .reason = {}};
        sample.seconds = samples.seconds[s];
        if (samples.failed(m))
          sample.reason = samples.reasons[s];
        else
          sample.jet = samples.jet(m).leftCols(f_.derivatives());
        calls_.store(sample);
        ++(sampled_->keep(*address, std::move(sample)) ? use.used : use.known);
      }
    }
    return use;
  }

  GridStatistics statistics() {
    GridStatistics s;
    s.exact_evaluations = calls_.evaluations();
    s.from_storage = calls_.from_storage();
    s.batches = calls_.batches();
    s.evicted_corners = evicted_.load(std::memory_order_relaxed);
    s.queries = counters_.queries();
    s.seconds_in_function = calls_.seconds();
    s.seconds_per_query = counters_.seconds_per_query();
    {
      const std::lock_guard lock(path_.mutex);
      s.corners = sampled_->store(0).size();
      s.failed_corners = sampled_->store(0).failed();
      s.unused_corners = sampled_->memory().idle_corners();
      for_each_field([&s](const Field& field) {
        s.cells += field.memory().cell_count();
        s.bytes += field.memory().bytes();
      });
    }
    s.doubts = doubts();
    if (s.exact_evaluations > 0) {
      const double call = s.seconds_in_function / static_cast<double>(s.exact_evaluations);
      s.break_even_queries = s.seconds_per_query < call ? s.seconds_in_function / (call - s.seconds_per_query)
                                                        : std::numeric_limits<double>::infinity();
    }
    return s;
  }

  /// False: there are no doubts(). Costs nothing.
  bool doubtful() const { return path_.doubtful.load(std::memory_order_relaxed) > 0 || spot_checks_.contradicted(); }
  /// Of f, or where it leaves none, of one of its functionals.
  FunctionDoubts doubts() {
    FunctionDoubts found;
    if (!doubtful()) return found;
    const std::lock_guard lock(path_.mutex);
    found = answering_->doubts("");
    for (const Field* field : functionals_)
      if (found.message.empty()) found = field->doubts("a functional's ");
    found.unseen = spot_checks_.largest();
    if (found.unseen > 0)
      found.message +=
          (found.message.empty() ? "" : "; ") + ("f is off by " + to_text(found.unseen)) +
          " inside a cell whose corners and centre show less than a third of it, as where it has the period "
          "of an edge, or a part of it: another spacing sees more";
    return found;
  }

  /// Frees the corners that a level, or queries to a tolerance, have not asked for; those that a functional keeps, its
  /// function keeps too. No query may be running. Throws as Background::cancel does, and has then freed nothing.
  void trim(const Requester& requester) {
    background_.cancel();
    for (auto field = functionals_.rbegin(); field != functionals_.rend(); ++field)
      (*field)->memory().mark_kept(requester);
    for (auto field = own_fields_.rbegin(); field != own_fields_.rend(); ++field) field->memory().mark_kept(requester);
    for (Field* field : functionals_) field->memory().keep_marked();
    for (Field& field : own_fields_) field.memory().keep_marked();
  }

  /// The child has the corners, and of who was at work on them the thread that forked alone. What was requested and
  /// nobody waits for, the parent does.
  void after_fork_in_child() noexcept {
    path_.claims.forget_other_threads();
    path_.gate.forget_other_threads();
    eviction_lock_.forget_other_threads();
    std::construct_at(&background_);  // the thread of the old one is not there to be joined
  }

 private:
  template <class Visitor>
  void for_each_field(Visitor&& visit) {
    for (Field& field : own_fields_) visit(field);
    for (Field* field : functionals_) visit(*field);
  }

  Samples<Dim> samples_of_size(std::size_t count) const {
    Samples<Dim> samples{.jet_order = f_.order(), .difference_gradients = f_.differenced()};
    samples.resize(f_.output_size(), static_cast<Eigen::Index>(count));
    return samples;
  }
  // A corner of f as sample m. reason: of its failure, or empty.
  void write(const Corner& corner, const std::string& reason, std::size_t m, Samples<Dim>& samples) const {
    const auto column = static_cast<Eigen::Index>(m);
    samples.points.col(column) = lattice_.point(Lattice<Dim>::address(corner.key));
    samples.branches[m] = corner.branch;
    samples.seconds[m] = corner.seconds;
    if (reason.empty()) {
      Eigen::MatrixXd jet;
      sampled_->store(0).unpack(corner, jet);
      samples.jet(column) = jet;
    } else {
      samples.reasons[m] = reason;
      samples.retry[m] = corner.may_pass();
    }
  }

  // If corners have come since it was last looked at, and there are too many now: lets half of them go, unless queries
  // are at work for too long. Then a later one does.
  void keep_budget() noexcept {
    if (Request::current() != nullptr) return;  // within a call of f, and so within a query of this grid or another
    const std::uint64_t now = path_.clock.now.load(std::memory_order_relaxed);
    if (looked_at_.load(std::memory_order_relaxed) == now || eviction_lock_.refuses()) return;
    std::size_t bytes = 0;
    {
      const std::lock_guard lock(path_.mutex);
      for_each_field([&bytes](const Field& field) { bytes += field.memory().bytes(); });
    }
    if (bytes > *options_.memory_budget &&
        !eviction_lock_.try_exclusive([this] { evict(*options_.memory_budget / 2); }))
      return;
    looked_at_.store(now, std::memory_order_relaxed);
  }

  // Lets corners go, those first that were used least recently, until the others take at most so many bytes.
  void evict(std::size_t bytes) noexcept {
    const std::lock_guard lock(path_.mutex);
    for_each_field([this](Field& field) { field.memory().note_use_of_corners(options_.surplus_generations); });
    std::uint64_t first = 0, last = path_.clock.now.load(std::memory_order_relaxed) + 1;  // of what stays: bisected
    while (first < last) {
      const std::uint64_t middle = first + (last - first) / 2;
      std::size_t kept = 0;
      for_each_field([&](const Field& field) { kept += field.memory().bytes_since(middle); });
      if (kept <= bytes)
        last = middle;
      else
        first = middle + 1;
    }
    for_each_field([&](Field& field) {
      const std::size_t dropped = field.memory().keep_since(first);
      if (&field == sampled_) evicted_.fetch_add(dropped, std::memory_order_relaxed);
    });
  }

  // C f at corners, from those of f.
  static void apply(const Eigen::MatrixXd& C, Field& parent, const Requester& requester,
                    std::span<const Address<Dim>> addresses, std::span<CornerSample<Dim>> samples) {
    std::vector<const Corner*> corners(addresses.size());
    Requester of_parent = requester;
    of_parent.ahead = false;  // a query that finds the functional's corner does not come here
    parent.require_corners(of_parent, addresses, corners);
    Eigen::MatrixXd jet;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      samples[i].branch = corners[i]->branch;
      if (corners[i]->failed()) {
        samples[i].retry = corners[i]->may_pass();
        samples[i].reason = parent.failure(requester.level, *corners[i]);
      } else {
        parent.store(requester.level).unpack(*corners[i], jet);
        samples[i].jet = product(C, jet);
      }
    }
  }
  // Column by column: Eigen's product of two matrices takes a second to compile.
  static Eigen::MatrixXd product(const Eigen::MatrixXd& C, const Eigen::MatrixXd& jet) {
    Eigen::MatrixXd product(C.rows(), jet.cols());
    for (Eigen::Index a = 0; a < jet.cols(); ++a) product.col(a).noalias() = C * jet.col(a);
    return product;
  }

  GridOptions<Dim> options_;
  Lattice<Dim> lattice_;
  FunctionCalls<Dim> calls_;
  const CornerFunction<Dim>& f_;
  MissingCornerPath path_;
  std::deque<Field> own_fields_;     // stable addresses
  std::vector<Field*> functionals_;  // those in use, in the order in which they came
  Field* sampled_ = nullptr;
  Field* answering_ = nullptr;
  QueryCounters counters_;
  SpotChecks<Dim> spot_checks_{lattice_};
  EvictionLock eviction_lock_;
  std::atomic<std::uint64_t> looked_at_{0};  // UseClock's time at which memory was within the budget
  std::atomic<std::size_t> evicted_{0};
  Background background_;  // behind all that it uses
  AtFork<GridCore> at_fork_{*this};
};

}  // namespace quoin::grid_detail
