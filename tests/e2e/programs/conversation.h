/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversation.h - numbered messages and names of events, for both ends of a
 * conversation
 */
#ifndef TEST_CONV_H
#define TEST_CONV_H

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xatmi.h>

static inline const char *conv_event(long event)
{
	switch (event) {
	case 0:
		return "-";
	case TPEV_DISCONIMM:
		return "DISCONIMM";
	case TPEV_SVCERR:
		return "SVCERR";
	case TPEV_SVCFAIL:
		return "SVCFAIL";
	case TPEV_SVCSUCC:
		return "SVCSUCC";
	case TPEV_SENDONLY:
		return "SENDONLY";
	default:
		return "UNKNOWN";
	}
}

/* Message number `n` of a stream: eight bytes at least. */
static inline void conv_fill(char *p, long size, long n)
{
	memcpy(p, &n, sizeof(n));
	if (size > (long)sizeof(n))
		memset(p + sizeof(n), 'a' + (int)(n % 26),
		       (size_t)size - sizeof(n));
}

/* ---- the audit: both ends check what they get ---- */

/* Counted by all processes, in the file `convs` of the current folder. */
struct conv_ledger {
	_Atomic long right; /* messages of this conversation, the next ones */
	_Atomic long wrong; /* any others */
	_Atomic long whole; /* conversations with a proper end */
	_Atomic long cut;   /* that ended by an event of a death */
	_Atomic long hung;  /* functions that did not keep their deadline */
	_Atomic long other; /* errors that have nothing to do with deaths */
	_Atomic long keys;  /* given to conversations */
};

static inline struct conv_ledger *conv_ledger(void)
{
	int fd = open("convs", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0);
	close(fd);
	return p != MAP_FAILED ? p : NULL;
}

/* Message `n` of conversation `key`; some need a block. The length of a buffer
 * that has room for it. */
static inline long conv_write(char *p, long key, long n)
{
	int len = snprintf(p, 64, "%ld %ld ", key, n);

	if (n % 5 != 4)
		return len + 1;
	memset(p + len, 'z', 3000);
	p[len + 3000] = '\0';
	return len + 3001;
}
#define CONV_MAX 4096

static inline bool conv_check(struct conv_ledger *l, const char *p, long key,
			      long n)
{
	char want[CONV_MAX];
	long len = conv_write(want, key, n);
	bool good = p != NULL && memcmp(p, want, (size_t)len) == 0;

	/* Nobody reads more of it than a pipe holds. */
	if (atomic_fetch_add(good ? &l->right : &l->wrong, 1) < 50 && !good)
		fprintf(stderr, "want \"%.60s\", got \"%.60s\"\n", want,
			p != NULL ? p : "(nothing)");
	return good;
}

static inline bool conv_is(const char *p, long size, long n)
{
	return size >= (long)sizeof(n) && memcmp(p, &n, sizeof(n)) == 0 &&
	       (size == (long)sizeof(n) ||
		p[size - 1] == (char)('a' + (int)(n % 26)));
}

#endif
