# SPDX-License-Identifier: BSD-3-Clause
# Finds Open MPI; defines the target OpenMpi::OpenMpi. Debian: libopenmpi-dev, openmpi-bin.
find_package(MPI QUIET COMPONENTS CXX)
set(OpenMpi_INCLUDE_DIRS ${MPI_CXX_INCLUDE_DIRS})
set(OpenMpi_LIBRARIES ${MPI_CXX_LIBRARIES})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenMpi REQUIRED_VARS OpenMpi_LIBRARIES MPI_CXX_FOUND)

if(OpenMpi_FOUND AND NOT TARGET OpenMpi::OpenMpi)
  add_library(OpenMpi::OpenMpi INTERFACE IMPORTED)
  set_target_properties(OpenMpi::OpenMpi PROPERTIES
    INTERFACE_LINK_LIBRARIES "${OpenMpi_LIBRARIES}"
    INTERFACE_INCLUDE_DIRECTORIES "${OpenMpi_INCLUDE_DIRS}")
endif()
