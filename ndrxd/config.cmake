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
	config_other.c
	config_print.c
	config_read.c
	config_say.c
	config_server.c
	config_subst.c
	config_value.c)
