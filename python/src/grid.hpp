// SPDX-License-Identifier: BSD-3-Clause
// Grids and views of any dimension, as Python holds them.
#pragma once

#include "map.hpp"
#include "quoin/grid/error_check.hpp"
#include "quoin/grid/filled.hpp"
#include "quoin/grid/grid_options.hpp"

#include <pybind11/pybind11.h>

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace quoin::python {

/// A GridView<Dim>. Methods with a Python object in their signature are called with the GIL, the others without.
class AnyView : public Map {
 public:
  virtual int jet_order() const = 0;
  virtual int level() const = 0;
  virtual std::optional<double> tolerance() const = 0;
  virtual Eigen::VectorXd spacing() const = 0;

  virtual std::shared_ptr<AnyView> at_level(int level) const = 0;
  virtual std::shared_ptr<AnyView> at_tolerance(double tolerance) const = 0;
  /// Throws std::invalid_argument for a view of another dimension.
  virtual std::shared_ptr<AnyView> at_resolution_of(const AnyView& view) const = 0;
  virtual std::shared_ptr<AnyView> linear_output(const Eigen::MatrixXd& C, const Eigen::VectorXd& weights) const = 0;

  virtual Answer curvature(const double* x, const Eigen::VectorXd& v, Eigen::MatrixXd& V) const = 0;
  virtual Answer error_estimate(const double* x) const = 0;
  virtual Answer error_along(const Eigen::Ref<const Eigen::MatrixXd>& X) const = 0;
  virtual std::string why_unknown(const Eigen::Ref<const Eigen::MatrixXd>& X) const = 0;
  virtual py::dict sample(const Eigen::Ref<const Eigen::MatrixXd>& X) const = 0;
  virtual ErrorCheck check(const Eigen::Ref<const Eigen::MatrixXd>& X, int calls) const = 0;
  virtual void prefetch(const Eigen::Ref<const Eigen::MatrixXd>& X) const = 0;
  /// lower, upper: dim numbers each; nullptr: of the domain.
  virtual Filled fill(const double* lower, const double* upper) const = 0;
  virtual void prefetch_async(const Eigen::Ref<const Eigen::MatrixXd>& X) const = 0;
  virtual void cancel_requests() const = 0;
  /// missing: dim x the number of corners that are not there.
  virtual Answer evaluate_cached(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J,
                                 Eigen::MatrixXd& missing) const = 0;
  /// A FrozenView<Dim>, and how many cells and bytes it has.
  struct Frozen {
    std::shared_ptr<Map> map;
    std::size_t cells, bytes;
  };
  virtual Frozen frozen(MissingPolicy missing) const = 0;
  virtual Eigen::VectorXd nearest_corner(const double* x) const = 0;
  virtual void corner_jet(const double* x, Eigen::MatrixXd& jet) const = 0;

 protected:
  using Map::Map;
};

/// An AdaptiveGrid<Dim>. All methods are called with the GIL.
class AnyGrid {
 public:
  virtual ~AnyGrid() = default;

  /// The map at the grid's present level or tolerance.
  virtual std::shared_ptr<AnyView> view() const = 0;
  virtual void refine() = 0;
  virtual void trim() = 0;
  virtual py::dict samples() const = 0;
  virtual py::dict insert(const py::dict& samples) = 0;
  virtual py::dict statistics() const = 0;
  /// Algorithm 1. show(view): the object that the solver and `errors` see. See python_interleave.hpp.
  virtual py::dict interleave(const py::object& solve, const py::object& guess, const py::dict& options,
                              const py::object& show) = 0;
};

/// Makes a grid over f. options: by the names of GridOptions, and outputs, order, concurrent; see quoin/grids.py.
/// source: quoin._source.Source. It is None for a grid without a function, of options["samples"], and for one of
/// options["workers"].
std::shared_ptr<AnyGrid> make_grid(int dim, const py::object& source, const py::dict& options);

/// Throws std::invalid_argument for options that no grid can have, whatever its f; without store and memory budget.
void check_grid_options(int dim, const py::dict& options);

/// One Dim of these; compiled in grids_1_to_3.cpp and grids_4_to_6.cpp.
template <int Dim>
std::shared_ptr<AnyGrid> make_grid_of(const py::object& source, const py::dict& options);
template <int Dim>
void check_grid_options_of(const py::dict& options);

}  // namespace quoin::python
