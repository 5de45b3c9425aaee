/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ndrxgate: calls of other users, whom <access> lets in; logins
 *
 * The main thread accepts connections and sends strangers away; each guest has
 * a thread (libatmi/gate/serve.h). ndrxd starts it (doc/design/trust.md,
 * "Guests").
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xatmi_defs.h>

#include "libatmi/base/owned.h"
#include "libatmi/base/signals.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/gate.h"
#include "libatmi/gate/complain.h"
#include "libatmi/gate/login.h"
#include "libatmi/gate/serve.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libubf/base/about.h"

#define GROUPS	  64
#define GUESTS	  512 /* in all */
#define PER_USER  64
#define STACK	  (256u * 1024)
#define ACCEPT_MS 100 /* pause when the process has no descriptors left */

struct guest {
	struct gate *gate;
	uid_t uid;
	struct ow_gate_peer peer;
	char label[32]; /* USER.PID */
	int fd;		/* -1: free */
};

struct gate {
	struct ow_domain d;
	gid_t groups[GROUPS];
	size_t n_groups;
	int listen_fd, signal_fd;
	pthread_mutex_t lock; /* of `guests` */
	struct guest guests[GUESTS];
};

static void *serve(void *arg)
{
	struct guest *me = arg;

	ow_guest_serve(me->fd, me->label, &me->peer);
	pthread_mutex_lock(&me->gate->lock);
	me->fd = -1;
	pthread_mutex_unlock(&me->gate->lock);
	return NULL;
}

/* A place for one more guest, or NULL with the reason. */
static struct guest *find_place(struct gate *g, uid_t uid, const char **why)
{
	struct guest *place = NULL;
	int i, same = 0;

	pthread_mutex_lock(&g->lock);
	for (i = 0; i < GUESTS; i++) {
		if (g->guests[i].fd < 0)
			place = &g->guests[i];
		else
			same += g->guests[i].uid == uid;
	}
	pthread_mutex_unlock(&g->lock);
	if (place == NULL)
		*why = "the gate has 512 guests, which is its limit";
	else if (same >= PER_USER && uid != geteuid())
		*why = "this user has 64 guests, which is the limit";
	return *why == NULL ? place : NULL;
}

/* "USER.PID", without characters that part names in listings. */
static void name_guest(struct guest *place, const char *user, pid_t pid)
{
	size_t i, n = strcspn(user, " ");

	if (n > 20)
		n = 20;
	for (i = 0; i < n; i++)
		place->label[i] = strchr(",/", user[i]) == NULL ? user[i] : '_';
	snprintf(place->label + n, sizeof(place->label) - n, ".%d", (int)pid);
}

/* Who it is, as servers will see it. Groups that <access> names come first:
 * there is room for some. */
static void describe(const struct gate *g, const struct ow_guest_id *id,
		     struct ow_gate_peer *ret)
{
	struct ow_caller *c = &ret->who;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	ret->pid = id->pid;
	ret->own = id->uid == geteuid();
	c->uid = id->uid;
	c->gid = id->gid;
	for (i = 0; i < g->n_groups && c->n_groups < OW_CALLER_GROUPS; i++)
		if (ow_guest_in_group(id, g->groups[i]))
			c->groups[c->n_groups++] = g->groups[i];
	for (i = 0; i < id->n_groups && c->n_groups < OW_CALLER_GROUPS; i++)
		c->groups[c->n_groups++] = id->groups[i];
}

static int begin(struct guest *place)
{
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	r = pthread_create(&thread, &attr, serve, place);
	pthread_attr_destroy(&attr);
	return r;
}

static bool may_call(const struct gate *g, const struct ow_guest_id *id)
{
	size_t i;

	for (i = 0; i < g->n_groups; i++)
		if (ow_guest_in_group(id, g->groups[i]))
			return true;
	return id->uid == geteuid();
}

static void refuse(int fd, const struct ow_guest_id *id, int tperr,
		   const char *why)
{
	char user[80], text[256], said[300];

	ow_owned_user(id->uid, user, sizeof(user));
	snprintf(text, sizeof(text), "user %s: %s", user, why);
	snprintf(said, sizeof(said), "process %d refused: %s", (int)id->pid,
		 text);
	ow_guest_complain(said);
	ow_guest_refuse(fd, tperr, text);
}

