/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ctl.c - a packet of the control socket
 *
 * What passes the check is read as ndrxd and xadmin read it: every string to
 * its end, every number as an index. Bytes behind the packet are no NULs, so
 * that a string that runs over is longer than the packet.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/wire/ctl.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static size_t read_strings(const union ow_ctl_msg *m)
{
	switch (m->h.kind) {
	case OW_CTL_HELLO:
		return strlen(m->hello.bin);
	case OW_CTL_ADV:
	case OW_CTL_UNADV:
		return strlen(m->name.name);
	case OW_CTL_CMD:
		return strlen(m->cmd.name) + strlen(m->cmd.text);
	case OW_CTL_EVENT:
		return strlen(m->event.bin) + strlen(m->event.text);
	case OW_CTL_ROW:
		return strlen(m->row.bin) + strlen(m->row.binpath) +
		       strlen(m->row.last_cmd) + strlen(m->row.reason);
	case OW_CTL_DONE:
		return strlen(m->done.text);
	default:
		return 0;
	}
}

static void read_packet(const union ow_ctl_msg *m, size_t len)
{
	if (read_strings(m) >= len || m->h.len != len ||
	    strlen(ow_ctl_kind_name(m->h.kind)) < 2)
		abort();
	if (m->h.kind == OW_CTL_HELLO && m->hello.srvid - 1 >= 65535)
		abort();
	if (m->h.kind == OW_CTL_CMD && *ow_ctl_verb_word(m->cmd.verb) == '\0')
		abort();
	if (m->h.kind == OW_CTL_EVENT)
		(void)strlen(ow_ctl_verb_word(m->event.verb));
	if (m->h.kind == OW_CTL_ROW &&
	    (*ow_proc_state_word(m->row.state) == '?' ||
	     *ow_proc_state_text(m->row.requested) == '?'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	union ow_ctl_msg *m = calloc(1, sizeof(*m));

	if (m == NULL || len > sizeof(*m)) {
		free(m);
		return 0;
	}
	memset(m, 0xa5, sizeof(*m));
	memcpy(m, bytes, len);
	if (ow_ctl_check(m, len) == 0)
		read_packet(m, len);
	if (len >= sizeof(m->h)) { /* the same with a sound header */
		m->h.magic = OW_CTL_MAGIC;
		m->h.version = OW_CTL_VERSION;
		m->h.len = (uint32_t)len;
		if (ow_ctl_check(m, len) == 0)
			read_packet(m, len);
	}
	free(m);
	return 0;
}
