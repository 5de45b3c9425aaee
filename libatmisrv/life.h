/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.h - the life of a server process, from its options to its exit status
 */
#ifndef OW_SERVER_LIFE_H
#define OW_SERVER_LIFE_H

struct ow_program; /* server.h */

/* Run the server; returns the exit status. */
int ow_server_run(int argc, char **argv, const struct ow_program *p);

#endif
