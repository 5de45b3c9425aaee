/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testxa.c - a resource manager for tests: amounts in files
 *
 * The open string is its folder. A branch is a file named by its XID: .a while it is
 * active, .p prepared, .c committed; lines S and E (a process has begun, has
 * ended its work) and W AMOUNT. So its state outlives every process, and the sum
 * of what is committed can be audited. Every call is a line of the file `calls`.
 *
 * A file order.OP (start, end, prepare, commit, rollback, recover, open) in the
 * folder holds an order, which is obeyed once, or for ever if it ends in
 * `always`: kill (the process, before), killafter, sleep MS, hold (until the file held.OP,
 * which it makes, is removed), result N (nothing is done), lie N (it is done),
 * unsent (XAER_RMFAIL, and the driver says that nothing was sent).
 *
 * With TESTXA_REGISTERS in the environment it has the flag TMREGISTER.
 */
#include "testxa.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xatmi.h>

static __thread char folder[200];
static __thread bool sent; /* by the last call */
static __thread char branch[600]; /* file of this thread's; "": none */
static __thread int own_rmid;
static bool registers; /* TESTXA_REGISTERS is set: the flag TMREGISTER */

static int start(const XID *x, long flags);

struct order {
	const char *op;
	char what[16];
	long n;
};

static void path_of(const XID *x, char kind, char *to, size_t size)
{
	long i, n = x->gtrid_length + x->bqual_length;
	int at = snprintf(to, size, "%s/", folder);

	for (i = 0; i < n; i++)
		at += snprintf(to + at, size - (size_t)at, "%s%02x",
			       i == x->gtrid_length ? "-" : "",
			       (unsigned char)x->data[i]);
	snprintf(to + at, size - (size_t)at, ".%c", kind);
}

static void record(const char *op, const XID *x, long flags, int result)
{
	char path[300], line[900] = "", name[600] = "-";
	int fd;

	if (x != NULL)
		path_of(x, 'x', name, sizeof(name));
	snprintf(path, sizeof(path), "%s/calls", folder);
	snprintf(line, sizeof(line), "%d %s %s %lx %d\n", (int)getpid(), op,
		 x != NULL ? strrchr(name, '/') + 1 : "-", flags, result);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (fd >= 0 && write(fd, line, strlen(line)) < 0)
		perror(path);
	close(fd);
}

/* The order for `op`, if there is one. */
static struct order look(const char *op)
{
	struct order o = { op, "", 0 };
	char path[300], taken[340], always[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/order.%s", folder, op);
	snprintf(taken, sizeof(taken), "%s.%d", path, (int)gettid());
	f = fopen(path, "r");
	if (f == NULL)
		return o;
	if (fscanf(f, "%15s %ld %15s", o.what, &o.n, always) < 1)
		o.what[0] = '\0';
	fclose(f);
	if (strcmp(always, "always") != 0 &&
	    (rename(path, taken) != 0 || unlink(taken) != 0))
		o.what[0] = '\0'; /* another has it */
	return o;
}

static void die(void)
{
	kill(getpid(), SIGKILL);
	pause();
}

static void pass_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void hold(const char *op)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/held.%s", folder, op);
	close(open(path, O_CREAT | O_CLOEXEC, 0600));
	while (access(path, F_OK) == 0)
		pass_ms(5);
}

/* Before the work: true, do it. */
static int obey(const struct order *o, int *ret)
{
	if (strcmp(o->what, "kill") == 0)
		die();
	if (strcmp(o->what, "sleep") == 0)
		pass_ms(o->n);
	if (strcmp(o->what, "hold") == 0)
		hold(o->op);
	sent = strcmp(o->what, "unsent") != 0;
	*ret = sent ? (int)o->n : XAER_RMFAIL;
	return sent && strcmp(o->what, "result") != 0;
}

static int after(const char *op, const struct order *o, const XID *x,
		 long flags, int result)
{
	if (strcmp(o->what, "lie") == 0)
		result = (int)o->n;
	record(op, x, flags, result);
	if (strcmp(o->what, "killafter") == 0)
		die();
	return result;
}

