# SPDX-License-Identifier: BSD-3-Clause
# Finds an interpreter that has numpy, with its headers and those of pybind11. The first python3 of the path may be one of
# a user's own that has neither: several are tried, and the one that is taken is named.

# quoin_find_python(): sets QUOIN_PYTHON (empty if there is none, with a message), QUOIN_PYTHON_INCLUDES and
# QUOIN_PYTHON_SUFFIX, the ending of compiled modules. -DQUOIN_PYTHON_PROGRAM=<program> takes that one, also without numpy,
# which compiling does not need, or fails.
function(quoin_find_python)
  set(QUOIN_PYTHON "" PARENT_SCOPE)
  # not find_package: pybind11's config takes the first interpreter of the path, or fails
  find_path(QUOIN_PYBIND11_INCLUDE pybind11/pybind11.h)
  if(NOT QUOIN_PYBIND11_INCLUDE)
    message(STATUS "python: left out, without pybind11 2.10 (Debian: pybind11-dev)")
    return()
  endif()
  file(STRINGS ${QUOIN_PYBIND11_INCLUDE}/pybind11/detail/common.h version REGEX "define PYBIND11_VERSION_M[AI][JN]OR +[0-9]+")
  string(REGEX REPLACE "[^;0-9]*11_VERSION_M[AI][JN]OR +" "" version "${version}")
  list(JOIN version "." version)
  if(version VERSION_LESS 2.10)
    message(STATUS "python: left out, pybind11 ${version} in ${QUOIN_PYBIND11_INCLUDE} is older than 2.10")
    return()
  endif()
  set(candidates ${QUOIN_PYTHON_PROGRAM})
  if(NOT candidates)
    find_program(QUOIN_python3 python3)
    set(candidates ${QUOIN_python3} /usr/bin/python3 /usr/local/bin/python3)
  endif()
  set(probe [=[
import os, sys, sysconfig
try:
    from numpy import __version__ as numpy
except ImportError:
    numpy = "none"
assert sys.version_info >= (3, 9)
include = sysconfig.get_path("include")
assert os.path.exists(os.path.join(include, "Python.h"))
print(include, sysconfig.get_config_var("EXT_SUFFIX"), "%d.%d" % sys.version_info[:2], numpy, sep=";")]=])
  foreach(python IN LISTS candidates)
    execute_process(COMMAND ${python} -c "${probe}" OUTPUT_VARIABLE found RESULT_VARIABLE status ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0)
      list(GET found 0 include)
      list(GET found 1 suffix)
      list(GET found 2 version)
      list(GET found 3 numpy)
      if(numpy STREQUAL "none" AND NOT QUOIN_PYTHON_PROGRAM)
        continue()
      endif()
      message(STATUS "python: ${python}, Python ${version}, numpy ${numpy}")
      set(QUOIN_PYTHON ${python} PARENT_SCOPE)
      set(QUOIN_PYTHON_INCLUDES ${include} ${QUOIN_PYBIND11_INCLUDE} PARENT_SCOPE)
      set(QUOIN_PYTHON_SUFFIX ${suffix} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(QUOIN_PYTHON_PROGRAM)
    message(FATAL_ERROR "QUOIN_PYTHON_PROGRAM: ${QUOIN_PYTHON_PROGRAM} is no Python from 3.9 on with its own headers "
      "(Debian: python3-dev)")
  endif()
  message(STATUS "python: left out, none of ${candidates} has numpy and its headers (Debian: python3-dev python3-numpy)")
endfunction()

# quoin_install_python(): the package for the interpreter that it was built for, as the component python. In
# QUOIN_PYTHON_INSTALL_DIR, under the prefix: where that interpreter would look if it were installed there.
function(quoin_install_python)
  if(NOT QUOIN_PYTHON_INSTALL_DIR)
    execute_process(COMMAND ${QUOIN_PYTHON} -c
      "import sysconfig; print(sysconfig.get_path('platlib', 'posix_prefix', {'platbase': ''}).strip('/'))"
      OUTPUT_VARIABLE QUOIN_PYTHON_INSTALL_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(RELATIVE_PATH libraries ${CMAKE_INSTALL_PREFIX}/${QUOIN_PYTHON_INSTALL_DIR}/quoin ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(quoin_python PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  install(TARGETS quoin_python LIBRARY DESTINATION ${QUOIN_PYTHON_INSTALL_DIR}/quoin COMPONENT python)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/quoin DESTINATION ${QUOIN_PYTHON_INSTALL_DIR} COMPONENT python
    FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed PATTERN __pycache__ EXCLUDE)
endfunction()
