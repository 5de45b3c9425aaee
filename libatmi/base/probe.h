/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.h - static probes (USDT) at the eight stations of a call
 *
 * For bpftrace, perf and systemtap: provider `onewake`, one probe for each
 * station. A probe that no tool listens to is one nop; without <sys/sdt.h> at
 * build time there are no probes. Arguments are text (service names), numbers
 * and pointers to the 8 bytes of the request's id. Every station from 3 on has
 * the id, so that a script can follow one request through all processes.
 *
 *	station	probe		in		arguments
 *	1	call		tpcall.c	service, flags
 *	2	lookup		svcq.c		service, its index
 *	3	request_sent	request.c	service, id, payload bytes
 *	4	request_taken	loop.c		service, id, server id
 *	5	service_begin	dispatch.c	service, id, sent_ns, server id
 *	6	service_end	tpreturn.c	service, id, tperrno
 *	7	reply_sent	reply/send.c	id, tperrno, payload bytes
 *	8	reply_taken	deliver.c	id, tperrno, descriptor
 *
 * Stations 3 and 7 fire before the message is queued, so the next station
 * always fires later. sent_ns is CLOCK_MONOTONIC, which bpftrace calls
 * `nsecs`. conf/bpftrace has scripts.
 */
#ifndef OW_PROBE_H
#define OW_PROBE_H

#ifdef OW_HAVE_SDT
#include <sys/sdt.h>
#define OW_PROBE2(name, a, b)	    DTRACE_PROBE2(onewake, name, a, b)
#define OW_PROBE3(name, a, b, c)    DTRACE_PROBE3(onewake, name, a, b, c)
#define OW_PROBE4(name, a, b, c, d) DTRACE_PROBE4(onewake, name, a, b, c, d)
#else
#define OW_PROBE2(name, a, b)	    ((void)0)
#define OW_PROBE3(name, a, b, c)    ((void)0)
#define OW_PROBE4(name, a, b, c, d) ((void)0)
#endif

#endif
