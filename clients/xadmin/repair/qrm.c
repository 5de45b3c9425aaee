/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qrm.c - qrm, qrmall: remove queues by hand
 *
 * A queue that a server serves stays unless -f is given: its callers would wait
 * for nothing.
 */
#include "clients/xadmin/repair/repair.h"

#include <dirent.h>
#include <errno.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>

#include "clients/xadmin/domain/names.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/env.h"
#include "libatmi/transport/transport.h"
#include "libatmi/domain/queue_name.h"
#include "libubf/base/printable.h"

/* ---- users of a queue ---- */

/* How many servers use the queue. `name` is without the prefix. */
static uint32_t users_of(const struct ow_observer *v, const char *name)
{
	const char *service = ow_queue_name_parse(name);
	const struct ow_tables *t = v->d.tables;
	int at = service != NULL ? ow_svc_find(t, service) : -1;

	return at < 0 ? 0 : ow_svc_servers(&t->svc[at]);
}

/* Is it the mailbox of a context? pqa lists these, too. */
static bool is_mailbox(const struct ow_observer *v, const char *name)
{
	const struct ow_tables *t = v->d.tables;
	char box[OW_CLT_QUEUE];
	uint32_t i;

	for (i = 0; i < ow_observer_clients(v); i++) {
		ow_printable(ow_clt_queue(t, i, box));
		if (ow_observer_client(v, i) && strcmp(box, name) == 0)
			return true;
	}
	return false;
}

/* ---- removing ---- */

struct removal {
	struct ow_args *a;
	struct ow_domain d;
	struct ow_observer view;
	bool have_view;
	uint32_t removed, kept;
};

/* Remove a queue by its name without the prefix. An exit code. */
static int remove_one(struct removal *rm, const char *name)
{
	uint32_t users = 0;
	int r;

	if (rm->have_view && !ow_args_has(rm->a, 'f'))
		users = users_of(&rm->view, name);
	if (users > 0) {
		rm->kept++;
		return ow_cmd_fail(rm->a, "/%s,%s: is used by %u processes; stop "
					  "them first, or give -f", rm->d.prefix,
				   name, users);
	}
	r = rm->d.transport->remove_named(&rm->d, name);
	if (r == OW_QUEUE_GONE && rm->have_view && is_mailbox(&rm->view, name))
		return ow_cmd_fail(rm->a, "/%s,%s: a mailbox in shared memory; "
					  "it goes with its context",
				   rm->d.prefix, name);
	if (r == OW_QUEUE_GONE || r == -ENOENT)
		return ow_cmd_fail(rm->a, "/%s,%s: no such queue (`pqa` lists "
					  "them)", rm->d.prefix, name);
	if (r != 0)
		return ow_cmd_fail(rm->a, "/%s,%s: %s", rm->d.prefix, name,
				   strerror(-r));
	printf("/%s,%s removed\n", rm->d.prefix, name);
	rm->removed++;
	return OW_EXIT_OK;
}

/* The part after "/<prefix>,"; NULL: a queue of another domain. */
static const char *without_prefix(const struct ow_domain *d, const char *name)
{
	size_t n = strlen(d->prefix);

	name += *name == '/';
	if (strncmp(name, d->prefix, n) != 0 || name[n] != ',')
		return NULL;
	return name + n + 1;
}

/* The transport whose queues have names on the machine: without a domain, its
 * queues are what may lie about. */
static const struct ow_transport *named_transport(void)
{
	const struct ow_transport *t;
	uint32_t i;

	for (i = 0; (t = ow_transport_at(i))->remove_named == NULL; i++)
		;
	return t;
}

static int begin(struct removal *rm, struct ow_args *a)
{
	char why[512];

	memset(rm, 0, sizeof(*rm));
	rm->a = a;
	if (a->n_rest == 0)
		return ow_cmd_misused(a, "give %s",
				      strcmp(a->cmd->name, "qrm") == 0
					  ? "names of queues, as `pqa` prints"
					    " them"
					  : "parts of the names of queues");
	if (ow_reach_own(a, &rm->d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	rm->have_view = ow_observer_open(&rm->view, why, sizeof(why)) == 0;
	if (!rm->have_view) {
		rm->d.transport = named_transport();
		return OW_EXIT_OK;
	}
	rm->d.transport = rm->view.d.transport;
	if (rm->d.transport->remove_named != NULL)
		return OW_EXIT_OK;
	ow_observer_close(&rm->view);
	return ow_cmd_fail(a, "queues of this domain are in shared memory and "
			      "are cleaned up automatically; `down -y` "
			      "removes all of them");
}

static void end(struct removal *rm)
{
	if (rm->have_view)
		ow_observer_close(&rm->view);
}

int ow_repair_qrm(struct ow_args *a)
{
	struct removal rm;
	const char *name;
	int i, r, worst = begin(&rm, a);

	if (worst != OW_EXIT_OK)
		return worst;
	for (i = 0; i < a->n_rest; i++) {
		name = without_prefix(&rm.d, a->rest[i]);
		r = name != NULL
			? remove_one(&rm, name)
			: ow_cmd_fail(a, "%s: not a queue of this domain; its "
					 "queues begin with /%s,",
				      a->rest[i], rm.d.prefix);
		if (r != OW_EXIT_OK)
			worst = r;
	}
	end(&rm);
	return worst;
}

/* Names of the domain's queues, from the tables and the file system. */
static void collect_names(const struct removal *rm, struct ow_names *names)
{
	char part[96], name[OW_NAMES_LEN];
	const char *rest;
	struct dirent *e;
	uint32_t i;
	DIR *dir = opendir(ow_env_str("NDRX_QPATH", "/dev/mqueue"));

	for (i = 0; rm->have_view && i < ow_observer_services(&rm->view); i++) {
		const struct ow_svc *s =
		    ow_observer_service(&rm->view, i, part);

		if (s == NULL || !ow_observer_has_queue(s))
			continue;
		ow_queue_name_service(part, name, sizeof(name));
		ow_names_add(names, name);
	}
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		rest = without_prefix(&rm->d, e->d_name);
		if (rest != NULL)
			ow_names_add(names, rest);
	}
	if (dir != NULL)
		closedir(dir);
}

static bool contains_any(const struct ow_args *a, const char *name)
{
	int i;

	for (i = 0; i < a->n_rest; i++)
		if (strstr(name, a->rest[i]) != NULL)
			return true;
	return false;
}

int ow_repair_qrmall(struct ow_args *a)
{
	struct ow_names names = { .n = 0 };
	struct removal rm;
	size_t i;
	int r, worst = begin(&rm, a);

	if (worst != OW_EXIT_OK)
		return worst;
	collect_names(&rm, &names);
	for (i = 0; i < names.n; i++) {
		if (!contains_any(a, names.list[i]))
			continue;
		r = remove_one(&rm, names.list[i]);
		if (r != OW_EXIT_OK)
			worst = r;
	}
	fprintf(stderr, "%u queues removed, %u kept.\n", rm.removed, rm.kept);
	if (worst == OW_EXIT_OK && rm.removed == 0)
		worst = ow_cmd_fail(a, "no queue of this domain has %s in its "
				    "name", a->n_rest == 1 ? a->rest[0]
							   : "these texts");
	ow_names_clear(&names);
	end(&rm);
	return worst;
}
