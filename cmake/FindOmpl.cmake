# SPDX-License-Identifier: BSD-3-Clause
# Finds OMPL; defines the target Ompl::Ompl. Debian: libompl-dev. Beside OMPL's own package file, which asks for more than
# its planners need.
find_path(Ompl_INCLUDE_DIR ompl/config.h PATH_SUFFIXES ompl-1.5 ompl-1.6 ompl-1.7 ompl)
find_library(Ompl_LIBRARY ompl)
if(Ompl_INCLUDE_DIR)
  file(STRINGS ${Ompl_INCLUDE_DIR}/ompl/config.h Ompl_version_lines REGEX "define OMPL_(MAJOR|MINOR|PATCH)_VERSION +[0-9]+")
  string(REGEX REPLACE "[^;0-9]+" "" Ompl_version_lines "${Ompl_version_lines}")
  list(JOIN Ompl_version_lines "." Ompl_VERSION)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/QuoinFindOneLibrary.cmake)
quoin_find_one_library(Ompl)
