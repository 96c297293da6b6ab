// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/control_rates.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace quoin::planning {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

std::function<void(const Eigen::MatrixXd& states)> hint_through(const std::shared_ptr<const NodeDynamics>& base,
                                                                const ControlRateState& layout) {
  if (!base->hint) return {};
  return [base, layout](const Eigen::MatrixXd& states) {
    Eigen::MatrixXd of_base(base->state_size, states.cols());
    for (Index i = 0; i < states.cols(); ++i) of_base.col(i) = layout.x(states.col(i));
    base->hint(of_base);
  };
}

}  // namespace

NodeDynamics with_control_rates(NodeDynamics dynamics) {
  const auto base = std::make_shared<const NodeDynamics>(std::move(dynamics));
  const ControlRateState layout(*base);
  const Index m = layout.controls, k = layout.rest, n = layout.known + k;
  // The equation of the controls, w_u = control, above those of the dynamics.
  const auto add_rows = [m, k](const VectorXd& w, const VectorXd& control, NodeEquation& node) {
    VectorXd r(m + k);
    r << w.head(m) - control, node.r;
    node.r = r;
  };
  return {.state_size = n + m,
          .rate_size = k + m,
          .control_size = m,
          .explicit_rate = base->explicit_rate,
          .affine_control = true,
          .value =
              [base, layout, k, add_rows](const VectorXd& state, const VectorXd& w, const VectorXd& control,
                                          NodeEquation& node) {
                const StepStatus status = base->value(layout.x(state), w.tail(k), layout.u(state), node);
                if (status == StepStatus::ok) add_rows(w, control, node);
                return status;
              },
          .derivatives =
              [base, layout, m, k, add_rows](const VectorXd& state, const VectorXd& w, const VectorXd& control,
                                             NodeEquation& node) {
                const StepStatus status = base->derivatives(layout.x(state), w.tail(k), layout.u(state), node);
                if (status != StepStatus::ok) return status;
                add_rows(w, control, node);
                const Eigen::MatrixXd dx = node.dx, dw = node.dw, du = node.du;
                node.dx.setZero(m + k, state.size());
                node.dx.bottomLeftCorner(k, layout.known) = dx.leftCols(layout.known);
                node.dx.block(m, layout.known, k, m) = du;
                node.dx.bottomRightCorner(k, layout.rest) = dx.rightCols(layout.rest);
                node.dw.setIdentity(m + k, m + k);
                node.dw.bottomRightCorner(k, k) = dw;
                node.du.setZero(m + k, m);
                node.du.topRows(m).diagonal().setConstant(-1);
                return status;
              },
          .hint = hint_through(base, layout)};
}

}  // namespace quoin::planning
