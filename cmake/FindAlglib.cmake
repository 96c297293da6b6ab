# SPDX-License-Identifier: BSD-3-Clause
# Finds ALGLIB; defines the target Alglib::Alglib. Debian: libalglib-dev. Its headers do not tell their version.
find_path(Alglib_INCLUDE_DIR interpolation.h PATH_SUFFIXES libalglib)
find_library(Alglib_LIBRARY alglib)

include(${CMAKE_CURRENT_LIST_DIR}/QuoinFindOneLibrary.cmake)
quoin_find_one_library(Alglib)
