# SPDX-License-Identifier: Apache-2.0
# OwPackageParts.cmake - what each part of the package depends on, as cpack makes
# it; and its symbols, which become a part of their own
#
# CPack's own ways (CPACK_DEBIAN_PACKAGE_SHLIBDEPS, ..._DEBUGINFO_PACKAGE) run
# file(1) for each file of the package: a minute of CPU time for hundreds of
# manual pages. Here programs and libraries are found by their first bytes;
# dpkg-shlibdeps runs once for each part.
find_program(shlibdeps dpkg-shlibdeps)
find_program(objcopy objcopy)
find_program(readelf readelf)
if(NOT shlibdeps)
	message("dpkg-shlibdeps is not installed: packages have no dependencies")
endif()
set(tree ${CPACK_TEMPORARY_DIRECTORY})

# Programs and libraries of a part, to `to`.
function(find_programs part to)
	file(GLOB files LIST_DIRECTORIES false ${tree}/${part}/usr/bin/*
		${tree}/${part}/usr/lib/*.so*)
	set(found)
	foreach(file IN LISTS files)
		set(begin)
		if(NOT IS_SYMLINK ${file}) # its file may be in another part
			file(READ ${file} begin LIMIT 4 HEX)
		endif()
		if(begin STREQUAL "7f454c46")
			list(APPEND found ${file})
		endif()
	endforeach()
	set(${to} ${found} PARENT_SCOPE)
endfunction()

# The packages that a part depends on, to `to`.
function(find_packages programs to)
	# It wants the source of a package around it.
	set(at ${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps)
	file(WRITE ${at}/debian/control "")
	execute_process(COMMAND ${shlibdeps} -l${CPACK_ONEWAKE_LIBRARIES}
		--ignore-missing-info -O ${programs} WORKING_DIRECTORY ${at}
		OUTPUT_VARIABLE said ERROR_VARIABLE errors RESULT_VARIABLE status
		OUTPUT_STRIP_TRAILING_WHITESPACE)
	file(REMOVE_RECURSE ${at})
	if(NOT status EQUAL 0 OR NOT said MATCHES "Depends=(.+)$")
		message(FATAL_ERROR "dpkg-shlibdeps: ${status}: ${errors}${said}")
	endif()
	set(${to} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# Symbols go where debuggers look for them by the build id; the program has none
# any more.
function(take_symbols file)
	execute_process(COMMAND ${readelf} -n ${file} OUTPUT_VARIABLE notes
		ERROR_QUIET)
	if(notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
		set(at ${tree}/dbgsym/usr/lib/debug/.build-id/${CMAKE_MATCH_1})
		file(MAKE_DIRECTORY ${at})
		execute_process(COMMAND ${objcopy} --only-keep-debug
			--compress-debug-sections ${file}
			${at}/${CMAKE_MATCH_2}.debug)
	endif()
	execute_process(COMMAND ${objcopy} --strip-unneeded ${file})
endfunction()

foreach(part runtime dev bridge console databases httpgate)
	find_programs(${part} programs)
	if(programs AND shlibdeps)
		find_packages("${programs}" packages)
		string(TOUPPER ${part} PART)
		set(own "${CPACK_DEBIAN_${PART}_PACKAGE_DEPENDS}")
		if(own)
			string(APPEND packages ", ${own}")
		endif()
		set(CPACK_DEBIAN_${PART}_PACKAGE_DEPENDS "${packages}")
	endif()
	foreach(file IN LISTS programs)
		take_symbols(${file})
	endforeach()
endforeach()
