// SPDX-License-Identifier: BSD-3-Clause
// Maps made from another map: along some of its axes, linear in its outputs, in logarithms of its variables.
#include "bindings.hpp"
#include "map_of_dim.hpp"
#include "matrices.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace quoin::python {
namespace {

/// A map along some of its axes: quoin::restrict_to at any number of variables.
class Slice final : public Map {
 public:
  Slice(const std::shared_ptr<Map>& map, std::vector<int> axes, Eigen::VectorXd base)
      : map_(let_go_without_gil(map)), axes_(std::move(axes)), base_(std::move(base)) {
    for (auto axis = axes_.begin(); axis != axes_.end(); ++axis) {
      if (*axis < 0 || *axis >= map_->dim())
        throw std::invalid_argument("restrict_to: axis " + to_text(*axis) + " of a map of " + to_text(map_->dim()) +
                                    " variables");
      if (std::find(axes_.begin(), axis, *axis) != axis)
        throw std::invalid_argument("restrict_to: axis " + to_text(*axis) + " is named twice");
      base_[*axis] = 0;
    }
  }

  int dim() const override { return static_cast<int>(axes_.size()); }
  Eigen::Index output_size() const override { return map_->output_size(); }
  Answer evaluate(const double* x, Eigen::VectorXd& y) const override { return map_->evaluate(full(x).data(), y); }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    const Answer answer = map_->evaluate(full(x).data(), y, J);
    J = J(Eigen::all, axes_).eval();
    return answer;
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    const Answer answer = map_->try_evaluate(full(x).data(), y, J);
    if (answer.has_value()) J = J(Eigen::all, axes_).eval();
    return answer;
  }
  std::optional<Fingerprint> fingerprint() const override {
    const auto of_map = map_->fingerprint();
    if (!of_map) return of_map;
    return Fingerprint("restrict_to").add("map", *of_map).add("axes", axes_).add_rounded("held", base_);
  }

 private:
  Eigen::VectorXd full(const double* x) const {
    Eigen::VectorXd point = base_;
    for (const int axis : axes_) point[axis] = *x++;
    return point;
  }

  std::shared_ptr<const Map> map_;
  std::vector<int> axes_;
  Eigen::VectorXd base_;
};

PyMap restricted(const PyMap& map, const std::vector<int>& axes, const py::object& base) {
  const auto of = map.map;
  if (axes.empty()) throw std::invalid_argument("restrict_to: no axes");
  return {std::make_shared<Slice>(of, axes, vector_of(base, of->dim(), "base")), map.source};
}

/// x -> C f(x); errors are of f still, times the norm of C.
class LinearOutput final : public Map {
 public:
  LinearOutput(const std::shared_ptr<Map>& map, Eigen::MatrixXd C) : map_(let_go_without_gil(map)), C_(std::move(C)) {}

  int dim() const override { return map_->dim(); }
  Eigen::Index output_size() const override { return C_.rows(); }
  Answer evaluate(const double* x, Eigen::VectorXd& y) const override {
    return applied(map_->evaluate(x, y), y, nullptr);
  }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return applied(map_->evaluate(x, y, J), y, &J);
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    return applied(map_->try_evaluate(x, y, J), y, &J);
  }
  void hint(const Eigen::Ref<const Eigen::MatrixXd>& X) const override { map_->hint(X); }
  bool doubtful() const override { return map_->doubtful(); }
  std::string doubts() const override { return map_->doubts(); }

 private:
  Answer applied(Answer answer, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
    if (!answer.has_value()) return answer;
    y = (C_ * y).eval();
    if (J != nullptr) *J = (C_ * *J).eval();
    // In the root mean square of M rows, of an error of N outputs in theirs.
    const double factor = C_.norm() * std::sqrt(double(C_.cols()) / double(C_.rows()));
    answer.error *= factor;
    answer.jacobian_error *= factor;
    return answer;
  }

  std::shared_ptr<const Map> map_;
  Eigen::MatrixXd C_;
};

