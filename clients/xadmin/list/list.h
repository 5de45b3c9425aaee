/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.h - the listings: functions behind the table of commands
 */
#ifndef OW_LIST_H
#define OW_LIST_H

#include "libndrx/observe/observer.h"
#include "libndrx/observe/command.h"
#include "clients/xadmin/command/command.h"

/* known.c: call `fn` with a row (OW_CTL_ROW) for each server in the tables. */
void ow_list_known(const struct ow_observer *v, ow_command_fn *fn, void *arg);

/* threads.c: call `fn` with a row for each dispatch thread of servers that have
 * several; the name of the program says what the thread does. */
void ow_list_threads(const struct ow_observer *v, ow_command_fn *fn, void *arg);
/* How many threads server `srvid` has, 0: none, it does not run; what those that
 * are busy do, in words. */
uint32_t ow_list_threads_of(const struct ow_observer *v, uint32_t srvid,
			    char *busy, size_t size);

/* services.c */
int ow_list_psc(struct ow_args *a);
int ow_list_psvc(struct ow_args *a);
/* servers.c */
int ow_list_ppm(struct ow_args *a);
int ow_list_psrv(struct ow_args *a);
/* acl.c */
int ow_list_acl(struct ow_args *a);
/* events.c */
int ow_list_events(struct ow_args *a);
/* logs.c */
int ow_list_logs(struct ow_args *a);
/* when.c */
int ow_list_when(struct ow_args *a);
/* cache.c */
int ow_list_cacheshow(struct ow_args *a);
/* calls.c */
int ow_list_calls(struct ow_args *a);
/* clients.c */
int ow_list_clients(struct ow_args *a);
/* configured.c */
int ow_list_prtsvc(struct ow_args *a);
/* fields.c */
int ow_list_fields(struct ow_args *a);
/* hosts.c */
int ow_list_hosts(struct ow_args *a);
/* schema.c */
int ow_list_schema(struct ow_args *a);
/* http.c */
int ow_list_http(struct ow_args *a);
/* groups.c */
int ow_list_psg(struct ow_args *a);
/* mib.c */
int ow_list_mib(struct ow_args *a);
/* net.c */
int ow_list_pnet(struct ow_args *a);
/* pq.c */
int ow_list_pq(struct ow_args *a);
/* queues.c */
int ow_list_pqa(struct ow_args *a);
/* stat.c */
int ow_list_stat(struct ow_args *a);
/* memory.c */
int ow_list_shms(struct ow_args *a);
int ow_list_shmcfg(struct ow_args *a);
/* processes.c */
int ow_list_ps(struct ow_args *a);
/* spans.c */
int ow_list_spans(struct ow_args *a);
/* releases.c */
int ow_list_releases(struct ow_args *a);
/* times.c */
int ow_list_times(struct ow_args *a);
/* system_v.c */
int ow_list_system_v(struct ow_args *a);

#endif
