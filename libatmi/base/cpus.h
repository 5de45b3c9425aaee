/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpus.h - how many CPUs this process may use
 */
#ifndef OW_CPUS_H
#define OW_CPUS_H

#include <stdint.h>

/*
 * The CPUs of the process's affinity mask, or fewer whole CPUs if the quota of
 * its control group (cgroup v2, cpu.max) allows no more; 0 if the quota is
 * below one CPU. Reads files: not for the path of a call.
 */
uint32_t ow_cpus_usable(void);

/* The CPUs that run on this machine, counted once per process. At least 1. */
uint32_t ow_cpus_online(void);

/* The whole CPUs that the text of a cpu.max file allows, at most `cpus`:
 * "200000 100000" is 2, "max 100000" and malformed text are `cpus`. */
uint32_t ow_cpus_of_quota(const char *text, uint32_t cpus);

#endif
