/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitset.h - what a server on posix waits for, and how it waits before epoll
 *
 * waitset.c has the epoll set; idle.c the waits at which the server is not in the
 * kernel's list: looks (announce.h) and dozes (doze.h).
 */
#ifndef OW_POSIX_WAITSET_H
#define OW_POSIX_WAITSET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "libatmi/transport/looking.h"
#include "libatmi/transport/posix/doze.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/posix/standby.h"

struct posix_member {
	struct posix_queue *q;
	uint32_t tag;
	bool due; /* a sender has told this server of a message */
};

struct posix_waitset {
	struct ow_waitset base;
	uint32_t srvid;
	struct ow_srv *srv;
	uint32_t watched; /* descriptors of the program: it does not doze */
	int ep, tick_fd, kick_fd;
	uint32_t events; /* with which queues are registered */
	bool rotate;	 /* wake mode even, and no EPOLLBALANCE */
	struct posix_member *members;
	uint32_t n;
	uint32_t due;	/* members that are */
	uint64_t word;	/* the announcement of this look */
	struct ow_looker looker;
	struct posix_standby standby;
	struct ow_dozer dozer;
};

/* ---- idle.c ---- */

/* Look before sleeping: 1, an event is in *ev; 0, members may be due. */
int ow_posix_look_first(struct posix_waitset *w, struct epoll_event *ev);
/* The tag of a member that is due (there is one). Messages of others would wait
 * until this one is served: servers are woken for them. */
uint32_t ow_posix_take_due(struct posix_waitset *w);
/* Doze, where the server may. True: it is to receive from *ret_tag. Else *ret_n is
 * as of epoll_wait(); an event in `ev` is reported again. */
bool ow_posix_doze(struct posix_waitset *w, struct epoll_event *ev, int *ret_n,
		   uint32_t *ret_tag);

#endif
