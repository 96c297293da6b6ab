// SPDX-License-Identifier: BSD-3-Clause
// The tables of docs/notes/peers.md: what Quoin and libraries of Debian 12 take for the same work, in turns in
// one run, and whether they give the same answer.
#include "benchmarks/peers/sections.hpp"

#ifdef QUOIN_HAS_MUJOCO
#include <mujoco/mujoco.h>
#endif
#ifdef QUOIN_HAS_FCL
#include <fcl/config.h>
#endif
#ifdef QUOIN_HAS_CERES
#include <ceres/version.h>
#endif
#ifdef QUOIN_HAS_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#endif

#include <string>

namespace {
using namespace benchmarks;

Report run(bool quick) {
  Report report;
  const auto peer = [&](const char* name, const char* package, const std::string& version) {
    report.results.add(studies::figures::ResultRow()
                           .show("peer", name)
                           .show("package", package)
                           .show("version", version.empty() ? "not here: its rows are left out" : version));
  };
#ifdef QUOIN_HAS_MUJOCO
  const std::string mujoco = mj_versionString();
#else
  const std::string mujoco;
#endif
#ifdef QUOIN_HAS_FCL
  const std::string fcl = FCL_VERSION;
#else
  const std::string fcl;
#endif
#ifdef QUOIN_HAS_CERES
  const std::string ceres = CERES_VERSION_STRING;
#else
  const std::string ceres;
#endif
#ifdef QUOIN_HAS_GSL
  const std::string gsl = gsl_version;
  gsl_set_error_handler_off();  // or it would abort
#else
  const std::string gsl;
#endif
#ifdef QUOIN_HAS_IPOPT
  const std::string ipopt = "installed";
#else
  const std::string ipopt;
#endif
#ifdef QUOIN_HAS_ALGLIB
  const std::string alglib = "installed";
#else
  const std::string alglib;
#endif
  peer("MuJoCo", "libmujoco-dev", mujoco);
  peer("FCL", "libfcl-dev", fcl);
  peer("Ceres", "libceres-dev", ceres);
  peer("GSL", "libgsl-dev", gsl);
  peer("Ipopt", "coinor-libipopt-dev", ipopt);
  peer("ALGLIB", "libalglib-dev", alglib);
  rigid_bodies_beside_mujoco(report, quick);
  distances_beside_fcl(report, quick);
  least_squares_beside_ceres_and_gsl(report, quick);
  trajectories_beside_ipopt(report, quick);
  interpolants_beside_gsl_and_ceres(report, quick);
  scattered_samples_beside_alglib(report, quick);
  report.notes =
      "One thread; medians. Each pair of times is taken in turns in one run: \"peer / Quoin\" is the median of the "
      "ratios of a round, with their 10 % and 90 %; above 1 Quoin is faster. Peers as their packages compiled them. "
      "Compiler: " __VERSION__ ".\n" +
      report.notes;
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "peers", "Quoin beside other libraries at the same work, and the same answer.", run);
}
