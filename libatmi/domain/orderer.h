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
 * kernel vouches for user and process; the command line is the process's own
 * word: `words`, as it has sent them, or "": what /proc says of it, which is left
 * out where it cannot be read. Users are looked
 * up in /etc/passwd alone, because a directory service may keep ndrxd waiting.
 */
void ow_orderer_describe(pid_t pid, uid_t uid, const char *words, char *buf,
			 size_t size);
/* The words of the command line of a process; of the program its name without
 * folders. Words that had encrypted values are *** (base/masked.h). "": it has
 * gone. */
void ow_orderer_words(pid_t pid, char *buf, size_t size);

#endif
