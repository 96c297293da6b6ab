# SPDX-License-Identifier: BSD-3-Clause
# Finds urdfdom with what its headers need; defines the target Urdf::Urdf. Debian: liburdfdom-dev. Beside urdfdom's
# own package file, which asks for packages that Debian installs without theirs.
find_path(Urdf_INCLUDE_DIR urdf_parser/urdf_parser.h)
find_path(Urdf_MODEL_INCLUDE_DIR urdf_model/model.h PATH_SUFFIXES urdfdom_headers)
find_path(Urdf_TINYXML_INCLUDE_DIR tinyxml.h)
find_path(Urdf_CONSOLE_INCLUDE_DIR console_bridge/console.h)
find_library(Urdf_LIBRARY urdfdom_model)
find_library(Urdf_TINYXML_LIBRARY tinyxml)
find_library(Urdf_CONSOLE_LIBRARY console_bridge)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Urdf REQUIRED_VARS Urdf_LIBRARY Urdf_TINYXML_LIBRARY Urdf_CONSOLE_LIBRARY
  Urdf_INCLUDE_DIR Urdf_MODEL_INCLUDE_DIR Urdf_TINYXML_INCLUDE_DIR Urdf_CONSOLE_INCLUDE_DIR)
set(Urdf_LIBRARIES ${Urdf_LIBRARY} ${Urdf_TINYXML_LIBRARY} ${Urdf_CONSOLE_LIBRARY})
mark_as_advanced(Urdf_LIBRARY Urdf_TINYXML_LIBRARY Urdf_CONSOLE_LIBRARY Urdf_INCLUDE_DIR
  Urdf_MODEL_INCLUDE_DIR Urdf_TINYXML_INCLUDE_DIR Urdf_CONSOLE_INCLUDE_DIR)

if(Urdf_FOUND AND NOT TARGET Urdf::Urdf)
  add_library(Urdf::Urdf UNKNOWN IMPORTED)
  set_target_properties(Urdf::Urdf PROPERTIES
    IMPORTED_LOCATION ${Urdf_LIBRARY}
    INTERFACE_LINK_LIBRARIES "${Urdf_TINYXML_LIBRARY};${Urdf_CONSOLE_LIBRARY}"
    INTERFACE_COMPILE_DEFINITIONS TIXML_USE_STL
    INTERFACE_INCLUDE_DIRECTORIES "${Urdf_INCLUDE_DIR};${Urdf_MODEL_INCLUDE_DIR};${Urdf_TINYXML_INCLUDE_DIR};${Urdf_CONSOLE_INCLUDE_DIR}")
endif()
