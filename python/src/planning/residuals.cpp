// SPDX-License-Identifier: BSD-3-Clause
#include "residuals.hpp"

#include "../gil.hpp"
#include "../map_of_dim.hpp"
#include "../matrices.hpp"
#include "../read_option.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::python {

bool CalledResiduals::add(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
                          Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const {
  const WithGil gil;
  const py::object when = at.continuous ? py::object(py::float_(at.time)) : py::object(py::int_(at.stage));
  const py::object answer = call_(when, array_of(x), array_of(u));
  if (answer.is_none()) return false;
  const auto parts = answer.cast<py::tuple>();
  read_vector(parts[0], r);
  if (dr_dx == nullptr) return true;
  read_matrix(parts[1], *dr_dx);
  read_matrix(parts[2], *dr_du);
  return true;
}

namespace {
auto column(const Eigen::MatrixXd& targets, Eigen::Index i) { return targets.col(targets.cols() == 1 ? 0 : i); }
}  // namespace

bool QuadraticResiduals::add(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
                             Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const {
  const bool last = u.size() == 0;
  const Eigen::MatrixXd& weights = last ? final : running;
  const Eigen::Index rows = weights.rows(), more = last ? 0 : control.rows();
  r.resize(rows + more);
  r.head(rows) = weights * (x - column(targets, at.stage));
  if (more > 0) r.tail(more) = control * (u - column(control_targets, at.stage));
  if (dr_dx == nullptr) return true;
  dr_dx->setZero(rows + more, x.size());
  dr_dx->topRows(rows) = weights;
  dr_du->setZero(rows + more, u.size());
  if (more > 0) dr_du->bottomRows(more) = control;
  return true;
}

bool MapResiduals::add(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
                       Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const {
  const Eigen::Index rows = at.stage < first || at.stage > last ? 0 : weights.rows();
  r.resize(rows);
  if (dr_dx != nullptr) {
    dr_dx->setZero(rows, x.size());
    dr_du->setZero(rows, u.size());
  }
  if (rows == 0) return true;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  if (!map->try_evaluate(x.data() + begin, y, J).has_value()) return false;
  r = weights * (y - column(targets, at.stage - first));
  if (dr_dx != nullptr) dr_dx->middleCols(begin, map->dim()) = weights * J;
  return true;
}

bool Stacked::stack(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
                    Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const {
  if (terms_.size() == 1) return terms_[0]->add(at, x, u, r, dr_dx, dr_du);
  r.resize(0);
  if (dr_dx != nullptr) {
    dr_dx->resize(0, x.size());
    dr_du->resize(0, u.size());
  }
  Eigen::VectorXd more;
  Eigen::MatrixXd more_dx, more_du;
  for (const auto& term : terms_) {
    if (!term->add(at, x, u, more, dr_dx ? &more_dx : nullptr, dr_dx ? &more_du : nullptr)) return false;
    const Eigen::Index before = r.size(), rows = before + more.size();
    r.conservativeResize(rows);
    r.tail(more.size()) = more;
    if (dr_dx == nullptr) continue;
    dr_dx->conservativeResize(rows, Eigen::NoChange);
    dr_dx->bottomRows(more.size()) = more_dx;
    dr_du->conservativeResize(rows, Eigen::NoChange);
    dr_du->bottomRows(more.size()) = more_du;
  }
  return true;
}

namespace {

Eigen::MatrixXd weights_from(const py::object& array, Eigen::Index columns, const char* what) {
  if (array.is_none()) return Eigen::MatrixXd(0, columns);
  return matrix_from(array, -1, columns, what);
}

/// Targets (size,) or (count, size), as columns.
Eigen::MatrixXd targets_from(const py::object& object, Eigen::Index size, Eigen::Index count, const char* what) {
  if (object.is_none()) return Eigen::MatrixXd::Zero(size, 1);
  const auto array = as_doubles(object, what);
  if (array.ndim() == 1) return vector_of(array, size, what);
  return matrix_from(array, count, size, what).transpose();
}

std::shared_ptr<Residuals> quadratic(const py::dict& dict, Eigen::Index n, Eigen::Index m, int horizon) {
  auto term = std::make_shared<QuadraticResiduals>();
  term->running = weights_from(dict["state"], n, "state");
  term->final = weights_from(dict["final"], n, "final");
  term->control = weights_from(dict["control"], m, "control");
  term->targets = targets_from(dict["state_target"], n, horizon + 1, "state_target");
  term->control_targets = targets_from(dict["control_target"], m, horizon, "control_target");
  return term;
}

std::shared_ptr<Residuals> of_map(const py::dict& dict, Eigen::Index n, int horizon) {
  auto term = std::make_shared<MapResiduals>();
  const auto map = map_of(dict["map"]).map;
  term->map = let_go_without_gil(map);
  term->begin = option<Eigen::Index>(dict, "begin");
  if (term->begin < 0 || term->begin + map->dim() > n)
    throw std::invalid_argument("MapCost: entries " + to_text(term->begin) + " to " +
                                to_text(term->begin + map->dim() - 1) + " of a state of " + to_text(n));
  term->first = option<int>(dict, "first");
  term->last = dict["last"].is_none() ? horizon : option<int>(dict, "last");
  if (term->first < 0 || term->last > horizon || term->first > term->last)
    throw std::invalid_argument("MapCost: from " + to_text(term->first) + " to " + to_text(term->last) +
                                ", expected within 0 to " + to_text(horizon));
  const Eigen::Index outputs = map->output_size();
  term->weights = matrix_from(dict["weights"], -1, outputs, "weights");
  term->targets = targets_from(dict["target"], outputs, term->last - term->first + 1, "target");
  return term;
}

}  // namespace

Stacked residuals_of(const py::list& terms, Eigen::Index n, Eigen::Index m, int horizon) {
  std::vector<std::shared_ptr<const Residuals>> residuals;
  for (const py::handle item : terms) {
    const auto term = item.cast<py::tuple>();
    const auto kind = term[0].cast<std::string>();
    if (kind == "called")
      residuals.push_back(std::make_shared<CalledResiduals>(py::object(term[1])));
    else if (kind == "quadratic")
      residuals.push_back(quadratic(term[1].cast<py::dict>(), n, m, horizon));
    else
      residuals.push_back(of_map(term[1].cast<py::dict>(), n, horizon));
  }
  return Stacked(std::move(residuals));
}

}  // namespace quoin::python