static void authorize(struct gate *g, int fd, const struct ow_guest_id *id)
{
	const char *why = NULL;
	struct guest *place;
	char user[80];

	if (!may_call(g, id)) {
		refuse(fd, id, TPEPERM, "in no group with <access "
		       "clients=\"Y\"> of this domain");
		return;
	}
	place = find_place(g, id->uid, &why);
	if (place == NULL) {
		refuse(fd, id, TPELIMIT, why);
		return;
	}
	ow_owned_user(id->uid, user, sizeof(user));
	log_info("guest: user %s, process %d", user, (int)id->pid);
	name_guest(place, user, id->pid);
	describe(g, id, &place->peer);
	place->uid = id->uid;
	place->fd = fd;
	if (begin(place) == 0)
		return;
	place->fd = -1;
	refuse(fd, id, TPEOS, "the gate can start no thread");
}

static void accept_one(struct gate *g)
{
	struct ow_guest_id id;
	int r, fd = accept4(g->listen_fd, NULL, NULL,
			    SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR &&
		    errno != ECONNABORTED) {
			log_error("accept: %s", strerror(errno));
			poll(NULL, 0, ACCEPT_MS);
		}
		return;
	}
	r = ow_guest_identify(fd, &id);
	if (r < 0) {
		log_warn("a connection's user: %s", strerror(-r));
		close(fd);
		return;
	}
	authorize(g, fd, &id);
	ow_guest_forget(&id);
}

/* Until a signal comes. */
static void run(struct gate *g)
{
	struct pollfd p[2] = { { .fd = g->listen_fd, .events = POLLIN },
			       { .fd = g->signal_fd, .events = POLLIN } };

	while (p[1].revents == 0) {
		if (poll(p, 2, -1) > 0 && p[0].revents != 0)
			accept_one(g);
	}
}

static int parse(int argc, char **argv, struct gate *g)
{
	int o;

	while ((o = getopt(argc, argv, "g:l")) != -1) {
		if (o == 'l')
			continue; /* logins: each gate checks them */
		if (o != 'g' || g->n_groups == GROUPS)
			return -1;
		if (ow_guest_group_find(optarg, &g->groups[g->n_groups]) != 0)
			log_error("<access group=\"%s\">: no such group on "
				  "this machine", optarg);
		else
			g->n_groups++;
	}
	return optind == argc ? 0 : -1;
}

int main(int argc, char **argv)
{
	static struct gate g = { .lock = PTHREAD_MUTEX_INITIALIZER };
	enum ow_about about = ow_about(argc, argv, "ndrxgate");
	char why[512];
	int i;

	if (about == OW_ABOUT_HELP)
		printf("usage: ndrxgate [-l] [-g GROUP...]\nndrxd starts it where "
		       "<access> lets a group call, or <security> wants "
		       "logins; see ndrxgate(8)\n");
	if (about != OW_ABOUT_NONE)
		return 0;
	if (parse(argc, argv, &g) != 0) {
		fprintf(stderr, "usage: ndrxgate [-l] [-g GROUP...]\n");
		return 2;
	}
	if (ow_domain_read_env(&g.d, why, sizeof(why)) != 0) {
		fprintf(stderr, "ndrxgate: %s\n", why);
		return 1;
	}
	for (i = 0; i < GUESTS; i++)
		g.guests[i] = (struct guest){ .gate = &g, .fd = -1 };
	g.signal_fd = ow_signals_catch();
	g.listen_fd = ow_gate_listen(&g.d, OW_GATE_CALL, SOCK_STREAM,
				     g.n_groups == 0   ? OW_GATE_OWNER
				     : g.n_groups == 1 ? g.groups[0]
						       : OW_GATE_ANY);
	if (g.listen_fd < 0) {
		fprintf(stderr, "ndrxgate: socket: %s\n",
			ow_owned_strerror(g.listen_fd));
		return 1;
	}
	run(&g);
	ow_gate_unlisten(&g.d, OW_GATE_CALL);
	return 0;
}
