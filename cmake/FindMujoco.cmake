# SPDX-License-Identifier: BSD-3-Clause
# Finds MuJoCo; defines the target Mujoco::Mujoco. Debian: libmujoco-dev. Beside MuJoCo's own package file, which also asks
# for OpenGL.
find_path(Mujoco_INCLUDE_DIR mujoco/mujoco.h)
find_library(Mujoco_LIBRARY mujoco)
if(Mujoco_INCLUDE_DIR)
  file(STRINGS ${Mujoco_INCLUDE_DIR}/mujoco/mujoco.h Mujoco_version_line REGEX "define mjVERSION_HEADER +[0-9]+")
  string(REGEX REPLACE ".* ([0-9]+)([0-9])([0-9])$" "\\1.\\2.\\3" Mujoco_VERSION "${Mujoco_version_line}")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/QuoinFindOneLibrary.cmake)
quoin_find_one_library(Mujoco)
