/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespace.c - one domain has processes of one PID namespace
 */
#include "libatmi/domain/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/proc.h"
#include "libatmi/log/log.h"

/* Make the tables ours if no other process has them open or mapped. A process
 * that opens them while the lease is held gets EAGAIN (O_NONBLOCK), and the
 * kernel signals the holder: by default SIGIO, which ends a process. SIGURG is
 * ignored by default. */
static int take_over(int fd, _Atomic uint64_t *of, uint64_t was, uint64_t mine)
{
	int r = OW_NAMESPACE_APART;

	if (fcntl(fd, F_SETSIG, SIGURG) < 0 ||
	    fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
		return r;
	OW_FAULT("namespace.leased");
	if (atomic_compare_exchange_strong(of, &was, mine))
		r = 0;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return r;
}

int ow_namespace_enter(int fd, _Atomic uint64_t *of, const char *name)
{
	uint64_t mine = ow_proc_namespace(), was = atomic_load(of);
	int r;

	if (mine == 0)
		return OW_NAMESPACE_BLIND;
	if (was == mine)
		return 0;
	r = take_over(fd, of, was, mine);
	if (r == 0)
		log_warn("%s: all processes of PID namespace %llu have ended: "
			 "namespace %llu takes the domain over", name,
			 (unsigned long long)was, (unsigned long long)mine);
	return r;
}

bool ow_namespace_is_same(uint64_t of)
{
	return of == ow_proc_namespace();
}

void ow_namespace_say(int r, const char *path, char *buf, size_t size)
{
	if (r == OW_NAMESPACE_BLIND)
		snprintf(buf, size, "/proc does not show this process: mount "
			 "the /proc of its own PID namespace");
	else
		snprintf(buf, size, "%.160s is in use by processes of another "
			 "PID namespace (container), which cannot be told from "
			 "ours by their pids: let the containers share it "
			 "(shareProcessNamespace: true, --pid=container:NAME), "
			 "or choose another NDRX_QPREFIX or NDRX_SHMPATH",
			 path);
}
