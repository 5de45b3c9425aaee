/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture.h - what a function writes to standard output and standard error
 */
#ifndef OW_TEST_CAPTURE_H
#define OW_TEST_CAPTURE_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct capture {
	int fd[2], old[2];
	char text[2][8192]; /* output, error */
};

static inline void capture_begin(struct capture *c)
{
	int i;

	fflush(stdout);
	fflush(stderr);
	for (i = 0; i < 2; i++) {
		c->fd[i] = memfd_create("capture", MFD_CLOEXEC);
		c->old[i] = dup(STDOUT_FILENO + i);
		dup2(c->fd[i], STDOUT_FILENO + i);
	}
}

static inline void capture_end(struct capture *c)
{
	ssize_t n;
	int i;

	fflush(stdout);
	fflush(stderr);
	for (i = 0; i < 2; i++) {
		dup2(c->old[i], STDOUT_FILENO + i);
		n = pread(c->fd[i], c->text[i], sizeof(c->text[i]) - 1, 0);
		c->text[i][n > 0 ? n : 0] = '\0';
		close(c->fd[i]);
		close(c->old[i]);
	}
}

#endif
