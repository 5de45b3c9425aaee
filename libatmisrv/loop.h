/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the loop of a server: wait, receive, have the request served
 */
#ifndef OW_LOOP_H
#define OW_LOOP_H

struct ow_server;

/* Run until the server is stopped: 0 or -errno. */
int ow_loop_run(struct ow_server *s);

#endif
