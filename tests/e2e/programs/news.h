/* SPDX-License-Identifier: Apache-2.0 */
/*
 * news.h - the ledger of posts and unsolicited messages, for all who audit them
 */
#ifndef TEST_NEWS_H
#define TEST_NEWS_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xatmi.h>

#define NEWS_READERS 8
#define NEWS_JOBS    4000000 /* posts that a service executes */

/* A client that gets messages, in its present life. */
struct news_reader {
	_Atomic long number; /* of this life; 0: none now */
	char cltid[96];	     /* of the client */
};

/* Counted by all processes, in the file `news` of the current folder. */
struct news_ledger {
	_Atomic long right;   /* messages that were the next ones of a sender */
	_Atomic long wrong;   /* another's, once more, out of order, a gap */
	_Atomic long news;    /* posts that clients got */
	_Atomic long told;    /* jobs of which the poster was told: delivered */
	_Atomic long untold;  /* of which it was told an error */
	_Atomic long done;    /* executed */
	_Atomic long twice;   /* executed again */
	_Atomic long unposted; /* executed, and no poster has begun it */
	_Atomic long hung;    /* functions that did not keep their deadline */
	_Atomic long other;   /* errors that have nothing to do with deaths */
	_Atomic long ended;   /* heralds that have sent all */
	_Atomic long numbers; /* given to lives of heralds */
	_Atomic long jobs;    /* numbers given to jobs */
	struct news_reader reader[NEWS_READERS];
	/* Of each job: 1 begun, 2 told, 4 done. */
	_Atomic unsigned char job[NEWS_JOBS];
};

static inline struct news_ledger *news_ledger(void)
{
	int fd = open("news", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(struct news_ledger)) == 0)
		p = mmap(NULL, sizeof(struct news_ledger),
			 PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p != MAP_FAILED ? p : NULL;
}

#endif
