# SPDX-License-Identifier: Apache-2.0
# OwPackageDepends.cmake - the packages that ours depends on, as cpack makes it
#
# CPack's own way (CPACK_DEBIAN_PACKAGE_SHLIBDEPS) runs file(1) for each file of
# the package: a minute of CPU time for hundreds of manual pages. Here programs
# and libraries are found by their first bytes; dpkg-shlibdeps runs once.
find_program(shlibdeps dpkg-shlibdeps)
if(NOT shlibdeps)
	message("dpkg-shlibdeps is not installed: the package has no dependencies")
	return()
endif()
file(GLOB files LIST_DIRECTORIES false ${CPACK_TEMPORARY_DIRECTORY}/usr/bin/*
	${CPACK_TEMPORARY_DIRECTORY}/usr/lib/*.so*)
set(programs)
foreach(file IN LISTS files)
	file(READ ${file} begin LIMIT 4 HEX)
	if(begin STREQUAL "7f454c46" AND NOT IS_SYMLINK ${file})
		list(APPEND programs ${file})
	endif()
endforeach()
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
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${CMAKE_MATCH_1})
