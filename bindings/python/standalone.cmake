# SPDX-License-Identifier: Apache-2.0
# standalone.cmake - the build by pip: which Onewake, and where the files go
#
# ONEWAKE (variable of the environment) is the prefix of its installation; else
# pkg-config finds it. The module remembers the folder of the library, so that
# programs run without LD_LIBRARY_PATH.
if(DEFINED ENV{ONEWAKE})
	find_path(ONEWAKE_INCLUDE tpbind.h PATHS $ENV{ONEWAKE}/include
		NO_DEFAULT_PATH REQUIRED)
	find_library(ONEWAKE_LIBRARY onewake PATHS $ENV{ONEWAKE}/lib
		PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH REQUIRED)
else()
	find_package(PkgConfig REQUIRED)
	pkg_check_modules(ONEWAKE REQUIRED onewake-client)
	find_path(ONEWAKE_INCLUDE tpbind.h HINTS ${ONEWAKE_INCLUDE_DIRS} REQUIRED)
	find_library(ONEWAKE_LIBRARY onewake HINTS ${ONEWAKE_LIBRARY_DIRS} REQUIRED)
endif()
get_filename_component(folder ${ONEWAKE_LIBRARY} DIRECTORY)
message(STATUS "Onewake: ${ONEWAKE_LIBRARY}")
target_include_directories(onewake_python PRIVATE ${ONEWAKE_INCLUDE})
target_link_libraries(onewake_python PRIVATE ${ONEWAKE_LIBRARY})
set_target_properties(onewake_python PROPERTIES INSTALL_RPATH ${folder})
install(TARGETS onewake_python LIBRARY DESTINATION onewake)
