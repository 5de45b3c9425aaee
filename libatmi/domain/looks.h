/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looks.h - looks of waiting processes before they sleep, and CPU time of
 * services: limits and figures
 *
 * A part of the head of the tables (tables.h).
 */
#ifndef OW_LOOKS_H
#define OW_LOOKS_H

#include <stdatomic.h>
#include <stdint.h>

/* Processes that look before they sleep, of one kind, in figures. */
struct ow_look_figures {
	_Atomic uint64_t looks, hits; /* hits found what they looked for */
	_Atomic uint64_t ns;	      /* that all looks took */
};

enum ow_look_kind { OW_LOOK_SERVER, OW_LOOK_CALLER, OW_LOOK_KINDS };

#define OW_LOOK_SEATS	32u /* of each kind, at most */
#define OW_SPIN_DEFAULT 20u
#define OW_SPIN_ALWAYS	1000u /* <spin>always</spin> */

/* The CPU time that services of the domain use (transport/standby.c). */
struct ow_cpu_use {
	_Alignas(64) _Atomic uint64_t used_ns; /* since the tables were made */
	_Atomic uint64_t from_ns, used_before_ns; /* the period, then */
	_Atomic uint32_t share; /* in the one before: per mille of all CPUs */
};

/* Of a service, in units of 2^20 ns; 0: never. When a request was served, when
 * one was seen to compute, when one was seen to wait (transport/standby.c). */
struct ow_svc_times {
	_Atomic uint32_t moved, computed, waited;
};

/* What looks of all processes of the domain may take (transport/looking.h). */
struct ow_looks {
	_Alignas(64) _Atomic uint32_t spin; /* 1 + <spin>, by ndrxd; 0: the
					       default */
	_Atomic uint64_t paid_ns; /* looks are paid for until then */
	struct {
		_Alignas(64) struct ow_look_figures figures;
		/* taken until then (monotonic ns) */
		_Alignas(64) _Atomic uint64_t seat[OW_LOOK_SEATS];
	} kind[OW_LOOK_KINDS];
	struct ow_cpu_use use;
};

#endif
