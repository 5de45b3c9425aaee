/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orderer.h - who gives an order: user, terminal, command line
 */
#ifndef OW_ORDERER_H
#define OW_ORDERER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * "user bank (login alice), terminal pts/3, process 1234: xadmin stop -y". The
 * kernel vouches for user and process; what /proc says about the process is
 * the process's own, and is left out where it cannot be read. Users are looked
 * up in /etc/passwd alone, because a directory service may keep ndrxd waiting.
 */
void ow_orderer_describe(pid_t pid, uid_t uid, char *buf, size_t size);

#endif
