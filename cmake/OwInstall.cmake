# SPDX-License-Identifier: Apache-2.0
# OwInstall.cmake - what `cmake --install` adds to the targets: pkg-config
# files, the CMake package, and library names for existing build lines

# Existing programs link -latmiclt -lnstd -lfml32 and so on; each of these names
# is a linker script that refers to the library with those functions.
foreach(alias nstd:-latmi\ -lubf atmiclt:-latmi\ -lubf fml:-lubf fml32:-lubf
	tpadm:-latmi\ -lubf
	# Names of Tuxedo: -ltux of its clients and servers, -lwsc of those that
	# are elsewhere, its buffers and MIB.
	tux:-latmisrvnomain\ -latmi\ -lubf wsc:-latmi\ -lubf buft:-latmi\ -lubf
	tmib:-latmi\ -lubf engine:-latmi\ -lubf)
	string(REGEX MATCH "^[^:]+" name "${alias}")
	string(REGEX REPLACE "^[^:]+:" "" libs "${alias}")
	file(WRITE ${PROJECT_BINARY_DIR}/lib/lib${name}.so
		"/* ${name} is part of: */\nINPUT ( ${libs} )\n")
	install(FILES ${PROJECT_BINARY_DIR}/lib/lib${name}.so
		DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endforeach()

# atmisrvinteg is the name that existing language bindings ask for.
foreach(pc onewake-client:-latmi\ -lubf onewake-server:-latmisrv\ -latmi\ -lubf
	atmisrvinteg:-latmisrvinteg\ -latmi\ -lubf)
	string(REGEX MATCH "^[^:]+" PC_NAME "${pc}")
	string(REGEX REPLACE "^[^:]+:" "" PC_LIBS "${pc}")
	configure_file(${PROJECT_SOURCE_DIR}/cmake/onewake.pc.in
		${PROJECT_BINARY_DIR}/${PC_NAME}.pc @ONLY)
	install(FILES ${PROJECT_BINARY_DIR}/${PC_NAME}.pc
		DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()

install(EXPORT Onewake NAMESPACE Onewake::
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Onewake
	FILE OnewakeTargets.cmake COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/OnewakeConfig.cmake.in
	${PROJECT_BINARY_DIR}/OnewakeConfig.cmake
	INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Onewake)
write_basic_package_version_file(
	${PROJECT_BINARY_DIR}/OnewakeConfigVersion.cmake
	COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/OnewakeConfig.cmake
	${PROJECT_BINARY_DIR}/OnewakeConfigVersion.cmake
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Onewake COMPONENT dev)

install(PROGRAMS conf/bpftrace/onewake-latency.bt
	conf/bpftrace/onewake-servers.bt
	DESTINATION ${CMAKE_INSTALL_DATADIR}/onewake)
install(FILES conf/grafana/onewake.json conf/prometheus/onewake.rules.yml
	DESTINATION ${CMAKE_INSTALL_DATADIR}/onewake)
install(FILES conf/ndrxconfig.sample.xml conf/ndrxconfig.rng
	DESTINATION ${CMAKE_INSTALL_DATADIR}/onewake)
include(OwPackage)
