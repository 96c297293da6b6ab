# SPDX-License-Identifier: BSD-3-Clause
# Finds urdfdom with what its headers need; defines the target Urdfdom::Urdfdom. Debian: liburdfdom-dev. Beside urdfdom's
# own package file, which asks for packages that Debian installs without theirs.
find_path(Urdfdom_INCLUDE_DIR urdf_parser/urdf_parser.h)
find_path(Urdfdom_MODEL_INCLUDE_DIR urdf_model/model.h PATH_SUFFIXES urdfdom_headers)
find_path(Urdfdom_TINYXML_INCLUDE_DIR tinyxml.h)
find_path(Urdfdom_CONSOLE_INCLUDE_DIR console_bridge/console.h)
find_library(Urdfdom_LIBRARY urdfdom_model)
find_library(Urdfdom_TINYXML_LIBRARY tinyxml)
find_library(Urdfdom_CONSOLE_LIBRARY console_bridge)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Urdfdom REQUIRED_VARS Urdfdom_LIBRARY Urdfdom_TINYXML_LIBRARY Urdfdom_CONSOLE_LIBRARY
  Urdfdom_INCLUDE_DIR Urdfdom_MODEL_INCLUDE_DIR Urdfdom_TINYXML_INCLUDE_DIR Urdfdom_CONSOLE_INCLUDE_DIR)
mark_as_advanced(Urdfdom_LIBRARY Urdfdom_TINYXML_LIBRARY Urdfdom_CONSOLE_LIBRARY Urdfdom_INCLUDE_DIR
  Urdfdom_MODEL_INCLUDE_DIR Urdfdom_TINYXML_INCLUDE_DIR Urdfdom_CONSOLE_INCLUDE_DIR)

if(Urdfdom_FOUND AND NOT TARGET Urdfdom::Urdfdom)
  add_library(Urdfdom::Urdfdom UNKNOWN IMPORTED)
  set_target_properties(Urdfdom::Urdfdom PROPERTIES
    IMPORTED_LOCATION ${Urdfdom_LIBRARY}
    INTERFACE_LINK_LIBRARIES "${Urdfdom_TINYXML_LIBRARY};${Urdfdom_CONSOLE_LIBRARY}"
    INTERFACE_COMPILE_DEFINITIONS TIXML_USE_STL
    INTERFACE_INCLUDE_DIRECTORIES "${Urdfdom_INCLUDE_DIR};${Urdfdom_MODEL_INCLUDE_DIR};${Urdfdom_TINYXML_INCLUDE_DIR};${Urdfdom_CONSOLE_INCLUDE_DIR}")
endif()
