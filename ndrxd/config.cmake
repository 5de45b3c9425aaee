# SPDX-License-Identifier: Apache-2.0
# config.cmake - sources of the configuration, relative to ndrxd/
# They need libxml2 (pkg-config libxml-2.0).
set(OW_NDRXD_CONFIG
	cmdline.c
	config_arena.c
	config_check.c
	config_clients.c
	config_envs.c
	config_fields.c
	config_groups.c
	config_load.c
	config_origin.c
	config_other.c
	config_print.c
	config_read.c
	config_say.c
	config_schema.c
	config_server.c
	config_services.c
	config_show.c
	config_subst.c
	config_text.c
	config_value.c)

# The schema goes into the program: a check needs no file that is installed.
set(ow_schema ${PROJECT_SOURCE_DIR}/conf/ndrxconfig.rng)
file(READ ${ow_schema} ow_schema_hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1,\n" ow_schema_bytes
	"${ow_schema_hex}")
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/schema/ndrxconfig_rng.inc
	CONTENT "${ow_schema_bytes}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ow_schema})
include_directories(${CMAKE_CURRENT_BINARY_DIR}/schema)
