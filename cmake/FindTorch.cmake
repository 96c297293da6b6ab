# SPDX-License-Identifier: BSD-3-Clause
# Finds libtorch for the processor; defines the target Torch::Torch. Debian: libtorch-dev. Beside libtorch's own package
# file, which also asks for what it was built with, and talks.
find_path(Torch_INCLUDE_DIR torch/csrc/api/include/torch/torch.h)
find_library(Torch_LIBRARY torch_cpu)
find_library(Torch_C10_LIBRARY c10)
set(Torch_version_file ${Torch_INCLUDE_DIR}/torch/csrc/api/include/torch/version.h)
if(Torch_INCLUDE_DIR AND EXISTS ${Torch_version_file})
  file(STRINGS ${Torch_version_file} Torch_version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX REPLACE "[^;0-9]*([0-9]+)[^;]*;[^;0-9]*([0-9]+)[^;]*;[^;0-9]*([0-9]+).*" "\\1.\\2.\\3" Torch_VERSION
    "${Torch_version_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Torch REQUIRED_VARS Torch_LIBRARY Torch_C10_LIBRARY Torch_INCLUDE_DIR
  VERSION_VAR Torch_VERSION)
set(Torch_LIBRARIES ${Torch_LIBRARY} ${Torch_C10_LIBRARY})
mark_as_advanced(Torch_INCLUDE_DIR Torch_LIBRARY Torch_C10_LIBRARY)

if(Torch_FOUND AND NOT TARGET Torch::Torch)
  add_library(Torch::Torch UNKNOWN IMPORTED)
  set_target_properties(Torch::Torch PROPERTIES
    IMPORTED_LOCATION ${Torch_LIBRARY}
    INTERFACE_LINK_LIBRARIES ${Torch_C10_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${Torch_INCLUDE_DIR};${Torch_INCLUDE_DIR}/torch/csrc/api/include")
endif()
