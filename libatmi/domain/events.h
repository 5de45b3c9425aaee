/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - the event ring: what ndrxd did lately, and why
 *
 * One segment, `<shm>/<prefix>,shm/events`: a head and OW_EVENTS_MAX slots.
 * Event n (counted from 0, for the life of the segment) lies in slot
 * n % OW_EVENTS_MAX until event n + OW_EVENTS_MAX replaces it. The segment
 * outlives ndrxd; a new ndrxd continues the count. It is removed with the
 * domain.
 *
 * Who writes what
 *   ndrxd alone writes (there is one per domain: it holds the lock on the
 *   run folder). Other processes map the segment read-only and need no help.
 *
 * How event n is written                      what a crash here leaves
 *   1 slot.seq = 2n + 1 (being written)       a slot that readers skip;
 *   2 the words of the event                  the next writer writes n again
 *   3 slot.seq = 2n + 2 (complete)            a complete event that is not
 *   4 head.next = n + 1                       listed; it is written again
 *   5 head.count[kind] is one more            a count that is one too low
 *
 * How event n is read: slot.seq must be 2n + 2 before and after the copy.
 * Any other value means that the event is overwritten or not yet written, and
 * the copy is dropped. A reader never returns a torn event and never waits.
 */
#ifndef OW_EVENTS_H
#define OW_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#define OW_EVENTS_MAX	  2048u /* remembered; 1 MiB at most */
#define OW_EVENTS_MAGIC	  UINT64_C(0x31544e564557574f) /* "OWWEVNT1" */
#define OW_EVENTS_VERSION 2u
#define OW_EVENTS_COUNTS  32u /* room for kinds */

/* X(name, word, grade). The grade is for colours: 0 usual, 1 unusual, 2 the
 * operator should act. */
#define OW_EVENT_KINDS(X)                                                  \
	X(START, "start", 0)	 /* a process was started */               \
	X(READY, "ready", 0)	 /* a server is ready for requests */      \
	X(ADOPT, "adopt", 0)	 /* a running process found or announced */ \
	X(STOP, "stop", 0)	 /* a process was asked to end */          \
	X(EXIT, "exit", 0)	 /* a process ended as asked */            \
	X(DIED, "died", 1)	 /* a process ended without being asked */ \
	X(FAILED, "failed", 2)	 /* a process could not be started */      \
	X(LATE, "late", 1)	 /* not ready, or no ping reply, in time */ \
	X(SIGNAL, "signal", 1)	 /* a signal was sent */                   \
	X(RETRY, "retry", 1)	 /* when a process will be started again */ \
	X(GAVE_UP, "gave up", 2) /* a process is not started again */      \
	X(LIMIT, "limit", 1)	 /* rssmax or vszmax exceeded */           \
	X(CHANGED, "changed", 0) /* a program file has changed */          \
	X(SCALE, "scale", 0)	 /* an elastic instance started or ends */ \
	X(LOCK, "lock", 1)	 /* of a group: held, lost, waited for */   \
	X(RELOAD, "reload", 0)	 /* the configuration was read again */    \
	X(COMMAND, "command", 0) /* a command was received */              \
	X(NDRXD, "ndrxd", 0)	 /* about ndrxd itself */              \
	X(LOST, "lost", 2)	 /* names of the domain were removed */    \
	X(QUEUE_HIGH, "queue high", 1) /* it has <service queuehigh> */    \
	X(QUEUE_LOW, "queue low", 0) /* it has no more than queuelow again */

enum ow_event_kind {
	OW_EVENT_NONE = 0,
#define X(name, word, grade) OW_EVENT_##name,
	OW_EVENT_KINDS(X)
#undef X
	OW_EVENT_KIND_END
};

enum ow_event_about {
	OW_EVENT_NDRXD_ITSELF, /* `who` is "ndrxd" */
	OW_EVENT_SERVER,       /* srvid, `who`: the program */
	OW_EVENT_CLIENT,       /* `who`: tag/subsect */
	OW_EVENT_GROUP,	       /* `who`: the process group */
	OW_EVENT_SERVICE,      /* `who`: its name; depth */
};

/* One event, as readers get it. */
struct ow_event {
	uint64_t number;  /* filled in by ow_events_add() */
	uint64_t real_ns; /* wall clock; filled in */
	uint64_t mono_ns; /* CLOCK_MONOTONIC; filled in */
	uint32_t kind;	  /* enum ow_event_kind */
	uint32_t about;	  /* enum ow_event_about */
	uint32_t srvid;	  /* 0 unless about a server */
	int32_t pid;	  /* of the process, 0: none */
	uint32_t state;	  /* enum ow_proc_state (ctl.h) after the event */
	uint32_t depth;	  /* requests that wait, if about a service */
	char who[64];
	char text[392]; /* what happened and why, one line, may be "" */
};

_Static_assert(sizeof(struct ow_event) == 504, "a slot is 512 bytes");

enum ow_events_result {
	OW_EVENTS_ABSENT = 1,  /* open: no such segment */
	OW_EVENTS_FOREIGN = 2, /* open: not of this layout */
	OW_EVENTS_GONE = 3,    /* read: overwritten or not yet written */
};

struct ow_events;

/*
 * Map the ring at `path` (ow_domain_shm_path(d, "events", ...)). `write`: for
 * ndrxd alone; a ring that is absent or foreign is made new. 0, ABSENT,
 * FOREIGN, -errno.
 */
int ow_events_open(const char *path, bool write, struct ow_events **ret);
struct ow_events *ow_events_close(struct ow_events *e);

/* Append `ev`; its number and times are filled in. `e` NULL: nothing is done.
 * When the file system is full the event is lost and counted. */
void ow_events_add(struct ow_events *e, struct ow_event *ev);

/* The number of the next event. The newest event has one less, the oldest one
 * OW_EVENTS_MAX less at most. */
uint64_t ow_events_next(const struct ow_events *e);
/* The number of events of a kind in the life of the segment, with those that
 * were overwritten or lost. */
uint64_t ow_events_count(const struct ow_events *e, uint32_t kind);
/* How many events had no memory, and are lost. */
uint64_t ow_events_lost(const struct ow_events *e);
/* Event `number`: 0, or GONE and *ret untouched. Strings are terminated. */
int ow_events_read(const struct ow_events *e, uint64_t number,
		   struct ow_event *ret);
/* Was the segment removed, and perhaps made new, since it was mapped? Then
 * close it and open it again. Calls stat(). */
bool ow_events_stale(const struct ow_events *e);

const char *ow_event_word(uint32_t kind);
int ow_event_grade(uint32_t kind);

#endif
