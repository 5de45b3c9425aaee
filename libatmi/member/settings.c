/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - the environment variables of a domain, read and checked
 */
#include "libatmi/member/join.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "libatmi/base/env.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/setting.h"
#include "libatmi/transport/transport.h"
#include "libubf/base/compatible.h"
#include "libubf/base/variable.h"

#define TOUT_MS	   60000 /* NDRX_TOUT */
#define NODEID_MAX 32

static int read_prefix(struct ow_domain *d, char *why, size_t size)
{
	const char *p = ow_variable("NDRX_QPREFIX");

	if (p == NULL || *p == '\0') {
		snprintf(why, size,
			 "NDRX_QPREFIX is not set: it names the domain, "
			 "e.g. NDRX_QPREFIX=/bank");
		return -EINVAL;
	}
	if (*p == '/')
		p++;
	if (*p == '\0' || strlen(p) > OW_PREFIX_MAX ||
	    strpbrk(p, "/, \t\n") != NULL) {
		snprintf(why, size,
			 "NDRX_QPREFIX=\"%.60s\": give 1 to %d characters, no "
			 "'/', ',' or blank (one leading '/' is fine)",
			 ow_variable("NDRX_QPREFIX"), OW_PREFIX_MAX);
		return -EINVAL;
	}
	snprintf(d->prefix, sizeof(d->prefix), "%s", p);
	return 0;
}

static int read_transport(struct ow_domain *d, char *why, size_t size)
{
	const char *name = ow_env_str("NDRX_TRANSPORT", NULL);
	char names[80];

	if (name != NULL && strcmp(name, "auto") == 0)
		name = NULL;
	d->transport_given = name != NULL;
	d->transport = name != NULL ? ow_transport_by_name(name)
				    : ow_transport_by_id(OW_TRANSPORT_DEFAULT);
	if (d->transport != NULL)
		return 0;
	ow_transport_names(names, sizeof(names));
	snprintf(why, size, "NDRX_TRANSPORT=\"%.40s\": give auto, %s", name,
		 names);
	return -EINVAL;
}

static int read_wake(struct ow_domain *d, char *why, size_t size)
{
	const char *word = ow_env_str("NDRX_WAKE", NULL);
	const struct ow_transport *t;
	char names[80];
	uint32_t i;
	size_t n;

	d->wake = d->transport->wakes[0];
	d->wake_given = word != NULL;
	if (word == NULL || ow_wake_find(word, &d->wake) == 0)
		return 0;
	n = (size_t)snprintf(why, size, "NDRX_WAKE=\"%.40s\": give ", word);
	for (i = 0; (t = ow_transport_at(i)) != NULL && n < size; i++) {
		ow_transport_wake_names(t, names, sizeof(names));
		n += (size_t)snprintf(why + n, size - n, "%s%s (%s%s)",
				      i > 0 ? ", " : "", names,
				      i == 0 ? "transport " : "", t->name);
	}
	return -EINVAL;
}

static int check_sched(char *why, size_t size)
{
	const char *word = ow_env_str("NDRX_SCHED", "batch");

	if (strcmp(word, "batch") == 0 || strcmp(word, "normal") == 0)
		return 0;
	snprintf(why, size, "NDRX_SCHED=\"%.40s\": give batch or normal", word);
	return -EINVAL;
}

static int check_compat(char *why, size_t size)
{
	if (ow_compat_is_known())
		return 0;
	snprintf(why, size, "NDRX_COMPAT=\"%.60s\": give one of: %s, or nothing",
		 ow_variable("NDRX_COMPAT"), OW_COMPAT_WORDS);
	return -EINVAL;
}

static int read_paths(struct ow_domain *d, char *why, size_t size)
{
	const char *home = ow_variable("NDRX_APPHOME");
	const char *shm = ow_env_str("NDRX_SHMPATH", "/dev/shm");

	if (strlen(shm) >= sizeof(d->shm_dir) || shm[0] != '/') {
		snprintf(why, size,
			 "NDRX_SHMPATH=\"%.60s\": give an absolute path of at "
			 "most %zu characters, as /dev/shm",
			 shm, sizeof(d->shm_dir) - 1);
		return -EINVAL;
	}
	snprintf(d->shm_dir, sizeof(d->shm_dir), "%s", shm);
	if (home == NULL || *home == '\0')
		return 0;
	if (strlen(home) + 5 > sizeof(d->run_dir)) {
		snprintf(why, size, "NDRX_APPHOME: longer than %zu characters",
			 sizeof(d->run_dir) - 5);
		return -EINVAL;
	}
	snprintf(d->run_dir, sizeof(d->run_dir), "%s/run", home);
	snprintf(d->sock, sizeof(d->sock), "%s/ndrxd.sock", d->run_dir);
	return 0;
}

static void read_lmid(struct ow_domain *d)
{
	const char *lmid = ow_env_str("NDRX_LMID", NULL);

	if (lmid != NULL)
		snprintf(d->lmid, sizeof(d->lmid), "%.30s", lmid);
	else
		snprintf(d->lmid, sizeof(d->lmid), "%ld", d->nodeid);
}

int ow_domain_read_env(struct ow_domain *d, char *why, size_t size)
{
	uint64_t ms = TOUT_MS;
	struct rlimit rl;
	int r;

	memset(d, 0, sizeof(*d));
	r = read_prefix(d, why, size);
	if (r == 0)
		r = read_paths(d, why, size);
	if (r == 0)
		r = check_compat(why, size);
	if (r == 0)
		r = check_sched(why, size);
	if (r == 0)
		r = read_transport(d, why, size);
	if (r == 0)
		r = read_wake(d, why, size);
	if (r == 0)
		r = ow_waking_read(&d->waking, ow_variable("NDRX_WAKE_POLICY"), why,
				   size);
	if (r != 0)
		return r;
	if (ow_setting_ms("NDRX_TOUT", TOUT_MS, &ms) != 0 || ms == 0)
		ms = TOUT_MS;
	d->tout_ms = ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
	if (ow_setting_long("NDRX_NODEID", 1, 1, NODEID_MAX, &d->nodeid) != 0)
		d->nodeid = 1;
	read_lmid(d);
	if (ow_setting_long("NDRX_LDBAL", 0, 0, 100, &d->ldbal) != 0)
		d->ldbal = 0;
	if (getrlimit(RLIMIT_MSGQUEUE, &rl) == 0 &&
	    rl.rlim_cur != RLIM_INFINITY)
		d->mq_limit = rl.rlim_cur;
	d->transport->read_shapes(d);
	return 0;
}
