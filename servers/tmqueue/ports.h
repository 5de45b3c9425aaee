/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports.h - how the engine reaches the rest of tmqueue
 */
#ifndef OW_TMQUEUE_PORTS_H
#define OW_TMQUEUE_PORTS_H

#include <stdbool.h>

struct job;
struct space;

struct engine_ports {
	/* Is the caller of the job there? `surely`: the process lives. */
	bool (*is_there)(const struct job *j, bool surely);
	/* Send the answer: true; false, nobody gets it. */
	bool (*answer)(struct job *j);
	/* A batch is on disk: forward what can be. */
	void (*committed)(struct space *sp);
};

#endif
