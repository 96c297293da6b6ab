// SPDX-License-Identifier: BSD-3-Clause
// From maps of any dimension to maps of one, and back.
#pragma once

#include "map.hpp"
#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/to_text.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

namespace quoin::python {

/// A Map as a DifferentiableMap<Dim>, for templates of the library.
template <int Dim>
class MapOf {
 public:
  /// Throws std::invalid_argument for a map of another dimension.
  explicit MapOf(std::shared_ptr<const Map> map) : map_(std::move(map)) {
    if (map_->dim() != Dim)
      throw std::invalid_argument("a map of " + to_text(map_->dim()) + " variables, expected " + to_text(Dim));
  }

  Eigen::Index output_size() const { return map_->output_size(); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return map_->evaluate(x.data(), y); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return map_->evaluate(x.data(), y, J);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return map_->try_evaluate(x.data(), y, J);
  }

 private:
  std::shared_ptr<const Map> map_;
};

/// A DifferentiableMap<Dim> as a Map.
template <int Dim, class M>
class MapFrom : public Map {
 public:
  explicit MapFrom(M map) : map_(std::move(map)) {}

  const M& map() const { return map_; }

  int dim() const override { return Dim; }
  Eigen::Index output_size() const override { return map_.output_size(); }
  Answer evaluate(const double* x, Eigen::VectorXd& y) const override { return map_.evaluate(Point<Dim>(x), y); }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return map_.evaluate(Point<Dim>(x), y, J);
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return quoin::try_evaluate<Dim>(map_, Point<Dim>(x), y, J);
  }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const override {
    if constexpr (TwiceDifferentiableMap<M, Dim>)
      return map_.evaluate(Point<Dim>(x), y, J, H);
    else
      return Map::evaluate(x, y, J, H);
  }

 private:
  M map_;
};

}  // namespace quoin::python
