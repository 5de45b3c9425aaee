/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.h - a private domain with ndrxd and fake servers
 *
 * Each test has a folder, a random prefix and an environment of its own;
 * fixture_teardown() ends all its processes and removes it.
 */
#ifndef OW_NDRXD_FIXTURE_H
#define OW_NDRXD_FIXTURE_H

#include <stddef.h>
#include <sys/types.h>

struct fixture {
	char dir[64];
	char out[65536]; /* of the last command: both streams */
	int status;	 /* its exit code */
};

/* For cmocka: *state is the fixture. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Write the configuration: <server> elements. */
void fixture_config(struct fixture *f, const char *servers);

/* Run a shell command to its end; its output in f->out. */
void fixture_run(struct fixture *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* `fake_admin ...`, which must succeed. */
void fixture_admin(struct fixture *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Start ndrxd; must succeed. */
void fixture_ndrxd(struct fixture *f);

pid_t fixture_ndrxd_pid(struct fixture *f);
/* Process of server `id`, 0: none. */
pid_t fixture_pid(struct fixture *f, int id);
/* Wait until the listing of server `id` contains `text`. */
void fixture_await(struct fixture *f, int id, const char *text);
/* Wait until process `pid` is gone (or a zombie). */
void fixture_await_gone(pid_t pid);
/* Kill ndrxd with SIGKILL. */
void fixture_kill_ndrxd(struct fixture *f);
/* The events of server `id`, as words in f->out: " start ready ". */
void fixture_events(struct fixture *f, int id);
/* How often does `text` stand in f->out? */
int fixture_count(const struct fixture *f, const char *text);

#endif
