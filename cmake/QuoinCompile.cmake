# SPDX-License-Identifier: BSD-3-Clause
# How the library, its tests and its programs are compiled.

if(QUOIN_SANITIZE)
  add_compile_options(-fsanitize=${QUOIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${QUOIN_SANITIZE})
endif()

if(QUOIN_FUZZ AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-fsanitize=fuzzer-no-link)  # libFuzzer sees which branches an input has taken
endif()

find_program(QUOIN_CCACHE ccache)
if(QUOIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache hashes "-march=native" as it stands: a cache that moved to another processor must not answer.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -E -v -x c++ /dev/null
    OUTPUT_QUIET ERROR_VARIABLE quoin_native_flags)
  string(REGEX MATCH "[^\n]*cc1plus [^\n]*" quoin_native_flags "${quoin_native_flags}")
  string(MD5 quoin_native_flags "${quoin_native_flags}")
  string(SUBSTRING ${quoin_native_flags} 0 12 quoin_native_flags)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NAMESPACE=quoin-${quoin_native_flags}
    CCACHE_SLOPPINESS=pch_defines,time_macros ${QUOIN_CCACHE})
endif()

# What -march=native comes with. Eigen aligns its types to what it would without, because other libraries have them at
# their border. Its memory is allocated otherwise all the same, so our copies of its functions are hidden from them, and
# who links our components compiles with the same two flags, or is told so by the linker (quoin/util/abi_check.hpp).
set(QUOIN_NATIVE_FLAGS)
if(QUOIN_NATIVE AND BUILD_SHARED_LIBS)
  message(FATAL_ERROR "QUOIN_NATIVE hides the components' functions from other libraries, so that these keep their own "
    "copies of Eigen's; a shared library would have none to offer. Set QUOIN_NATIVE or BUILD_SHARED_LIBS to OFF.")
endif()
if(QUOIN_NATIVE)
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM eigen PREPEND -I)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/alignment.cpp)
  file(WRITE ${probe} "#include <Eigen/Core>\nquoin_aligns_to EIGEN_MAX_ALIGN_BYTES\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${eigen} -E ${probe} OUTPUT_VARIABLE preprocessed)
  if(NOT preprocessed MATCHES "quoin_aligns_to ([0-9]+)")
    message(FATAL_ERROR "QUOIN_NATIVE: ${CMAKE_CXX_COMPILER} does not say what Eigen aligns to without -march=native")
  endif()
  set(QUOIN_NATIVE_FLAGS -march=native -DEIGEN_MAX_ALIGN_BYTES=${CMAKE_MATCH_1})
endif()

# quoin_own_code(<target>): the flags of our own translation units; none of them reaches who links the target.
function(quoin_own_code target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow
    $<$<BOOL:${QUOIN_WARNINGS_AS_ERRORS}>:-Werror>
    ${QUOIN_NATIVE_FLAGS} $<$<BOOL:${QUOIN_NATIVE}>:-fvisibility=hidden -fvisibility-inlines-hidden>
    # vectors of eight doubles pass between functions of one source, never across a library's border, where processors
    # without AVX-512 would pass them otherwise
    $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
    # GCC 12's own AVX-512 intrinsics draw these warnings wherever they are inlined (GCC bug 105593), also in branches
    # that small matrices never take
    $<$<AND:$<BOOL:${QUOIN_NATIVE}>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-uninitialized
    -Wno-maybe-uninitialized -Wno-array-bounds>
    # ccache can answer for sources that use a precompiled header only with this
    $<$<AND:$<BOOL:${QUOIN_CCACHE}>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>
    # where few large units are compiled, GCC need not collect garbage from 128 MB on: a tenth of its time
    $<$<AND:$<BOOL:${QUOIN_UNITY}>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-heapsize=1048576>)
  if(QUOIN_SANITIZE)
    # instrumented code hides from the compiler what is initialized
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
endfunction()

# quoin_precompiled(<kind> <header> ...): a precompiled header that targets of one kind share, quoin_use_precompiled(<kind>
# <target>). What is compiled with other flags (position independent, less optimized) is another kind.
function(quoin_precompiled kind)
  set(nothing ${PROJECT_BINARY_DIR}/CMakeFiles/nothing.cpp)
  if(NOT EXISTS ${nothing})
    file(WRITE ${nothing} "")
  endif()
  add_library(quoin_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${nothing})
  target_precompile_headers(quoin_precompiled_${kind} PRIVATE ${ARGN})
  quoin_own_code(quoin_precompiled_${kind})
endfunction()

function(quoin_use_precompiled kind target)
  target_precompile_headers(${target} REUSE_FROM quoin_precompiled_${kind})
endfunction()

# quoin_many_at_a_time(<target>): its sources, which read the same headers and instantiate the same templates again and
# again, are compiled many at a time where QUOIN_UNITY asks for it.
function(quoin_many_at_a_time target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${QUOIN_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(QUOIN_UNITY)
    # GCC warns of a type with members from an anonymous namespace unless it stands in the main file, where none of
    # these then stands.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# quoin_headers(<target> <header or folder under include/quoin> ...): the headers that belong to a target, to install
# with it; a folder's are those in it and in its detail/, to any depth.
function(quoin_headers target)
  set(scope PUBLIC)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  set(root ${PROJECT_SOURCE_DIR}/include)
  set(headers)
  foreach(item IN LISTS ARGN)
    if(item MATCHES "\\.hpp$")
      list(APPEND headers ${root}/quoin/${item})
    else()
      file(GLOB found CONFIGURE_DEPENDS ${root}/quoin/${item}/*.hpp ${root}/quoin/${item}/*.inc)
      list(APPEND headers ${found})
      file(GLOB_RECURSE found CONFIGURE_DEPENDS ${root}/quoin/${item}/detail/*)
      list(APPEND headers ${found})
    endif()
  endforeach()
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers})
endfunction()
