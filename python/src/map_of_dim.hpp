// SPDX-License-Identifier: BSD-3-Clause
// From maps of any dimension to maps of one, and back.
#pragma once

#include "map.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/util/to_text.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace quoin::python {

/// A reference whose end may wait for a thread that wants the GIL, wherever it ends.
inline std::shared_ptr<const Map> let_go_without_gil(std::shared_ptr<Map> map) {
  const Map* held = map.get();
  return {held, [map = std::move(map)](const Map*) mutable {
            if (PyGILState_Check() != 0)
              PyMap::drop(std::move(map));
            else
              map.reset();
          }};
}

/// A Map as a DifferentiableMap<Dim>, for templates of the library.
template <int Dim>
class MapOf {
 public:
  /// Throws std::invalid_argument for a map of another dimension.
  explicit MapOf(const std::shared_ptr<Map>& map) : map_(let_go_without_gil(map)) {
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
  void hint(const Eigen::MatrixXd& points) const { map_->hint(points); }

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
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const override {
    if constexpr (TwiceDifferentiableMap<M, Dim>)
      return map_.try_evaluate(Point<Dim>(x), y, J, H);
    else
      return Map::try_evaluate(x, y, J, H);
  }
  bool has_second_derivatives() const override { return TwiceDifferentiableMap<M, Dim>; }
  void hint(const Eigen::Ref<const Eigen::MatrixXd>& X) const override {
    if constexpr (Hintable<M>) map_.hint(X);
  }
  std::optional<Fingerprint> fingerprint() const override {
    if constexpr (Fingerprinted<M>)
      return map_.fingerprint();
    else
      return Map::fingerprint();
  }

 private:
  M map_;
};

}  // namespace quoin::python
