/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks.h - the order in which a fork takes locks
 *
 * A lock that a forked child must find free is taken before fork() and given
 * back after it (pthread_atfork()). The handlers registered last run first.
 * Therefore a lock that is held while others are taken must be registered
 * after these; otherwise a thread that forks and a thread that joins the
 * domain could wait for each other. The log's locks may be taken with any
 * other lock held: who joins, logs. Constructors with lower numbers run
 * first. libubf's locks, taken inside all of ours, are registered before ours:
 * a library is loaded after those that it needs.
 */
#ifndef OW_FORKS_H
#define OW_FORKS_H

/* Attributes of the function that registers: for the two locks of the log (that
 * of process.c is taken inside that of log.c); for a lock under which no other
 * but these is taken; for the lock that is held while others are taken. */
#define OW_FORKS_LOG_INNER __attribute__((constructor(199)))
#define OW_FORKS_LOG __attribute__((constructor(200)))
#define OW_FORKS_INNER __attribute__((constructor(201)))
#define OW_FORKS_OUTER __attribute__((constructor(202)))

#endif
