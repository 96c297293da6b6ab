# SPDX-License-Identifier: BSD-3-Clause
# An overlay port of the checkout that it lies in. Untried: it was parsed, and never built.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

# What is not asked for is not found, or the package would depend on what happens to be installed.
vcpkg_check_features(OUT_FEATURE_OPTIONS left_out INVERTED_FEATURES
  urdf CMAKE_DISABLE_FIND_PACKAGE_Urdf
  collocation CMAKE_DISABLE_FIND_PACKAGE_Ipopt)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${left_out}
  -DCMAKE_DISABLE_FIND_PACKAGE_OpenMpi=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_Fcl=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
  -DQUOIN_BUILD_TESTS=OFF
  -DQUOIN_BUILD_EXAMPLES=OFF
  -DQUOIN_BUILD_BENCHMARKS=OFF
  -DQUOIN_BUILD_PYTHON=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/quoin)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
