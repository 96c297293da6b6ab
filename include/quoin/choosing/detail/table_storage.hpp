// SPDX-License-Identifier: BSD-3-Clause
// A storage of f by its own variables, under a grid whose variables may be logarithms of these.
#pragma once

#include "quoin/choosing/detail/table_function.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/sample_storage.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <memory>
#include <utility>

namespace quoin::choosing_detail {

/// What is stored is what f answered by its own variables, so that tables on other axes, and grids, find it too.
template <int Dim>
class TableStorage final : public SampleStorage<Dim> {
 public:
  TableStorage(std::shared_ptr<SampleStorage<Dim>> of, TableAxes<Dim> axes)
      : of_(std::move(of)), axes_(std::move(axes)) {}

  void open(Eigen::Index output_size, int jet_order) override { of_->open(output_size, jet_order); }
  bool keeps() const override { return of_->keeps(); }

  bool find(CornerSample<Dim>& sample, const Point<Dim>& within, Eigen::Index derivatives) override {
    CornerSample<Dim> stored = sample;
    stored.x = from_grid<Dim>(axes_, sample.x);
    const Point<Dim> by_axis = stretch<Dim>(axes_, stored.x);
    // Logarithms there and back are off by some rounding errors of the variable.
    const Point<Dim> rounding = 1e-14 * stored.x.cwiseAbs();
    if (!of_->find(stored, within.cwiseProduct(by_axis.cwiseAbs()) + rounding, derivatives)) return false;
    if (stored.jet.cols() > 1) stored.jet.rightCols(Dim) *= by_axis.asDiagonal();
    stored.x = sample.x;
    sample = std::move(stored);
    return true;
  }

  void keep(const CornerSample<Dim>& sample) override {
    CornerSample<Dim> stored = sample;
    stored.x = from_grid<Dim>(axes_, sample.x);
    if (stored.jet.cols() > 1) stored.jet.rightCols(Dim) *= stretch<Dim>(axes_, stored.x).cwiseInverse().asDiagonal();
    of_->keep(stored);
  }

 private:
  std::shared_ptr<SampleStorage<Dim>> of_;
  TableAxes<Dim> axes_;
};

}  // namespace quoin::choosing_detail
