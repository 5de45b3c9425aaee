/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp_link.h - a TCP link: what an entry of tpbridge says about it
 *
 * Configurations of two machines name the other node, an address and a port
 * (-n 2 -i 10.1.0.2 -p 4433 -t A): one side, passive, listens there, the other
 * one, active, connects. The bridge makes a cluster of two nodes of it;
 * doc/design/links.md. The bridge, testcfg and xadmin read the options with
 * what is here.
 */
#ifndef OW_TCP_LINK_H
#define OW_TCP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_TCP_LINK_SERVICE "@TPBRIDGE" /* and the number of the node */
#define OW_TCP_LINK_NODES   255

struct ow_tables;

struct ow_tcp_link {
	bool passive;  /* -t P: it listens; else -t A: it connects */
	bool v6;       /* -6 */
	bool is_offering; /* -r: the other node learns what servers here offer */
	uint32_t node; /* -n: the other one */
	uint32_t port; /* -p */
	char host[256]; /* -i or -h */
	char unknown[32]; /* letters of other options; "": none */
};

/* Are these `n` words, without the program, the options of a TCP link? */
bool ow_tcp_link_is(int n, char *const *words);
/* Read them: 0; -1 with the reason in `why`. */
int ow_tcp_link_read(int n, char *const *words, struct ow_tcp_link *ret,
		     char *why, size_t size);
/* HOST:PORT, as in a URL. */
void ow_tcp_link_address(const struct ow_tcp_link *l, char *to, size_t size);
/* Can other machines reach that address? */
bool ow_tcp_link_is_open(const struct ow_tcp_link *l);
/* Find nats-server in `dirs` (a PATH, or NULL) and where packages put it: 0, or
 * -ENOENT. */
int ow_tcp_link_program(const char *dirs, char *path, size_t size);

/* The service of the bridge that has a TCP link to `node`: it takes what the
 * runtime itself has to say there. */
void ow_tcp_link_name(uint32_t node, char (*ret)[16]);
/* The same, if there is such a bridge; else `otherwise`, which bridges of a
 * cluster offer. */
const char *ow_tcp_link_to(const struct ow_tables *t, uint32_t node,
			   const char *otherwise, char (*name)[16]);
/* The next node, after `node`, to which there is a TCP link; 0: no more. */
uint32_t ow_tcp_link_next(const struct ow_tables *t, uint32_t node);

#endif
