/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - standard output and error of a server in files (-e, -r)
 *
 * The descriptors follow their files: when logrotate has renamed one, the
 * server goes on in a new file of the old name within about a second. Until
 * then it writes into the renamed one, so nothing is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/log/log.h"
#include "libatmisrv/options.h"
#include "libatmisrv/server.h"

static int redirect(const char *path, int fd)
{
	int f = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);

	if (f < 0)
		return -errno;
	dup2(f, fd);
	close(f);
	return 0;
}

static int redirect_or_say(const char *path, int fd)
{
	int r = redirect(path, fd);

	if (r < 0)
		fprintf(stderr, "%s: %s: output goes on to where it went\n",
			path, strerror(-r));
	return r;
}

/* -e is for both, unless -r names another file for standard output. */
static bool both(const struct ow_options *o)
{
	return o->err_file[0] != '\0' && o->out_file[0] == '\0';
}

void ow_output_redirect(const struct ow_options *o)
{
	if (o->err_file[0] != '\0' &&
	    redirect_or_say(o->err_file, 2) == 0) {
		ow_log_default_file(o->err_file);
		if (both(o))
			dup2(2, 1);
	}
	if (o->out_file[0] != '\0')
		redirect_or_say(o->out_file, 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Does descriptor `fd` belong to another file than `path` names now? A
 * relative name is left alone: the program may have changed its folder. */
static bool moved(const char *path, int fd)
{
	struct stat named, open_now;

	if (path[0] != '/' || fstat(fd, &open_now) < 0 ||
	    !S_ISREG(open_now.st_mode))
		return false;
	return stat(path, &named) < 0 || named.st_ino != open_now.st_ino ||
	       named.st_dev != open_now.st_dev;
}

void ow_output_follow(const struct ow_options *o)
{
	if (moved(o->err_file, 2) && redirect(o->err_file, 2) == 0 && both(o))
		dup2(2, 1);
	if (moved(o->out_file, 1))
		redirect(o->out_file, 1);
}
