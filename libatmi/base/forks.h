/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks.h - in which order locks are taken for a fork
 *
 * A module whose lock a forked child must find free takes it before fork() and
 * gives it back after (pthread_atfork()). Handlers of the last registration
 * run first, so who takes its lock outside of others registers after them: one
 * thread that forks and another that joins the domain would otherwise wait for
 * each other. Constructors with the lower number run first; libubf's locks,
 * which are inside of all, are registered before ours, as libraries are loaded
 * after those that they need.
 */
#ifndef OW_FORKS_H
#define OW_FORKS_H

/* In front of the function that registers: a lock inside of which none of the
 * others is taken, and the one that is held while others are. */
#define OW_FORKS_INNER __attribute__((constructor(201)))
#define OW_FORKS_OUTER __attribute__((constructor(202)))

#endif
