# SPDX-License-Identifier: Apache-2.0
# OwPackage.cmake - Debian packages: `cpack --config build/release/CPackConfig.cmake`
#
# What a domain and its programs need is onewake. Beside it, so that machines with
# clients only have no libraries for nothing:
#	onewake-dev		headers, manuals of functions, buildserver
#	onewake-bridge		ndrxbridge: several machines (libnats)
#	onewake-console		ndrxtop (ncurses)
#	onewake-httpgate	httpgate, restincl, restoutsv (a program in Go, if it was built)
#	onewake-databases	drivers of PostgreSQL, MariaDB; if they were built
#	onewake-dbgsym		symbols for debuggers, if the compiler made some (-g)
# Upgrading replaces files under running domains,
# which keep the old files open; doc/operating.md describes how to restart them
# with the new files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onewake)
# A tilde: 0.1.0~dev comes before 0.1.0.
string(REPLACE "-" "~" CPACK_PACKAGE_VERSION "${OW_VERSION}")
set(CPACK_PACKAGE_VENDOR "Onewake")
set(CPACK_PACKAGE_CONTACT "Onewake maintainers <maintainers@onewake.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ATMI server runtime: one message wakes one server")
set(CPACK_PACKAGE_DESCRIPTION
"Runs hundreds of ordinary programs as servers behind named services, balances
calls over them, and supervises them. Programs written for Enduro/X or Oracle
Tuxedo compile and run unchanged. With libraries, headers, ndrxd, xadmin,
ndrxmetrics and manual pages.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
# The script of the parts fills this one.
install(CODE "" COMPONENT dbgsym)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME onewake)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS
	"onewake-dev, onewake-bridge, onewake-console, onewake-httpgate")
foreach(part dev bridge console databases httpgate dbgsym)
	string(TOUPPER ${part} PART)
	set(CPACK_DEBIAN_${PART}_PACKAGE_NAME onewake-${part})
	set(CPACK_DEBIAN_${PART}_PACKAGE_DEPENDS
		"onewake (= ${CPACK_PACKAGE_VERSION})")
endforeach()
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DBGSYM_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_BRIDGE_PACKAGE_SUGGESTS nats-server)
# One package of everything before.
set(CPACK_DEBIAN_DEV_PACKAGE_REPLACES "onewake (<< 0.2~)")
set(CPACK_DEBIAN_BRIDGE_PACKAGE_REPLACES "onewake (<< 0.2~)")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_REPLACES "onewake (<< 0.2~)")
set(CPACK_DEBIAN_DATABASES_PACKAGE_REPLACES "onewake (<< 0.2~)")
set(CPACK_DEBIAN_HTTPGATE_PACKAGE_REPLACES "onewake (<< 0.2~)")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "logrotate, liblmdb0, libssl3 | libssl3t64, libsodium23")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/OwPackageParts.cmake)
set(CPACK_ONEWAKE_LIBRARIES ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
	${PROJECT_SOURCE_DIR}/conf/debian/prerm
	${PROJECT_SOURCE_DIR}/conf/debian/triggers)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/onewake
	RENAME copyright)
install(FILES README.md CHANGELOG.md SECURITY.md doc/abi.md doc/glossary.md
	doc/metrics.md doc/operating.md doc/performance.md
	DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/onewake)
install(DIRECTORY doc/design doc/lab DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/onewake)
install(FILES conf/debian/logrotate
	DESTINATION ${CMAKE_INSTALL_DATADIR}/onewake)
include(CPack)
