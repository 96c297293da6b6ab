# SPDX-License-Identifier: BSD-3-Clause
# Finds the Flexible Collision Library with libccd, whose functions its headers call; defines the target Fcl::Fcl.
# Debian: libfcl-dev. Beside FCL's own package file, which asks for Eigen's and octomap's.
find_path(Fcl_INCLUDE_DIR fcl/fcl.h)
find_path(Fcl_CCD_INCLUDE_DIR ccd/ccd.h)
find_library(Fcl_LIBRARY fcl)
find_library(Fcl_CCD_LIBRARY ccd)
if(Fcl_INCLUDE_DIR AND EXISTS ${Fcl_INCLUDE_DIR}/fcl/config.h)
  file(STRINGS ${Fcl_INCLUDE_DIR}/fcl/config.h Fcl_version_line REGEX "define FCL_VERSION +\"")
  string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" Fcl_VERSION "${Fcl_version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Fcl REQUIRED_VARS Fcl_LIBRARY Fcl_CCD_LIBRARY Fcl_INCLUDE_DIR Fcl_CCD_INCLUDE_DIR
  VERSION_VAR Fcl_VERSION)
set(Fcl_LIBRARIES ${Fcl_LIBRARY} ${Fcl_CCD_LIBRARY})
mark_as_advanced(Fcl_INCLUDE_DIR Fcl_CCD_INCLUDE_DIR Fcl_LIBRARY Fcl_CCD_LIBRARY)

if(Fcl_FOUND AND NOT TARGET Fcl::Fcl)
  add_library(Fcl::Fcl UNKNOWN IMPORTED)
  set_target_properties(Fcl::Fcl PROPERTIES
    IMPORTED_LOCATION ${Fcl_LIBRARY}
    INTERFACE_LINK_LIBRARIES "${Fcl_CCD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Fcl_INCLUDE_DIR};${Fcl_CCD_INCLUDE_DIR}")
endif()
