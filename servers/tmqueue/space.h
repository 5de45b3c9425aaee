/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.h - the queue space of this tmqueue
 */
#ifndef OW_TMQUEUE_SPACE_H
#define OW_TMQUEUE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/tmqueue/known.h"
#include "servers/tmqueue/queues.h"
#include "servers/tmqueue/store.h"

struct ow_domain;
struct snapshot;

struct space {
	struct ow_domain *dom;
	char name[TMQNAMELEN + 1];
	char service[XATMI_SERVICE_NAME_LENGTH + 1]; /* this tmqueue's own */
	char conf[4096]; /* path of q.conf; "": the ini configuration */
	struct store store;
	struct queues queues;
	struct known known; /* branches that are under way */
	struct snapshot *snapshot; /* NULL: not shown to onlookers */
	uint8_t right[16]; /* the key of rights (right.h) */
};

#endif
