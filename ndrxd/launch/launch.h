/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - start processes of a <server> entry
 *
 * What all instances of an entry share (program path, environment) is
 * prepared once and used for a burst of starts. The process is made with
 * vfork(): ndrxd's memory is neither copied nor unmapped, and a failing
 * execve() is known at once, with its errno.
 *
 * A server survives ndrxd: own process group, no death signal, all signal
 * handlers and masks at their defaults, standard input from /dev/null, no
 * descriptor inherited but the standard ones, and that of its group's lock.
 */
#ifndef OW_LAUNCH_H
#define OW_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"
#include "libndrx/prepare/entry.h"

struct ow_config_server;
struct ow_launch_base;
struct ow_launch;

#define OW_LAUNCH_WHY OW_ENTRY_WHY

/* One process to start, and the result. */
struct ow_launch_one {
	int srvid;
	bool respawn; /* after a crash */
	int lock_fd;  /* of its singleton group, for its life; -1: none */
	/* results */
	pid_t pid;
	int err;      /* errno, 0 */
	char *clopt;  /* its options, for users; the caller frees it */
	char why[OW_LAUNCH_WHY];
};

/*
 * 0 with *ret_launch, or the state that says why not, with the reason in
 * `why`. `def` must outlive the object.
 */
enum ow_proc_state ow_launch_prepare(const struct ow_config_server *def,
				     char why[OW_LAUNCH_WHY],
				     struct ow_launch **ret_launch);
struct ow_launch *ow_launch_free(struct ow_launch *l);

/* Time since it was prepared: changes of files since then are not in it. */
uint64_t ow_launch_age_ms(const struct ow_launch *l);
const char *ow_launch_path(const struct ow_launch *l);

/* Start one instance: 0 with pid, or the state that says why not. */
enum ow_proc_state ow_launch_start(struct ow_launch *l,
				   const struct ow_launch_base *base,
				   struct ow_launch_one *one);

/* Was this process of server `srvid`, which an ndrxd has started, started with
 * another name, other options or other variables of its entry than it would be
 * now? */
bool ow_launch_differs(struct ow_launch *l, const struct ow_launch_base *base,
		       int srvid, pid_t pid);

#endif
