/* SPDX-License-Identifier: Apache-2.0 */
/*
 * renewal.c - certificates, keys and passwords that have changed are taken
 *
 * A nats-server that refuses this node may know it later: a connection that was
 * refused, which the library does not try again, is made anew, too.
 *
 * Once a second a thread looks at the files that show NATS who this node is. If
 * they have changed, and were the same for a second, it connects with them
 * (handover.c). While that fails, the bridge keeps what it has and tries again;
 * the log has each reason once.
 */
#include "servers/bridge/wire/renewal.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "libatmi/log/log.h"
#include "servers/bridge/wire/handover.h"
#include "servers/bridge/wire/settings.h"

#define FILES	  5
#define PAUSE_MIN 2u /* looks between two tries */
#define PAUSE_MAX 30u

/* What is seen of the files without reading them. */
struct look {
	struct timespec changed[FILES];
	uint64_t size[FILES], inode[FILES];
};

struct ow_br_renewal {
	const struct ow_br_options *opt;
	struct ow_br_handover *handover;
	const char *file[FILES];
	struct look used, last;
	uint32_t pause, left; /* looks until the next try */
	char said[512];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool ended;
};

/* A file that is not there is all zeros. */
static void look(const struct ow_br_renewal *r, struct look *to)
{
	struct stat st;
	int i;

	memset(to, 0, sizeof(*to));
	for (i = 0; i < FILES; i++) {
		if (r->file[i] == NULL || stat(r->file[i], &st) != 0)
			continue;
		to->changed[i] = st.st_mtim;
		to->size[i] = (uint64_t)st.st_size;
		to->inode[i] = st.st_ino;
	}
}

static bool same(const struct look *a, const struct look *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static int connect_anew(struct ow_br_renewal *r, char *why, size_t size)
{
	struct ow_nats_options o = r->opt->nats;
	char password[256] = "";
	int e = ow_br_password_read(r->opt->password_file, &password, why,
				    size);

	if (e != 0)
		return e;
	if (r->opt->password_file != NULL)
		o.password = password;
	e = ow_br_handover_change(r->handover, &o, why, size);
	explicit_bzero(password, sizeof(password));
	return e;
}

/* Take the files as they were seen. */
static void take(struct ow_br_renewal *r, const struct look *seen)
{
	bool refused = ow_br_handover_is_closed(r->handover);
	char why[sizeof(r->said)] = "";

	if (connect_anew(r, why, sizeof(why)) == 0) {
		r->used = *seen;
		r->said[0] = '\0';
		/* A warning, so that it is in the log of each level. */
		if (refused)
			log_warn("connected to NATS");
		else
			log_warn("connected anew with the certificates, keys "
				 "or passwords that have changed");
		return;
	}
	r->left = r->pause;
	if (r->pause < PAUSE_MAX)
		r->pause *= 2;
	if (strcmp(why, r->said) == 0)
		return;
	memcpy(r->said, why, sizeof(why));
	if (refused)
		log_error("not connected to NATS: %s: it is tried again",
			  why);
	else
		log_error("certificates, keys or passwords have changed, but "
			  "cannot be used yet: %s: the connection stays as it "
			  "is", why);
}

static void step(struct ow_br_renewal *r)
{
	struct look now;

	look(r, &now);
	if (!same(&now, &r->last)) { /* somebody is at work */
		r->last = now;
		r->pause = PAUSE_MIN;
		r->left = 0;
		r->said[0] = '\0';
	} else if (!same(&now, &r->used) ||
		   ow_br_handover_is_closed(r->handover)) {
		if (r->left == 0)
			take(r, &now);
		else
			r->left--;
	}
}

static void *run(void *renewal)
{
	struct ow_br_renewal *r = renewal;
	struct timespec until;

	pthread_mutex_lock(&r->lock);
	while (!r->ended) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		if (pthread_cond_timedwait(&r->wake, &r->lock, &until) !=
		    ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&r->lock);
		step(r);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static struct ow_br_renewal *renewal_new(const struct ow_br_options *o)
{
	struct ow_br_renewal *r = calloc(1, sizeof(*r));
	pthread_condattr_t a;

	if (r == NULL)
		return NULL;
	r->opt = o;
	r->file[0] = o->nats.ca;
	r->file[1] = o->nats.cert;
	r->file[2] = o->nats.key;
	r->file[3] = o->nats.creds;
	r->file[4] = o->password_file;
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&r->wake, &a);
	pthread_condattr_destroy(&a);
	return r;
}

int ow_br_renewal_new(const struct ow_br_options *o,
		      struct ow_br_renewal **ret)
{
	*ret = renewal_new(o);
	if (*ret == NULL)
		return -ENOMEM;
	look(*ret, &(*ret)->used);
	(*ret)->last = (*ret)->used;
	return 0;
}

int ow_br_renewal_start(struct ow_br_renewal *r,
			struct ow_br_handover *handover)
{
	if (r == NULL)
		return 0;
	r->handover = handover;
	if (pthread_create(&r->thread, NULL, run, r) == 0)
		return 0;
	r->handover = NULL;
	return -ENOMEM;
}

void ow_br_renewal_stop(struct ow_br_renewal *r)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	if (r->handover != NULL)
		pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
