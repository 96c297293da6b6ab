// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/choosing/detail/surrogate_making.hpp"
#include "quoin/choosing/surrogate_report.hpp"
#include "quoin/choosing/surrogate_view.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/point.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace quoin {

/// A surrogate of f in a box, to an error, for those who do not want to choose: a kernel of few samples where f is
/// smooth, else a grid to a tolerance, or f itself where a call of it takes less than 5 us.
///
///   quoin::Surrogate<3> arm(f, lower, upper, {.error = 2e-4});
///   arm.report().message;         // "3 -> 45, kernel of 22 values, held-out error 0.00012 at 8 points, 210 ms"
///   arm.evaluate(x, y, J);        // as any map
///   auto tip = arm.linear_output(C);
///
/// f is called where least is known, until its values there were predicted to the error; then at points that chance
/// chooses and that nothing is learnt from, which say what the error is. A kernel takes values, or jets where f gives
/// derivatives. Where samples do not converge, and where f fails or labels two branches, the grid answers, and calls
/// f on demand. The same f in the same box is sampled at the same points: with a storage in the grid a program that is
/// started again calls it no more.
///
/// A feature that no sample has met is not seen: the report's error holds for most of the box, not all of it. Copies
/// share the grid; queries are const and safe from many threads.
template <int Dim>
class Surrogate : public SurrogateView<Dim> {
 public:
  /// f: as AdaptiveGrid takes it; evaluator: who calls it at samples. Throws std::invalid_argument, with the numbers,
  /// for a box that is none and for options that mean nothing, and what evaluators throw.
  template <class F>
    requires SampleableFunction<F, Dim>
  Surrogate(const F& f, const Point<Dim>& lower, const Point<Dim>& upper, const SurrogateOptions& options,
            Evaluator<Dim> evaluator = ThisThread{})
      : Surrogate(std::make_shared<AdaptiveGrid<Dim>>(f, in_box(lower, upper, options), std::move(evaluator)), options,
                  CornerFunction<Dim>(f)) {}
  /// Does not compile, and says how a callable becomes a function.
  template <BareCallable F>
  Surrogate(const F&, const Point<Dim>&, const Point<Dim>&, const SurrogateOptions& options,
            const Evaluator<Dim>& = ThisThread{})
      : Surrogate((detail::refuse_bare_callable<F>(), nullptr), options) {}

  /// In the domain of this grid, which must be bounded and without periods, with its evaluator, storage, policies and
  /// weights, and the spacing from which a tolerance starts. f itself does not answer, however fast it is.
  Surrogate(std::shared_ptr<const AdaptiveGrid<Dim>> grid, const SurrogateOptions& options)
      : Surrogate(grid ? std::move(grid) : throw std::invalid_argument("Surrogate: the grid is a null pointer"),
                  options, std::nullopt) {}

  // A moved-from surrogate goes on answering: moves are copies.
  Surrogate(const Surrogate&) = default;
  Surrogate& operator=(const Surrogate&) = default;

  /// What came of the choice.
  const SurrogateReport& report() const { return report_; }
  /// By which f is sampled. Its samples() are all that f has answered, those that are held out included.
  const AdaptiveGrid<Dim>& grid() const { return *grid_; }
  /// Calls of f for samples so far, those from a storage left out.
  std::size_t evaluations() const { return grid_->statistics().exact_evaluations; }

 private:
  using Making = choosing_detail::SurrogateMaking<Dim>;
  using Itself = std::optional<CornerFunction<Dim>>;

  Surrogate(std::shared_ptr<const AdaptiveGrid<Dim>> grid, const SurrogateOptions& options, const Itself& f)
      : Surrogate(grid, options, Making(*grid, options, f.has_value()), f) {}
  Surrogate(std::shared_ptr<const AdaptiveGrid<Dim>> grid, const SurrogateOptions& options, const Making& made,
            const Itself& f)
      : SurrogateView<Dim>(map_of(*grid, options, made, f)), grid_(std::move(grid)), report_(made.report()) {}

  static typename SurrogateView<Dim>::Map map_of(const AdaptiveGrid<Dim>& grid, const SurrogateOptions& options,
                                                 const Making& made, const Itself& f) {
    if (made.kernel()) return made.kernel()->view();
    if (made.report().kind == SurrogateKind::grid_tolerance) return grid.at_tolerance(options.error);
    return choosing_detail::FunctionView<Dim>(*f, grid.options().lower, grid.options().upper);
  }

  static GridOptions<Dim> in_box(const Point<Dim>& lower, const Point<Dim>& upper, const SurrogateOptions& options) {
    choosing_detail::check_surrogate<Dim>(lower, upper, options);
    std::array<int, std::size_t{Dim}> cells;
    cells.fill(choosing_detail::first_cells(Dim));
    GridOptions<Dim> grid = GridOptions<Dim>::over(lower, upper, cells);
    grid.output_weights = options.output_weights;
    return grid;
  }

  std::shared_ptr<const AdaptiveGrid<Dim>> grid_;
  SurrogateReport report_;
};

}  // namespace quoin
