/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks.h - the order in which a fork takes locks
 *
 * A lock that a forked child must find free is taken before fork() and given
 * back after it (pthread_atfork()). The handlers registered last run first.
 * Therefore a lock that is held while others are taken must be registered
 * after these; otherwise a thread that forks and a thread that joins the
 * domain could wait for each other. Constructors with lower numbers run
 * first. libubf's locks, taken inside all of ours, are registered before ours:
 * a library is loaded after those that it needs.
 */
#ifndef OW_FORKS_H
#define OW_FORKS_H

/* Attributes of the function that registers: for a lock under which no other
 * is taken, and for the lock that is held while others are taken. */
#define OW_FORKS_INNER __attribute__((constructor(201)))
#define OW_FORKS_OUTER __attribute__((constructor(202)))

#endif
