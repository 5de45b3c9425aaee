/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.c - time of one memcpy() of the given sizes
 *
 *	copy BYTES...
 *
 * The reference for large payloads: the same buffers repeatedly, the best of
 * several rounds. One JSON object per line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"

#define ROUNDS	    9
#define ROUND_BYTES (256 * 1024 * 1024L) /* moved in a round */

/* Keeps the compiler from leaving the copies out. */
static void look_at(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static double copy_ns(char *to, const char *from, long size)
{
	long i, n = ROUND_BYTES / size;
	double best = 0, one;
	uint64_t start;
	int round;

	if (n > 1000000)
		n = 1000000;
	for (round = 0; round < ROUNDS; round++) {
		start = ow_clock_mono_ns();
		for (i = 0; i < n; i++) {
			memcpy(to, from, (size_t)size);
			look_at(to);
		}
		one = (double)(ow_clock_mono_ns() - start) / (double)n;
		if (round == 0 || one < best)
			best = one;
	}
	return best;
}

int main(int argc, char **argv)
{
	char *from, *to;
	long size;
	int i;

	for (i = 1; i < argc; i++) {
		size = atol(argv[i]);
		if (size < 1 || size > ROUND_BYTES) {
			fprintf(stderr, "usage: copy BYTES...\n");
			return 2;
		}
		from = malloc((size_t)size);
		to = malloc((size_t)size);
		if (from == NULL || to == NULL)
			return 2;
		memset(from, 1, (size_t)size);
		memset(to, 2, (size_t)size);
		printf("{\"payload\":%ld,\"copy_ns\":%.1f}\n", size,
		       copy_ns(to, from, size));
		free(from);
		free(to);
	}
	return 0;
}
