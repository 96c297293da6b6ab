# SPDX-License-Identifier: BSD-3-Clause
# Programs of ours: studies and benchmarks.

# quoin_program_code(<target>): how programs are compiled.
function(quoin_program_code target)
  quoin_own_code(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O1>)
  quoin_use_precompiled(program ${target})
  # GCC 12 draws it from + of strings, in its own headers, once these are precompiled (GCC bug 105651 and its like)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overflow>)
endfunction()

# quoin_program(<kind> [<folder>/]<name> LINKS <target> ... [OPTIONAL <package> [<version>] ...]): of the folder <name>/ the library
# <kind>::<name>, which tests and other programs link, and of its main.cpp, or of the file <name>.cpp, the program
# <name>; a folder without main.cpp is a library alone. It is left out with a message where a linked target is missing.
# Each optional package that is found, of that version or later, is linked too and QUOIN_HAS_<PACKAGE> is defined. The
# target quoin_<kind> builds the programs; programs.txt in the binary folder lists them.
function(quoin_program kind path)
  cmake_parse_arguments(PARSE_ARGV 2 program "" "" "LINKS;OPTIONAL")
  quoin_left_out(missing ${kind}/${path} ${program_LINKS})
  if(missing)
    return()
  endif()

  cmake_path(GET path FILENAME name)
  set(here ${CMAKE_CURRENT_SOURCE_DIR}/${path})
  file(GLOB sources CONFIGURE_DEPENDS ${here}/*.cpp)
  file(GLOB main CONFIGURE_DEPENDS ${here}.cpp ${here}/main.cpp)
  list(REMOVE_ITEM sources ${main})
  set(made)
  if(sources)
    add_library(${kind}_${name} STATIC ${sources})
    add_library(${kind}::${name} ALIAS ${kind}_${name})
    list(APPEND made ${kind}_${name})
  endif()
  if(main)
    add_executable(${name} ${main})
    target_link_libraries(${name} PRIVATE ${made})
    add_dependencies(quoin_${kind} ${name})
    file(APPEND ${CMAKE_CURRENT_BINARY_DIR}/programs.txt "${name}\n")
    list(APPEND made ${name})
  endif()
  foreach(target IN LISTS made)
    target_link_libraries(${target} PUBLIC quoin_compiled_grid ${program_LINKS})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    quoin_program_code(${target})
    quoin_many_at_a_time(${target})
  endforeach()

  while(program_OPTIONAL)
    list(POP_FRONT program_OPTIONAL package)
    set(version)
    if(program_OPTIONAL MATCHES "^[0-9]")
      list(POP_FRONT program_OPTIONAL version)
    endif()
    quoin_link_optional(${kind}/${path} ${package} "${version}" ${made})
  endwhile()
endfunction()

# quoin_link_optional(<words> <package> <version or ""> <target> ...): the package, where it is found, into the targets
# of what the words name
function(quoin_link_optional words package version)
  find_package(${package} ${version} QUIET)
  if(NOT ${package}_FOUND)
    message(STATUS "${words}: without ${package} beside it (Debian: ${quoin_debian_${package}})")
    return()
  endif()
  string(TOUPPER ${package} upper)
  set(library ${package}::${package})
  if(NOT TARGET ${library})
    string(TOLOWER ${package} lower)
    set(library ${package}::${lower})  # as packages that bring their own names call it
  endif()
  foreach(target IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE ${library})
    target_compile_definitions(${target} PRIVATE QUOIN_HAS_${upper})
  endforeach()
endfunction()
set(quoin_debian_Alglib libalglib-dev)
set(quoin_debian_Ceres libceres-dev)
set(quoin_debian_GSL libgsl-dev)
set(quoin_debian_Mujoco libmujoco-dev)
set(quoin_debian_Ompl libompl-dev)

# quoin_programs(<kind>): before the first of them in a folder
function(quoin_programs kind)
  add_custom_target(quoin_${kind})
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/programs.txt "")
endfunction()
