/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - the files of a server's standard output and error
 *
 * When logrotate has renamed a file, the server opens a new file of the old
 * name within about a second. Until then it writes to the renamed file, so
 * nothing is lost.
 */
#include "libatmisrv/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/log/log.h"
#include "libatmisrv/options.h"

static int redirect(const char *path, int fd)
{
	int f = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);

	if (f < 0)
		return -errno;
	dup2(f, fd);
	close(f);
	return 0;
}

static int redirect_or_warn(const char *path, int fd)
{
	int r = redirect(path, fd);

	if (r < 0)
		fprintf(stderr, "%s: %s: output goes on to where it went\n",
			path, strerror(-r));
	return r;
}

/* Option -e is for both, unless -o names a file for standard output. */
static bool both(const struct ow_options *o)
{
	return o->err_file[0] != '\0' && o->out_file[0] == '\0';
}

void ow_output_redirect(const struct ow_options *o)
{
	if (o->err_file[0] != '\0' &&
	    redirect_or_warn(o->err_file, 2) == 0) {
		ow_log_default_file(o->err_file);
		if (both(o))
			dup2(2, 1);
	}
	if (o->out_file[0] != '\0')
		redirect_or_warn(o->out_file, 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Was the file of descriptor `fd`, once called `path`, renamed? A relative path
 * is not checked: the program may have changed its folder. */
static bool is_renamed(const char *path, int fd)
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
	if (is_renamed(o->err_file, 2) && redirect(o->err_file, 2) == 0 &&
	    both(o))
		dup2(2, 1);
	if (is_renamed(o->out_file, 1))
		redirect(o->out_file, 1);
}
