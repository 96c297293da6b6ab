# SPDX-License-Identifier: BSD-3-Clause
# quoin_find_one_library(<package>): the end of a find module that has looked for <package>_INCLUDE_DIR,
# <package>_LIBRARY and <package>_VERSION; defines the target <package>::<package>.
macro(quoin_find_one_library package)
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(${package} REQUIRED_VARS ${package}_LIBRARY ${package}_INCLUDE_DIR
    VERSION_VAR ${package}_VERSION)
  mark_as_advanced(${package}_LIBRARY ${package}_INCLUDE_DIR)

  if(${package}_FOUND AND NOT TARGET ${package}::${package})
    add_library(${package}::${package} UNKNOWN IMPORTED)
    set_target_properties(${package}::${package} PROPERTIES
      IMPORTED_LOCATION ${${package}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${${package}_INCLUDE_DIR})
  endif()
endmacro()
