/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapped.c - how much of the data base counts as memory of this process
 */
#include "servers/tmqueue/mapped.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel alone knows where LMDB has its map. */
void mapped_begin(struct mapped *m, int fd, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from, to, file;
	char line[4608];
	struct stat st;

	mapped_end(m);
	if (maps == NULL)
		return;
	while (fstat(fd, &st) == 0 && fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64,
			   &from, &to, &file) != 3 ||
		    file != st.st_ino ||
		    to - from != (size + page - 1) / page * page)
			continue;
		m->from = (char *)(uintptr_t)from;
		m->size = size;
		break;
	}
	fclose(maps);
}

void mapped_end(struct mapped *m)
{
	memset(m, 0, sizeof(*m));
}

/* The part of a window that is of the map. */
static void give_back(const struct mapped *m, char *window)
{
	char *from = window > m->from ? window : m->from;
	char *end = m->from + m->size;
	size_t len = MAPPED_WINDOW - (size_t)(from - window);

	if (len > (size_t)(end - from))
		len = (size_t)(end - from);
	(void)madvise(from, len, MADV_DONTNEED);
}

static void note(struct mapped *m, char *window)
{
	unsigned int i;

	for (i = 0; i < MAPPED_WINDOWS; i++) {
		if (m->window[i] == window)
			return;
	}
	if (m->window[m->oldest] != NULL)
		give_back(m, m->window[m->oldest]);
	m->window[m->oldest] = window;
	m->oldest = (m->oldest + 1) % MAPPED_WINDOWS;
}

void mapped_read(struct mapped *m, const void *data, size_t len)
{
	char *from = (char *)(uintptr_t)data, *to = from + len, *window;

	/* Pages that the open transaction has changed are not in the map. */
	if (m->from == NULL || from < m->from || from >= m->from + m->size)
		return;
	window = (char *)((uintptr_t)from & ~(uintptr_t)(MAPPED_WINDOW - 1));
	do {
		note(m, window);
		window += MAPPED_WINDOW;
	} while (window < to);
}

void mapped_written(struct mapped *m)
{
	if (m->from == NULL || ++m->writes < MAPPED_WRITES)
		return;
	m->writes = 0;
	(void)madvise(m->from, m->size, MADV_DONTNEED);
	memset(m->window, 0, sizeof(m->window));
	m->oldest = 0;
}
