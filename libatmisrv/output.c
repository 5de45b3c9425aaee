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
#include "libatmi/base/owned.h"
#include "libatmisrv/options.h"

static int redirect(const char *path, int fd)
{
	int f = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		     OW_LOG_MODE);

	if (f < 0)
		return -errno;
	dup2(f, fd);
	close(f);
	return 0;
}

static int redirect_or_warn(const char *path, int fd, const char *where)
{
	int r = redirect(path, fd);

	if (r < 0)
		fprintf(stderr, "%s: %s: output goes to %s\n", path,
			strerror(-r), where);
	return r;
}

/* Option -e is for both, unless -o names a file for standard output that can
 * be opened. */
void ow_output_redirect(const struct ow_options *o)
{
	static const char before[] = "where it went";
	bool both = o->err_file[0] != '\0' &&
		    redirect_or_warn(o->err_file, 2, before) == 0;

	if (both)
		ow_log_default_file(o->err_file);
	if (o->out_file[0] != '\0' &&
	    redirect_or_warn(o->out_file, 1,
			     both ? "the file of -e" : before) == 0)
		both = false;
	if (both)
		dup2(2, 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Was the file of descriptor `fd`, once called `path`, renamed? */
static bool is_renamed(const char *path, int fd)
{
	struct stat named, open_now;

	if (path[0] != '/' || fstat(fd, &open_now) < 0 ||
	    !S_ISREG(open_now.st_mode))
		return false;
	return stat(path, &named) < 0 || named.st_ino != open_now.st_ino ||
	       named.st_dev != open_now.st_dev;
}

/* Do standard output and standard error go to one file? */
static bool is_shared(void)
{
	struct stat out, err;

	return fstat(1, &out) == 0 && fstat(2, &err) == 0 &&
	       out.st_ino == err.st_ino && out.st_dev == err.st_dev;
}

void ow_output_follow(const struct ow_options *o)
{
	bool shared;

	if (is_renamed(o->err_file, 2)) {
		shared = is_shared();
		if (redirect(o->err_file, 2) == 0 && shared)
			dup2(2, 1);
	}
	if (is_renamed(o->out_file, 1))
		redirect(o->out_file, 1);
}
