# SPDX-License-Identifier: BSD-3-Clause
# find_package(quoin 0.2 COMPONENTS grid soft_arm ...): one file of targets per component, so that a program asks only
# for the packages that its own components need.
include(CMakePackageConfigHelpers)
set(quoin_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quoin)
set(quoin_installed_components)
set(quoin_dependencies)
quoin_all_components(components)
foreach(name IN ITEMS grid LISTS components)
  if(NOT TARGET quoin_${name})
    continue()
  endif()
  list(APPEND quoin_installed_components ${name})
  get_property(depends GLOBAL PROPERTY quoin_${name}_depends)
  string(APPEND quoin_dependencies "set(quoin_${name}_depends ${depends})\n")
  install(TARGETS quoin_${name} EXPORT quoin-${name} FILE_SET HEADERS)
  install(EXPORT quoin-${name} FILE quoin-${name}.cmake NAMESPACE quoin:: DESTINATION ${quoin_cmake_dir})
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/quoinConfig.cmake.in
  ${PROJECT_BINARY_DIR}/quoinConfig.cmake INSTALL_DESTINATION ${quoin_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/quoinConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/quoinConfig.cmake ${PROJECT_BINARY_DIR}/quoinConfigVersion.cmake
  DESTINATION ${quoin_cmake_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/workers DESTINATION ${CMAKE_INSTALL_DATADIR}/quoin)
