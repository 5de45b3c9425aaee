/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subs.h - the subscriptions of a domain, in shared memory
 *
 * One segment, `<shm>/<prefix>,shm/subs`, sparse: a head with the index, then
 * rows. The first tpevsrv makes it; it lives as long as the domain. So
 * subscriptions survive the death of every tpevsrv, and a post without
 * subscribers ends in the poster's process. Shared memory and not a file of
 * LMDB: subscriptions name processes and client slots, which do not outlive
 * the domain either; and a look costs no system call and no lock.
 *
 * The index. A pattern that is a word (regex.h: with or without ^ and $) has
 * its word in a hash table. A name of n characters has n(n + 1)/2 parts; those
 * whose length some word has are looked up. All other patterns are in one
 * list, and are compared one by one. So the cost of a post grows with the
 * number of subscribers that match, and with the number of patterns that are
 * no words.
 *
 * Who writes what. Servers, which hold the domain lock (tables.h); in practice
 * tpevsrv. `seq` is odd while a writer changes anything. Readers take no lock:
 * they read `seq`, look, and read it again. Primary are `state` and the
 * contents of the rows, derived are the index, the lists and the counts.
 *
 * What a crash leaves
 *	A writer is killed: `seq` is odd. Readers see that it stays so, and a
 *	writer, which holds the lock, builds all that is derived from the rows.
 *	A row is added by the store of `state` after its contents, and removed
 *	by one store of `state`.
 *	A reader is killed: nothing.
 *	The subscriber dies: its subscriptions stay until tpevsrv meets them,
 *	when an event comes or in its round through the rows (ow_subs_round()).
 *	They name the process (server) or the generation of the slot (client),
 *	so no later process gets an event in its place.
 */
#ifndef OW_SUBS_H
#define OW_SUBS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ow_domain;
struct ow_events;

#define OW_SUBS_MAX   262144u
#define OW_SUBS_TEXT  256u /* pattern, filter: 255 characters */
#define OW_SUBS_EVENT 41u  /* characters of the name of an event */

/* How events are delivered. */
enum ow_sub_flags {
	OW_SUB_SERVICE = 1, /* by a request to service `service` */
	OW_SUB_NOTIFY = 2,  /* by an unsolicited message to `cltid` */
	OW_SUB_PERSIST = 4, /* stays when the service cannot be reached */
	OW_SUB_QUEUE = 8,   /* into a queue of the queue space `service` */
};

/* The queue, and what tpenqueue() is given. */
struct ow_sub_queue {
	char name[16], reply[16], failure[16], corrid[32];
	uint32_t flags;	   /* of TPQCTL */
	uint32_t deq_time, exp_time; /* seconds */
	uint8_t priority, delivery_qos, reply_qos, pad;
};

/* Who has subscribed: a server, or a context of a client. */
struct ow_sub_owner {
	uint32_t srvid; /* 0: a client */
	int32_t pid;
	uint64_t start; /* of the process */
	uint32_t slot, gen; /* of the client */
};

/* What a subscription says. */
struct ow_sub {
	uint32_t flags;
	struct ow_sub_owner owner;
	char pattern[OW_SUBS_TEXT];
	char filter[OW_SUBS_TEXT]; /* "": none */
	char service[32];
	union {
		char cltid[96]; /* OW_SUB_NOTIFY */
		struct ow_sub_queue queue;
	};
};
_Static_assert(sizeof(struct ow_sub_queue) == 96, "it has the room of cltid");

enum ow_subs_result {
	OW_SUBS_ABSENT = 1, /* no tpevsrv has run in the domain */
	OW_SUBS_FULL,	    /* OW_SUBS_MAX subscriptions */
	OW_SUBS_NOSPACE,    /* no shared memory */
	OW_SUBS_LOCKED,	    /* another process keeps the domain lock */
	OW_SUBS_BUSY,	    /* a writer is at work, or was killed */
	OW_SUBS_MANY,	    /* more patterns than a look compares */
};

/* Ids that match a name. Free `id` with free(). */
struct ow_subs_found {
	long *id;
	uint32_t n, room;
};

/* Have the segment mapped; `create`: make it if there is none. 0, ABSENT,
 * NOSPACE, -errno. */
int ow_subs_need(struct ow_domain *d, bool create);
/* Unmap it, when the domain is left. */
void ow_subs_unmap(struct ow_domain *d);

/* ---- readers ---- */

/* Does any subscription match the name? 1, 0; BUSY, MANY: ask tpevsrv. For
 * posters: allocates nothing once patterns were compiled. */
int ow_subs_look(struct ow_domain *d, const char *event, bool *ret);
/* The subscriptions that match: 0, BUSY (ow_subs_repair()), -ENOMEM. */
int ow_subs_find(struct ow_domain *d, const char *event,
		 struct ow_subs_found *ret);
/* A copy of a subscription: 0; BUSY; -ENOENT: there is none of this id. */
int ow_subs_read(struct ow_domain *d, long id, struct ow_sub *ret);
/* Does the process, or the context, that subscribed still live? */
bool ow_subs_owner_lives(const struct ow_domain *d,
			 const struct ow_sub_owner *o);
uint32_t ow_subs_count(struct ow_domain *d);
/* The next id at or behind `from`; -1: no more. For listings. */
long ow_subs_next(struct ow_domain *d, long from);

/* Of the events in the ring of ndrxd (domain/events.h): the one that this
 * process has to post, *ret. False: there is none now. The first look decides
 * that none before is posted. */
bool ow_subs_claim_event(struct ow_domain *d, const struct ow_events *ring,
			 uint64_t *ret);

/* ---- writers; each takes the domain lock ---- */

/* Add a subscription: 0 with its id, FULL, NOSPACE, LOCKED. One of the same
 * server id that says the same, whose process is dead, is taken over. */
int ow_subs_add(struct ow_domain *d, const struct ow_sub *s, long *ret_id);
/* Remove one: 0 with how many were removed (0 or 1), LOCKED. `of_dead`: unless
 * its owner lives, who may have taken it over since the caller looked. */
int ow_subs_remove(struct ow_domain *d, long id, bool of_dead,
		   uint32_t *ret_n);
/* Remove all of a process or context: 0 with how many, LOCKED. */
int ow_subs_remove_of(struct ow_domain *d, const struct ow_sub_owner *o,
		      uint32_t *ret_n);
/* A writer was killed: build what is derived. 0, LOCKED. */
int ow_subs_repair(struct ow_domain *d);
/* Look at the next rows, `most` at most, and remove the subscriptions of dead
 * owners that are not to stay. *at: where to go on, 0 at first. */
void ow_subs_round(struct ow_domain *d, uint32_t *at, uint32_t most);

#endif
