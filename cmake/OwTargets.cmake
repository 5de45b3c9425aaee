# SPDX-License-Identifier: Apache-2.0
# OwTargets.cmake - how every target of the project is compiled

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# What is installed has its final run path from the beginning: where CMake is
# to change it at installation, it reserves room with empty elements, and the
# loader looks for libraries in the current folder for each of them. Each
# element costs the loader 20 failed openat() per library that is elsewhere.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
if(NOT CMAKE_INSTALL_LIBDIR STREQUAL "lib")
	string(PREPEND CMAKE_INSTALL_RPATH "$ORIGIN/../lib:")
endif()
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

add_compile_definitions(_GNU_SOURCE)
if(OW_HAVE_SDT)
	add_compile_definitions(OW_HAVE_SDT)
endif()
add_compile_options(-Wall -Wextra -Wshadow -Wmissing-prototypes
	-Wstrict-prototypes -Wvla -Wno-unused-parameter
	-fno-common -fno-strict-aliasing)
add_link_options(-Wl,--as-needed -Wl,-O1)
if(OW_WERROR)
	add_compile_options(-Werror)
endif()
if(OW_SANITIZE STREQUAL "address")
	add_compile_options(-fsanitize=address,undefined
		-fno-sanitize-recover=undefined -fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
elseif(OW_SANITIZE STREQUAL "thread")
	# Fences are not modelled: what they order are atomics, which are.
	add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
	add_link_options(-fsanitize=thread)
endif()

# Assertions are checked in release builds, too.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELWITHDEBINFO
	"${CMAKE_C_FLAGS_RELWITHDEBINFO}")
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

# ow_layer(list folder sources...): appends the sources of one folder to `list`.
function(ow_layer list folder)
	list(TRANSFORM ARGN PREPEND ${folder}/)
	set(${list} ${${list}} ${ARGN} PARENT_SCOPE)
endfunction()

# ow_transports(list folder out...): the names of the transports, which are the
# folders with a transport.c, and <out>/transports.inc, which registry.c reads.
function(ow_transports list folder out)
	file(GLOB tables CONFIGURE_DEPENDS ${folder}/*/transport.c ${ARGN})
	set(names)
	set(lines "")
	foreach(table IN LISTS tables)
		get_filename_component(name ${table} DIRECTORY)
		get_filename_component(name ${name} NAME)
		list(APPEND names ${name})
		string(APPEND lines "X(${name})\n")
	endforeach()
	file(CONFIGURE OUTPUT ${out}/transports.inc CONTENT "${lines}")
	set(${list} ${names} PARENT_SCOPE)
endfunction()

# ow_library(name sources...): the object library <name>_obj (tests and
# programs of the project link it and reach private functions) and the shared
# library <name> made of it.
function(ow_library name)
	add_library(${name}_obj OBJECT ${ARGN})
	target_include_directories(${name}_obj PUBLIC
		${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
	add_library(${name} SHARED)
	target_link_libraries(${name} PRIVATE ${name}_obj)
	target_include_directories(${name} INTERFACE
		$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
		$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
	set_target_properties(${name} PROPERTIES
		VERSION ${PROJECT_VERSION} SOVERSION 0 INSTALL_RPATH "$ORIGIN")
	# Once loaded the code stays: ends of threads, forks and exit run it, also
	# after dlclose() of a plugin that brought it.
	target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions
		-Wl,-z,nodelete)
	install(TARGETS ${name} EXPORT Onewake
		LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# ow_unit_test(name source libs...): one cmocka program, one module.
function(ow_unit_test name source)
	add_executable(${name} ${source})
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
	target_link_libraries(${name} PRIVATE ${ARGN} PkgConfig::CMOCKA
		Threads::Threads)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
		${PROJECT_BINARY_DIR}/tests)
	add_test(NAME ${name} COMMAND ${name})
	set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
