/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpus.c - count the CPUs that this process may use
 */
#include "libatmi/base/cpus.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CGROUPS "/sys/fs/cgroup"

uint32_t ow_cpus_online(void)
{
	static _Atomic uint32_t counted;
	uint32_t n = atomic_load(&counted);
	long now;

	if (n == 0) {
		now = sysconf(_SC_NPROCESSORS_ONLN); /* reads a file of sysfs */
		n = now > 0 ? (uint32_t)now : 1;
		atomic_store(&counted, n);
	}
	return n;
}

static uint32_t in_mask(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (uint32_t)CPU_COUNT(&set);
	return ow_cpus_online(); /* more CPUs than a cpu_set_t has */
}

uint32_t ow_cpus_of_quota(const char *text, uint32_t cpus)
{
	unsigned long long quota, period;

	if (sscanf(text, "%llu %llu", &quota, &period) != 2 || period == 0 ||
	    quota / period >= cpus)
		return cpus;
	return (uint32_t)(quota / period);
}

/* The beginning of a file, with a NUL. False: it cannot be read. */
static bool read_start(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return false;
	buf[n] = '\0';
	return true;
}

/* The control group of this process below CGROUPS, "" for the root. */
static void find_group(char *ret, size_t size)
{
	char text[1024], *group, *end;

	*ret = '\0';
	if (!read_start("/proc/self/cgroup", text, sizeof(text)))
		return;
	group = strstr(text, "0::/");
	if (group == NULL)
		return;
	group += strlen("0::");
	end = strchr(group, '\n');
	if (end != NULL)
		*end = '\0';
	snprintf(ret, size, "%s", group);
}

/* A quota of any group above counts, too. */
uint32_t ow_cpus_usable(void)
{
	uint32_t cpus = in_mask();
	char group[768], path[896], text[64], *last;

	find_group(group, sizeof(group));
	for (;;) {
		snprintf(path, sizeof(path), CGROUPS "%s/cpu.max", group);
		if (read_start(path, text, sizeof(text)))
			cpus = ow_cpus_of_quota(text, cpus);
		last = strrchr(group, '/');
		if (last == NULL)
			return cpus;
		*last = '\0';
	}
}
