# SPDX-License-Identifier: BSD-3-Clause
# Finds SQLite 3; defines the target Sqlite::Sqlite. Debian: libsqlite3-dev.
find_path(Sqlite_INCLUDE_DIR sqlite3.h)
find_library(Sqlite_LIBRARY sqlite3)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Sqlite REQUIRED_VARS Sqlite_LIBRARY Sqlite_INCLUDE_DIR)
set(Sqlite_LIBRARIES ${Sqlite_LIBRARY})
mark_as_advanced(Sqlite_INCLUDE_DIR Sqlite_LIBRARY)

if(Sqlite_FOUND AND NOT TARGET Sqlite::Sqlite)
  add_library(Sqlite::Sqlite UNKNOWN IMPORTED)
  set_target_properties(Sqlite::Sqlite PROPERTIES
    IMPORTED_LOCATION ${Sqlite_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Sqlite_INCLUDE_DIR})
endif()
