/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h - the text of SHOW ENGINE INNODB STATUS
 */
#ifndef OW_MARIADB_STATUS_H
#define OW_MARIADB_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* Has this connection a prepared branch, or may it have one? A text that was
 * cut says nothing about it. */
bool status_has_prepared(const char *text, uint64_t connection);

#endif