/// x -> f(u) with u_i = log x_i along some axes, and x_i along the others. note: ends what errors of f's grid say,
/// whose points are logarithms.
class InLogarithms final : public Map {
 public:
  InLogarithms(const std::shared_ptr<Map>& map, std::vector<bool> axes, std::string note)
      : map_(let_go_without_gil(map)), axes_(std::move(axes)), note_(std::move(note)) {
    if (static_cast<int>(axes_.size()) != map_->dim())
      throw std::invalid_argument("logarithms of " + to_text(axes_.size()) + " axes, the map has " +
                                  to_text(map_->dim()));
  }

  int dim() const override { return map_->dim(); }
  Eigen::Index output_size() const override { return map_->output_size(); }
  Answer evaluate(const double* x, Eigen::VectorXd& y) const override {
    return noted([&] { return map_->evaluate(logarithms(column(x)).data(), y); });
  }
  Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    const Answer answer = noted([&] { return map_->evaluate(logarithms(column(x)).data(), y, J); });
    to_x(column(x), J);
    return answer;
  }
  Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const override {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i] && !(x[i] > 0)) return {.trust = Trust::outside};
    const Answer answer = map_->try_evaluate(logarithms(column(x)).data(), y, J);
    if (answer.has_value()) to_x(column(x), J);
    return answer;
  }
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X,
                                     Eigen::Ref<Eigen::MatrixXd> Y) const override {
    return noted([&] { return map_->evaluate_batch(logarithms(X), Y); });
  }
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y,
                                     Eigen::Ref<Eigen::MatrixXd> J) const override {
    const auto answers = noted([&] { return map_->evaluate_batch(logarithms(X), Y, J); });
    for (Eigen::Index m = 0; m < X.cols(); ++m) to_x(X.col(m), J.middleCols(m * dim(), dim()));
    return answers;
  }
  void hint(const Eigen::Ref<const Eigen::MatrixXd>& X) const override { map_->hint(logarithms(X)); }
  bool doubtful() const override { return map_->doubtful(); }
  std::string doubts() const override { return map_->doubts(); }

 private:
  Eigen::Map<const Eigen::VectorXd> column(const double* x) const { return {x, dim()}; }

  template <class Call>
  std::invoke_result_t<const Call&> noted(const Call& call) const {
    try {
      return call();
    } catch (const CornerFailure& failure) {
      throw CornerFailure(failure.what() + note_, failure.may_pass());
    } catch (const DomainError& error) {
      throw DomainError(error.what() + note_);
    }
  }

  // Of points dim x M. Throws DomainError for one that has none.
  Eigen::MatrixXd logarithms(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    Eigen::MatrixXd U = X;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (!axes_[i]) continue;
      for (Eigen::Index m = 0; m < X.cols(); ++m) {
        double& number = U(static_cast<Eigen::Index>(i), m);
        if (!(number > 0)) throw DomainError("x[" + to_text(i) + "] = " + to_text(number) + " has no logarithm");
        number = std::log(number);
      }
    }
    return U;
  }
  void to_x(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::MatrixXd> J) const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i]) J.col(static_cast<Eigen::Index>(i)) /= x[static_cast<Eigen::Index>(i)];
  }

  std::shared_ptr<const Map> map_;
  std::vector<bool> axes_;
  std::string note_;
};

}  // namespace

void bind_derived_maps(py::module_& m) {
  m.def("restrict_to", [](py::handle map, const std::vector<int>& axes, const py::object& base) {
    return restricted(map_of(map), axes, base);
  });
  m.def("linear_output", [](py::handle map, const py::object& C) {
    const PyMap& of = map_of(map);
    return PyMap(std::make_shared<LinearOutput>(of.map, matrix_from(C, -1, of.map->output_size(), "C")), of.source);
  });
  m.def("in_logarithms", [](py::handle map, std::vector<bool> axes, std::string note) {
    const PyMap& of = map_of(map);
    return PyMap(std::make_shared<InLogarithms>(of.map, std::move(axes), std::move(note)), of.source);
  });
}

}  // namespace quoin::python
