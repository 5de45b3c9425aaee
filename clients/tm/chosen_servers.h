/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen_servers.h - commands of tmadmin for servers of a group, of a program, or one
 *
 * -g GROUP, -q PROGRAM and -i ID choose; what stands without an option is a service.
 * The exit status is 0 if the command worked for each server that was chosen, and
 * at least one was.
 */
#ifndef OW_TM_CHOSEN_SERVERS_H
#define OW_TM_CHOSEN_SERVERS_H

int chosen_advertise(const char *const *words);
int chosen_unadvertise(const char *const *words);
/* Of the services that only chosen servers offer; -s: of one. */
int chosen_suspend(const char *const *words);
int chosen_resume(const char *const *words);
/* Without a choice: of the whole domain. */
int chosen_parameters(const char *const *words);

#endif
