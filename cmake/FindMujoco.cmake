# SPDX-License-Identifier: BSD-3-Clause
# Finds MuJoCo; defines the target Mujoco::Mujoco. Debian: libmujoco-dev. Beside MuJoCo's own package file, which also asks
# for OpenGL.
find_path(Mujoco_INCLUDE_DIR mujoco/mujoco.h)
find_library(Mujoco_LIBRARY mujoco)
if(Mujoco_INCLUDE_DIR)
  file(STRINGS ${Mujoco_INCLUDE_DIR}/mujoco/mujoco.h Mujoco_version_line REGEX "define mjVERSION_HEADER +[0-9]+")
  string(REGEX REPLACE ".* ([0-9]+)([0-9])([0-9])$" "\\1.\\2.\\3" Mujoco_VERSION "${Mujoco_version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Mujoco REQUIRED_VARS Mujoco_LIBRARY Mujoco_INCLUDE_DIR VERSION_VAR Mujoco_VERSION)
mark_as_advanced(Mujoco_LIBRARY Mujoco_INCLUDE_DIR)

if(Mujoco_FOUND AND NOT TARGET Mujoco::Mujoco)
  add_library(Mujoco::Mujoco UNKNOWN IMPORTED)
  set_target_properties(Mujoco::Mujoco PROPERTIES
    IMPORTED_LOCATION ${Mujoco_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Mujoco_INCLUDE_DIR})
endif()