/* Open the file of an active branch and lock it, if it is still there. */
static int open_active(const char *path)
{
	struct stat a, b;
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX) == 0 && fstat(fd, &a) == 0 &&
	    stat(path, &b) == 0 && a.st_ino == b.st_ino)
		return fd;
	close(fd);
	return -1;
}

static int put(int fd, const char *line)
{
	ssize_t n = write(fd, line, strlen(line));

	close(fd);
	return n == (ssize_t)strlen(line) ? 0 : -1;
}

/* With TMREGISTER the branch begins with its first work: 0 or -1. */
static int join_by_itself(void)
{
	XID x;
	int r = ax_reg(own_rmid, &x, TMNOFLAGS);

	record("ax_reg", r >= 0 && x.formatID != NULLXID ? &x : NULL, 0, r);
	if (r < 0)
		return -1;
	if (x.formatID == NULLXID)
		return ax_unreg(own_rmid, TMNOFLAGS) == TM_OK ? 0 : -1;
	return start(&x, r == TM_JOIN ? TMJOIN : TMNOFLAGS) == XA_OK ? 0 : -1;
}

int testxa_add(long amount)
{
	char line[64], path[300];
	int fd;

	if (registers && branch[0] == '\0' && join_by_itself() != 0)
		return -1;
	snprintf(line, sizeof(line), "W %ld\n", amount);
	if (branch[0] != '\0') {
		fd = open_active(branch);
		return fd < 0 ? -1 : put(fd, line);
	}
	snprintf(path, sizeof(path), "%s/outside.c", folder);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	return fd < 0 ? -1 : put(fd, line);
}

/* ---- the switch ---- */

static int do_open(char *info, int rmid, long flags)
{
	struct order o;
	int r;

	snprintf(folder, sizeof(folder), "%s", info);
	own_rmid = rmid;
	o = look("open");
	return obey(&o, &r) ? after("open", &o, NULL, flags, XA_OK) : r;
}

static int do_close(char *info, int rmid, long flags)
{
	record("close", NULL, flags, XA_OK);
	return XA_OK;
}

static int start(const XID *x, long flags)
{
	char path[600], other[600];
	int fd;

	if (branch[0] != '\0')
		return XAER_PROTO;
	path_of(x, 'a', path, sizeof(path));
	path_of(x, 'p', other, sizeof(other));
	if ((flags & TMJOIN) == 0) {
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 || access(other, F_OK) == 0)
			return XAER_DUPID;
		close(fd);
	}
	fd = open_active(path);
	if (fd < 0)
		return XAER_NOTA;
	if (put(fd, "S\n") != 0)
		return XAER_RMERR;
	strcpy(branch, path);
	return XA_OK;
}

static int do_start(XID *x, int rmid, long flags)
{
	struct order o = look("start");
	int r;

	return obey(&o, &r) ? after("start", &o, x, flags, start(x, flags))
			    : after("start", &o, x, flags, r);
}

static int end(long flags)
{
	int fd;

	if (branch[0] == '\0')
		return XAER_PROTO;
	fd = open_active(branch);
	branch[0] = '\0';
	if (fd < 0)
		return XAER_NOTA;
	return put(fd, flags & TMFAIL ? "F\nE\n" : "E\n") == 0 ? XA_OK
							       : XAER_RMERR;
}

static int do_end(XID *x, int rmid, long flags)
{
	struct order o = look("end");
	int r;

	return obey(&o, &r) ? after("end", &o, x, flags, end(flags))
			    : after("end", &o, x, flags, r);
}

/* Lines S without an E, failed, work. */
static void count(int fd, int *active, int *failed, int *work)
{
	FILE *f = fdopen(dup(fd), "r");
	char line[64];

	*active = *failed = *work = 0;
	rewind(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		*active += (line[0] == 'S') - (line[0] == 'E');
		*failed |= line[0] == 'F';
		*work += line[0] == 'W';
	}
	fclose(f);
}

/* An active branch becomes prepared or committed. */
static int settle(const XID *x, char kind)
{
	char path[600], to[600];
	int fd, active, failed, work, r = XA_OK;

	path_of(x, 'a', path, sizeof(path));
	path_of(x, kind, to, sizeof(to));
	fd = open_active(path);
	if (fd < 0)
		return XAER_NOTA;
	count(fd, &active, &failed, &work);
	if (active != 0 || failed) {
		unlink(path);
		r = XA_RBROLLBACK;
	} else if (work == 0) {
		unlink(path);
		r = kind == 'p' ? XA_RDONLY : XA_OK;
	} else if (rename(path, to) != 0) {
		r = XAER_RMERR;
	}
	close(fd);
	return r;
}

