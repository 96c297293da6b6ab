// SPDX-License-Identifier: BSD-3-Clause
// A map of any dimension, as Python holds it.
#pragma once

#include "gil.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/fingerprint.hpp"

#include <pybind11/pybind11.h>

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quoin::python {

namespace py = pybind11;

/// How many queries run in all threads of this process, counted with the GIL held. Those of a process that forked this
/// one stayed behind.
class Running {
 public:
  int count() const { return forks_ == forks ? count_ : 0; }
  int begin() {
    count_ = count() + 1;
    return forks_ = forks;
  }
  /// begun: what begin() returned.
  void end(int begun) {
    if (begun == forks_) --count_;
  }

  static inline int forks = 0;  ///< one more in each process that was forked

  bool told_doubts = false;  ///< a warning has told what the grid has found against its f

 private:
  int count_ = 0, forks_ = 0;
};

/// A DifferentiableMap<Dim> behind an interface, so that Python has one class for all Dim. Called without the GIL;
/// points are arrays of dim() numbers.
class Map {
 public:
  virtual ~Map() = default;

  virtual int dim() const = 0;
  virtual Eigen::Index output_size() const = 0;

  virtual Answer evaluate(const double* x, Eigen::VectorXd& y) const = 0;
  virtual Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const = 0;
  virtual Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const = 0;
  /// H: N x dim (dim + 1)/2. The defaults throw std::invalid_argument: the map has no second derivatives.
  virtual Answer evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const;
  virtual Answer try_evaluate(const double* x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const;
  virtual bool has_second_derivatives() const { return false; }

  /// Jw: N. The defaults form J.
  virtual Answer times(const double* x, const Eigen::VectorXd& w, Eigen::VectorXd& Jw) const;
  virtual Answer vjp(const double* x, const Eigen::VectorXd& v, Eigen::VectorXd& Jtv) const;

  /// X: dim x M, Y: N x M, J: N x (dim M). The defaults are loops.
  virtual std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X,
                                             Eigen::Ref<Eigen::MatrixXd> Y) const;
  virtual std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y,
                                             Eigen::Ref<Eigen::MatrixXd> J) const;

  /// Where it will soon be asked, dim x M. By default of no interest.
  virtual void hint(const Eigen::Ref<const Eigen::MatrixXd>& X) const;
  /// Whether a thread of it is at work, for which its end waits.
  virtual bool is_at_work() const { return false; }
  /// Whether it has found something against the function that it answers for, and what, in words.
  virtual bool doubtful() const { return false; }
  virtual std::string doubts() const { return {}; }
  /// What tells it from other maps in a store, if it says.
  virtual std::optional<Fingerprint> fingerprint() const { return std::nullopt; }

  /// Of a grid and all its views together, because trim() must wait for none.
  Running& running() const { return *running_; }

 protected:
  explicit Map(std::shared_ptr<Running> running = std::make_shared<Running>()) : running_(std::move(running)) {}
  const std::shared_ptr<Running>& shared_running() const { return running_; }

 private:
  std::shared_ptr<Running> running_;
};

/// What a Python object of the class Map holds. A subclass may leave `map` empty and make it in its method _make(x),
/// which is called before the first query, with its point.
struct PyMap {
  std::shared_ptr<Map> map;
  py::object source;  ///< what calls f, which the map itself knows weakly, so that Python's collector sees the cycles

  PyMap() = default;
  PyMap(std::shared_ptr<Map> of, py::object from) : map(std::move(of)), source(std::move(from)) {}
  PyMap(const PyMap&) = default;
  PyMap& operator=(const PyMap&) = default;
  ~PyMap() { drop(std::move(map)); }

  static void drop(std::shared_ptr<Map> map);
};

/// What the object holds, its map made. Throws TypeError for an object that is no Map.
PyMap& map_of(py::handle object);

/// Warns once of all that a grid has found against its f. Throws what the warning raises.
void warn(const PyMap& doubtful);
/// After a query.
inline void warn_of_doubts(const PyMap& held) {
  if (held.map && held.map->doubtful()) [[unlikely]]
    warn(held);
}

/// While it lives the GIL is released, and a query is counted. Made and ended with the GIL held. Whoever makes it
/// shares the map: another thread may put another in its place.
class Query {
 public:
  explicit Query(const Map& map) : running_(map.running()), begun_(running_.begin()), state_(PyEval_SaveThread()) {}
  ~Query() {
    take_gil(state_);
    running_.end(begun_);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

 private:
  Running& running_;
  int begun_;
  PyThreadState* state_;
};

}  // namespace quoin::python
