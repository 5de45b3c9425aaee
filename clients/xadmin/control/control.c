/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - small orders and questions to ndrxd
 */
#include "clients/xadmin/control/control.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/common/domain_view.h"
#include "clients/common/remote.h"
#include "clients/xadmin/command/commands.h"
#include "clients/xadmin/domain/refuse.h"
#include "clients/xadmin/domain/spawn.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/member/join.h"

#define PING_PERIOD_MS 1000

/* Lines of text go to stdout. */
static void print_text(const union ow_ctl_msg *m, void *arg)
{
	(void)arg;
	if (m->h.kind == OW_CTL_EVENT)
		printf("%s\n", m->event.text);
}

int ow_control_ask(struct ow_args *a, struct ow_remote_cmd *c)
{
	struct ow_remote remote;
	struct ow_ctl_done done;
	struct ow_domain d;
	int r = ow_spawn_connect_running(a, &d, &remote);

	if (r != OW_EXIT_OK)
		return r;
	c->on_answer = print_text;
	r = ow_remote_call(&remote, c, &done);
	ow_remote_close(&remote);
	if (r < 0)
		return ow_remote_fail(a, r);
	if (done.status != 0)
		return ow_cmd_fail(a, "%s", done.text[0] != '\0' ? done.text
								 : "failed");
	if (done.text[0] != '\0')
		printf("%s\n", done.text);
	return OW_EXIT_OK;
}

int ow_control_idle(struct ow_args *a)
{
	struct ow_remote remote = { .fd = -1 };
	struct ow_domain d;
	char why[256];
	int r;

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	if (ow_remote_open(&d, &remote) == 0) {
		ow_remote_close(&remote);
		fprintf(stderr, "ndrxd is already running\n");
		return OW_EXIT_OK;
	}
	r = ow_spawn_connect(a, &d, &remote);
	if (r != OW_EXIT_OK)
		return r;
	fprintf(stderr, "ndrxd is running, no server was started\n");
	ow_remote_close(&remote);
	return OW_EXIT_OK;
}

static int ping_once(struct ow_args *a, struct ow_remote *remote, long loop)
{
	struct ow_remote_cmd c = { .verb = OW_VERB_PING };
	uint64_t begin = ow_clock_mono_ns();
	struct ow_ctl_done done;
	int r = ow_remote_call(remote, &c, &done);

	if (r < 0)
		return ow_remote_fail(a, r);
	printf("loop %ld: ndrxd_ping_seq=%ld time=%" PRIu64 " ms\n", loop,
	       loop + 1, (ow_clock_mono_ns() - begin) / OW_NS_PER_MS);
	fflush(stdout);
	return done.status == 0 ? OW_EXIT_OK : OW_EXIT_FAILED;
}

int ow_control_dping(struct ow_args *a)
{
	const char *text = ow_args_value(a, 'c');
	long i, count = 4;
	struct ow_remote remote;
	struct ow_domain d;
	int r;

	if (text != NULL && (ow_env_parse_long(text, &count) != 0 ||
			     count < 1))
		return ow_cmd_misused(a, "-c %s: want a count", text);
	r = ow_spawn_connect_running(a, &d, &remote);
	if (r != OW_EXIT_OK)
		return r;
	for (i = 0; i < count && r == OW_EXIT_OK; i++) {
		if (i > 0 && poll(NULL, 0, PING_PERIOD_MS) < 0)
			break; /* Ctrl-C */
		r = ping_once(a, &remote, i);
	}
	ow_remote_close(&remote);
	return r;
}

int ow_control_dpid(struct ow_args *a)
{
	struct ow_remote remote;
	struct ow_domain d;
	int r = ow_spawn_connect_running(a, &d, &remote);

	if (r != OW_EXIT_OK)
		return r;
	printf("%d\n", (int)ow_remote_pid(&remote));
	ow_remote_close(&remote);
	return OW_EXIT_OK;
}

static int advertise(struct ow_args *a, enum ow_ctl_verb verb)
{
	const char *id = ow_args_value(a, 'i'), *svc = ow_args_value(a, 's');
	struct ow_remote_cmd c = { .verb = verb, .name = svc };

	if (id == NULL || svc == NULL)
		return ow_cmd_misused(a, "-i ID and -s SVC are needed");
	c.srvid = ow_args_srvid(a, id);
	return c.srvid == 0 ? OW_EXIT_USAGE : ow_control_ask(a, &c);
}

int ow_control_readv(struct ow_args *a)
{
	return advertise(a, OW_VERB_ADV);
}

int ow_control_unadv(struct ow_args *a)
{
	return advertise(a, OW_VERB_UNADV);
}

int ow_control_appconfig(struct ow_args *a)
{
	struct ow_remote_cmd c = { .verb = OW_VERB_APPCONFIG };

	if (a->n_rest > 0)
		c.name = a->rest[0];
	if (a->n_rest > 1)
		c.text = a->rest[1];
	return ow_control_ask(a, &c);
}

int ow_control_ldcf(struct ow_args *a)
{
	struct ow_remote remote = { .fd = -1 };
	struct ow_domain d;
	char why[256];

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	if (ow_remote_open(&d, &remote) != 0)
		return ow_control_idle(a); /* it loads the file as it starts */
	ow_remote_close(&remote);
	fprintf(stderr, "the configuration is loaded; `reload` reads it "
			"again\n");
	return OW_EXIT_OK;
}

int ow_control_cabort(struct ow_args *a)
{
	struct ow_remote_cmd c = { .verb = OW_VERB_CABORT };

	return ow_cmd_sure(a) ? ow_control_ask(a, &c) : OW_EXIT_FAILED;
}