static int do_prepare(XID *x, int rmid, long flags)
{
	struct order o = look("prepare");
	int r;

	return obey(&o, &r) ? after("prepare", &o, x, flags, settle(x, 'p'))
			    : after("prepare", &o, x, flags, r);
}

static int commit(const XID *x, long flags)
{
	char path[600], to[600];

	if (flags & TMONEPHASE)
		return settle(x, 'c');
	path_of(x, 'p', path, sizeof(path));
	path_of(x, 'c', to, sizeof(to));
	if (rename(path, to) != 0)
		return errno == ENOENT ? XAER_NOTA : XAER_RMERR;
	return XA_OK;
}

static int do_commit(XID *x, int rmid, long flags)
{
	struct order o = look("commit");
	int r;

	return obey(&o, &r) ? after("commit", &o, x, flags, commit(x, flags))
			    : after("commit", &o, x, flags, r);
}

static int rollback(const XID *x)
{
	char path[600];
	int r = XAER_NOTA;

	path_of(x, 'p', path, sizeof(path));
	if (unlink(path) == 0)
		r = XA_OK;
	path_of(x, 'a', path, sizeof(path));
	if (unlink(path) == 0)
		r = XA_OK;
	return r;
}

static int do_rollback(XID *x, int rmid, long flags)
{
	struct order o = look("rollback");
	int r;

	return obey(&o, &r) ? after("rollback", &o, x, flags, rollback(x))
			    : after("rollback", &o, x, flags, r);
}

static int read_xid(const char *name, XID *x)
{
	const char *dash = strchr(name, '-');
	unsigned int byte;
	size_t i = 0;

	memset(x, 0, sizeof(*x));
	x->formatID = 0x4f574b31;
	for (; *name != '.'; name += *name == '-' ? 1 : 2) {
		if (*name == '-')
			continue;
		if (sscanf(name, "%2x", &byte) != 1 || i == XIDDATASIZE)
			return -1;
		x->data[i++] = (char)byte;
		if (name < dash)
			x->gtrid_length++;
		else
			x->bqual_length++;
	}
	return 0;
}

static int recover(XID *xids, long max)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	const char *dot;
	int n = 0;

	while (d != NULL && n < max && (e = readdir(d)) != NULL) {
		dot = strrchr(e->d_name, '.');
		if (dot != NULL && strcmp(dot, ".p") == 0 &&
		    read_xid(e->d_name, &xids[n]) == 0)
			n++;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

static int do_recover(XID *xids, long max, int rmid, long flags)
{
	struct order o = look("recover");
	int r;

	if ((flags & TMSTARTRSCAN) == 0)
		return 0;
	return obey(&o, &r) ? recover(xids, max) : r;
}

static int do_forget(XID *x, int rmid, long flags)
{
	record("forget", x, flags, XA_OK);
	return XA_OK;
}

static int do_complete(int *handle, int *retval, int rmid, long flags)
{
	return XAER_INVAL;
}

#pragma GCC visibility push(default)

/* As a vendor's library has it. */
struct xa_switch_t xaosw = {
	.name = "testxa",
	.xa_open_entry = do_open,
	.xa_close_entry = do_close,
	.xa_start_entry = do_start,
	.xa_end_entry = do_end,
	.xa_rollback_entry = do_rollback,
	.xa_prepare_entry = do_prepare,
	.xa_commit_entry = do_commit,
	.xa_recover_entry = do_recover,
	.xa_forget_entry = do_forget,
	.xa_complete_entry = do_complete,
};

int ndrx_xa_has_sent(void);
int ndrx_xa_has_sent(void)
{
	return sent;
}

struct xa_switch_t *ndrx_get_xa_switch(void);
struct xa_switch_t *ndrx_get_xa_switch(void)
{
	registers = getenv("TESTXA_REGISTERS") != NULL;
	if (registers)
		xaosw.flags |= TMREGISTER;
	return &xaosw;
}

#pragma GCC visibility pop
