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
add_compile_options(-Wall -Wextra -Wshadow
	$<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
	$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
	-Wvla -Wno-unused-parameter -fno-common -fno-strict-aliasing)
add_link_options(-Wl,--as-needed -Wl,-O1)
if(OW_WERROR)
	add_compile_options(-Werror)
endif()
if(OW_SANITIZE STREQUAL "address")
	add_compile_options(-fsanitize=address,undefined
		-fno-sanitize-recover=undefined -fno-omit-frame-pointer)
	if(CMAKE_C_COMPILER_ID STREQUAL GNU)
		# With -O1 it knows less of the values of variables.
		add_compile_options(-Wno-format-truncation
			-Wno-maybe-uninitialized)
	endif()
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

# ow_objects(name sources...): the object library <name>_obj; libonewake.so is
# made of it, and tests and programs of the project that reach private functions
# are linked with it.
function(ow_objects name)
	add_library(${name}_obj OBJECT ${ARGN})
	target_include_directories(${name}_obj PUBLIC
		${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
endfunction()

# ow_public_names(library names...): only public names, and these, leave it.
function(ow_public_names library)
	set(map ${PROJECT_SOURCE_DIR}/libonewake/public.map)
	if(ARGN)
		file(READ ${map} text)
		list(JOIN ARGN ";\n\t" more)
		string(REPLACE "global:\n" "global:\n\t${more};\n" text "${text}")
		set(map ${CMAKE_CURRENT_BINARY_DIR}/${library}.map)
		file(CONFIGURE OUTPUT ${map} CONTENT "${text}")
	endif()
	target_link_options(${library} PRIVATE -Wl,--version-script=${map})
	set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# ow_bind_own(library): it calls its own functions directly, but for those that a
# program may define. Once loaded the code stays: ends of threads, forks and exit
# run it, also after dlclose() of a plugin that brought it.
function(ow_bind_own library)
	set(list ${PROJECT_SOURCE_DIR}/libonewake/interposed.list)
	target_link_options(${library} PRIVATE -Wl,-Bsymbolic-functions
		-Wl,-z,nodelete -Wl,--dynamic-list=${list})
	set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${list})
	# mold 1.10 binds those, too: a program's would never be called.
	if(CMAKE_SHARED_LINKER_FLAGS MATCHES mold)
		target_link_options(${library} PRIVATE -fuse-ld=bfd)
	endif()
endfunction()

# ow_embed(program [server]): a program of the project that uses private
# functions has all of the libraries in itself; `server`: with the main() and
# the loop of a server. Plugins and drivers that it loads find the public names
# in the program, so that there is one copy of the state: the loader looks there
# first. A test looks at what each program is linked with.
function(ow_embed program)
	target_link_libraries(${program} PRIVATE atmi_obj ubf_obj)
	if("server" IN_LIST ARGN)
		target_link_libraries(${program} PRIVATE atmisrvinteg_obj
			atmisrvnomain_obj atmisrv_obj)
	endif()
	set(list ${PROJECT_BINARY_DIR}/public.list)
	target_link_options(${program} PRIVATE -Wl,--dynamic-list=${list})
	set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${list})
	# mold warns of each name that a program has not: those of servers.
	if(CMAKE_EXE_LINKER_FLAGS MATCHES mold)
		target_link_options(${program} PRIVATE -Wl,--undefined-version)
	endif()
endfunction()
# The names of public.map as a list of names that a program exports.
set(map ${PROJECT_SOURCE_DIR}/libonewake/public.map)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${map})
file(STRINGS ${map} names REGEX "^\t[A-Za-z_0-9]+;$")
list(JOIN names "\n" names)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/public.list
	CONTENT "{\n${names}\n};\n")

# ow_queue_bytes(TEST N): POSIX queues of the test take up to N times 1000 bytes of the
# 819,200 that the kernel lets a user have. tests/suite/schedule.py has less of them:
# unit tests that take few do not say it.
function(ow_queue_bytes test thousands)
	set_tests_properties(${test} PROPERTIES
		RESOURCE_GROUPS "queue_bytes:${thousands}")
endfunction()

# ow_test(name program arguments...): as add_test(), through tests/suite/spent.c,
# which notes the CPU time of a test.
function(ow_test name program)
	if(TARGET ${program})
		set(program $<TARGET_FILE:${program}>)
	endif()
	add_test(NAME ${name} COMMAND $<TARGET_FILE:spent> ${name} ${program} ${ARGN})
endfunction()

# ow_unit_test(name source libs...): one cmocka program, one module.
function(ow_unit_test name source)
	add_executable(${name} ${source})
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
	target_link_libraries(${name} PRIVATE ${ARGN} PkgConfig::CMOCKA
		Threads::Threads)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
		${PROJECT_BINARY_DIR}/tests)
	ow_test(${name} ${name})
	# Sanitizers take five times the time, more on a machine that is busy.
	set(labels unit)
	set(limit 120)
	if(OW_SANITIZE)
		set(limit 900)
	endif()
	# Those that know a long form, as in tests/e2e.
	file(STRINGS ${source} long REGEX
		"OW_LONG|corruptions_wanted|fault_short_form")
	if(long)
		list(APPEND labels long)
		set(limit 3000)
	endif()
	set_tests_properties(${name} PROPERTIES LABELS "${labels}"
		TIMEOUT ${limit})
endfunction()
