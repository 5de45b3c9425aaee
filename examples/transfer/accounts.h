/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounts.h - a service that changes an account, whatever the database is
 */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <xatmi.h>

/* What a server has of its own: its name, its service, and how it runs SQL: 0,
 * or -1 after a message in the userlog. */
extern char program[], service[];
int run(const char *sql);

#endif
