/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - what ndrxd did lately, and why: a ring in shared memory
 *
 * One segment, `<shm>/<prefix>,shm,events`: a head and OW_EVENTS_MAX slots.
 * Event n (counted from 0, for the life of the segment) lies in slot
 * n % OW_EVENTS_MAX until event n + OW_EVENTS_MAX replaces it. The segment
 * outlives ndrxd; the next one goes on counting. It goes with the domain.
 *
 * Who writes what
 *   ndrxd alone writes (there is one per domain: it holds the lock on the
 *   run folder). Everybody else maps the segment read-only and needs nobody's
 *   permission or help.
 *
 * How event n is written                      what a crash here leaves
 *   1 slot.seq = 2n + 1 (being written)       a slot that no reader takes;
 *   2 the words of the event                  the next writer writes n again
 *   3 slot.seq = 2n + 2 (complete)            a complete event that nobody
 *   4 head.next = n + 1                       lists; it is written once more
 *   5 head.count[kind] is one more            a count that is one short
 *
 * How event n is read: slot.seq must be 2n + 2 before and after the copy.
 * Anything else means that it is not there (overwritten, or not yet written);
 * what was copied is not handed out. So a reader never sees a torn event,
 * and never waits.
 */
#ifndef OW_EVENTS_H
#define OW_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#define OW_EVENTS_MAX	  2048u /* remembered; 1 MiB at most */
#define OW_EVENTS_MAGIC	  UINT64_C(0x31544e564557574f) /* "OWWEVNT1" */
#define OW_EVENTS_VERSION 2u
#define OW_EVENTS_COUNTS  32u /* room for kinds */

/* X(name, word, grade). The grade is for colours: 0 usual, 1 worth a look,
 * 2 somebody should do something. */
#define OW_EVENT_KINDS(X)                                                  \
	X(START, "start", 0)	 /* a process was made */                  \
	X(READY, "ready", 0)	 /* it serves */                           \
	X(ADOPT, "adopt", 0)	 /* a running process found or announced */ \
	X(STOP, "stop", 0)	 /* it was asked to end */                 \
	X(EXIT, "exit", 0)	 /* it has ended as it was asked to */     \
	X(DIED, "died", 1)	 /* it has ended, and nobody had asked */  \
	X(FAILED, "failed", 2)	 /* it could not be started */             \
	X(LATE, "late", 1)	 /* not ready, or no answer, in time */    \
	X(SIGNAL, "signal", 1)	 /* it was sent a signal */                \
	X(RETRY, "retry", 1)	 /* it will be started again, and when */  \
	X(GAVE_UP, "gave up", 2) /* it will not be started again */        \
	X(LIMIT, "limit", 1)	 /* over rssmax, vszmax */                 \
	X(CHANGED, "changed", 0) /* its program file did */                \
	X(SCALE, "scale", 0)	 /* an elastic instance came or goes */    \
	X(LOCK, "lock", 1)	 /* a singleton group: held, lost, waited for */ \
	X(RELOAD, "reload", 0)	 /* the configuration */                   \
	X(COMMAND, "command", 0) /* somebody asked for something */        \
	X(NDRXD, "ndrxd", 0)	 /* about ndrxd itself */

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
	uint32_t pad;
	char who[64];
	char text[392]; /* what happened and why, one line, may be "" */
};

_Static_assert(sizeof(struct ow_event) == 504, "a slot is 512 bytes");

enum ow_events_result {
	OW_EVENTS_ABSENT = 1,  /* open: no such segment */
	OW_EVENTS_FOREIGN = 2, /* open: not of this layout */
	OW_EVENTS_GONE = 3,    /* read: overwritten, or not yet written */
};

struct ow_events;

#pragma GCC visibility push(default)

/*
 * Map the ring at `path` (ow_domain_shm_path(d, "events", ...)). `write`:
 * for ndrxd alone; makes it when absent, and anew when it is foreign. Result
 * or -errno.
 */
int ow_events_open(const char *path, bool write, struct ow_events **ret);
struct ow_events *ow_events_close(struct ow_events *e);

/* Append; fills in number and times of `ev`. `e` NULL: nothing happens. No
 * room on the file system: the event is lost and counted. */
void ow_events_add(struct ow_events *e, struct ow_event *ev);

/* The number that the next event will have: the newest is one less, the
 * oldest at most OW_EVENTS_MAX less. */
uint64_t ow_events_next(const struct ow_events *e);
/* How many of a kind there were in the life of the segment: those that were
 * overwritten, and those that were lost, too. */
uint64_t ow_events_count(const struct ow_events *e, uint32_t kind);
/* Events lost for want of memory. */
uint64_t ow_events_lost(const struct ow_events *e);
/* Event `number`: 0, or GONE and *ret untouched. Strings are terminated. */
int ow_events_read(const struct ow_events *e, uint64_t number,
		   struct ow_event *ret);
/* Was the segment removed and perhaps made anew since we mapped it? Then
 * close it and open again. Looks at the file system. */
bool ow_events_stale(const struct ow_events *e);

const char *ow_event_word(uint32_t kind);
int ow_event_grade(uint32_t kind);

#pragma GCC visibility pop
#endif
