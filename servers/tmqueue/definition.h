/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition.h - a line of q.conf
 *
 *	NAME,svcnm=SVC,autoq=y,tries=3,waitinit=0,waitretry=10,waitretrymax=60,
 *	mode=fifo
 *
 * man tmqueue explains each. The queue @ stands for all that have no line, the
 * queue > for those of durable services, whose names begin so (durable.h).
 */
#ifndef OW_TMQUEUE_DEFINITION_H
#define OW_TMQUEUE_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xatmi.h>

#define DEFINITION_TEXT	   256
#define DEFINITION_WORKERS 64
#define DEFINITION_INC	   UINT64_MAX /* waitretryinc is not given */

enum definition_mode { MODE_FIFO, MODE_LIFO, MODE_PRIORITY };

struct definition {
	char service[XATMI_SERVICE_NAME_LENGTH + 1]; /* "": as the queue */
	bool automatic;
	bool transact; /* automatic: with its service in a transaction */
	enum definition_mode mode;
	uint32_t tries, workers;
	uint64_t wait_init_ns, wait_retry_ns, wait_max_ns, timeout_ns;
	uint64_t wait_inc_ns; /* or DEFINITION_INC: as wait_retry_ns */
	char errorq[TMQNAMELEN + 1];
	char text[DEFINITION_TEXT]; /* as it was given, without the name */
};

void definition_default(struct definition *d);
/* Of a queue whose name begins with >: automatic, for as long as it takes. */
void definition_durable(struct definition *d);
/* Take a line apart: 0, or -EINVAL with the reason in `why`. With `leave_out`
 * (else NULL), items that cannot be taken are told to it and left out; then
 * -EINVAL is about the name. */
int definition_read(const char *line, char name[TMQNAMELEN + 1],
		    struct definition *ret,
		    void (*leave_out)(const char *queue, const char *why),
		    char *why, size_t size);

#endif
