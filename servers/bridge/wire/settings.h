/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - the options of a bridge: its arguments, then its section
 */
#ifndef OW_BRIDGE_SETTINGS_H
#define OW_BRIDGE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/domain/tcp_link.h"
#include "servers/bridge/wire/names.h"
#include "servers/bridge/wire/nats.h"

struct ow_br_options {
	char cluster[33];
	char root[64]; /* of all subjects: ow.<cluster> */
	uint32_t node;
	uint32_t heartbeat_ms;
	uint32_t refresh_ms; /* 0: never */
	uint32_t leave_ms; /* so long it goes on with what is under way */
	struct ow_br_names exports, hidden; /* exports empty: all */
	bool is_silent; /* nothing is offered */
	struct ow_tcp_link tcp; /* node 0: none, this is a cluster */
	/* TCP link, passive: what nats-server asks the other node for. */
	char other_password[256];
	const char *other_password_file;
	const char *imports; /* directory/imports.h; or NULL */
	struct ow_nats_options nats;
	char name[64], password[256];
	char url[320], user[16]; /* TCP link: of nats */
	const char *password_file; /* or NULL */
};

/* The password in the file, which may be NULL: 0, or -1 with the reason. */
int ow_br_password_read(const char *path, char (*ret)[256], char *why,
			size_t size);

/* 0, or -1 with the reason in `why`. If ret->tcp has a node, ow_br_link_settings()
 * is to follow. */
int ow_br_options_read(int argc, char **argv, long nodeid,
		       struct ow_br_options *ret, char *why, size_t size);

#endif
