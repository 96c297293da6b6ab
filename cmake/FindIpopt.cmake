# SPDX-License-Identifier: BSD-3-Clause
# Finds Ipopt; defines the target Ipopt::Ipopt. Debian: coinor-libipopt-dev.
find_path(Ipopt_INCLUDE_DIR IpIpoptApplication.hpp PATH_SUFFIXES coin-or coin)
find_library(Ipopt_LIBRARY ipopt)
if(Ipopt_INCLUDE_DIR AND EXISTS ${Ipopt_INCLUDE_DIR}/IpoptConfig.h)
  file(STRINGS ${Ipopt_INCLUDE_DIR}/IpoptConfig.h Ipopt_version_line REGEX "define IPOPT_VERSION +\"")
  string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" Ipopt_VERSION "${Ipopt_version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ipopt REQUIRED_VARS Ipopt_LIBRARY Ipopt_INCLUDE_DIR VERSION_VAR Ipopt_VERSION)
set(Ipopt_LIBRARIES ${Ipopt_LIBRARY})
mark_as_advanced(Ipopt_INCLUDE_DIR Ipopt_LIBRARY)

if(Ipopt_FOUND AND NOT TARGET Ipopt::Ipopt)
  add_library(Ipopt::Ipopt UNKNOWN IMPORTED)
  set_target_properties(Ipopt::Ipopt PROPERTIES
    IMPORTED_LOCATION ${Ipopt_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Ipopt_INCLUDE_DIR}
    # Ipopt 3.11's headers do not compile without it.
    INTERFACE_COMPILE_DEFINITIONS HAVE_CSTDDEF)
endif()
