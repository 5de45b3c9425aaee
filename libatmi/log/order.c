/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - orders to the logs of all processes of a domain
 *
 * Writers exclude each other by flock() on the present file. A writer that got
 * the lock of a file that has been replaced meanwhile starts again.
 */
#include "libatmi/log/order.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/uncancelled.h"

#define LINE_SIZE (OW_LOG_ORDER_TEXT + OW_LOG_ORDER_WHO + 64)

static const char *const words[] = {
	[OW_LOG_ORDER_CHANGE] = "logchg",
	[OW_LOG_ORDER_ROTATE] = "logrotate",
};

const char *ow_log_order_word(enum ow_log_order_kind kind)
{
	return words[kind];
}

static bool parse(const char *line, struct ow_log_order *o)
{
	char kind[16];
	int text = 0;

	if (sscanf(line, "%" SCNu64 " %15s %63s %n", &o->number, kind, o->who,
		   &text) != 3)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(kind, words[i]) != 0)
			continue;
		o->kind = (enum ow_log_order_kind)i;
		snprintf(o->text, sizeof(o->text), "%.*s",
			 (int)strcspn(line + text, "\n"), line + text);
		return true;
	}
	return false;
}

int ow_log_orders_read(const char *path, struct ow_log_order *orders)
{
	OW_UNCANCELLED;
	OW_CLEANUP(ow_cleanup_fclosep) FILE *fp = NULL;
	char line[LINE_SIZE];
	int n = 0, r = ow_owned_fopen(path, &fp);

	if (r != 0)
		return r == -ENOENT ? 0 : r;
	while (n < OW_LOG_ORDERS && fgets(line, sizeof(line), fp) != NULL)
		n += parse(line, &orders[n]);
	return n;
}

int ow_log_order_is_for(const struct ow_log_order *o, pid_t pid,
			const char *program)
{
	char self[32];

	snprintf(self, sizeof(self), "pid:%d", (int)pid);
	return strcmp(o->who, "*") == 0 || strcmp(o->who, self) == 0 ||
	       strcmp(o->who, program) == 0;
}

/* ---- writing ---- */

/* Open and lock the present file. The descriptor or -errno. */
static int lock_file(const char *path, bool make)
{
	struct stat mine, now;
	int fd;

	for (;;) {
		fd = ow_owned_open(path, O_RDWR, S_IFREG, &mine);
		if (fd == -ENOENT && make) {
			fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
				  0600);
			if (fd >= 0)
				close(fd);
			else if (errno != EEXIST)
				return -errno;
			continue;
		}
		if (fd < 0)
			return fd;
		if (flock(fd, LOCK_EX) < 0) {
			int r = -errno;

			close(fd);
			return r;
		}
		if (stat(path, &now) == 0 && now.st_ino == mine.st_ino)
			return fd;
		close(fd);
	}
}

static int write_all(const char *path, const struct ow_log_order *orders,
		     int n)
{
	char fresh[1024];
	FILE *fp;
	bool good;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	unlink(fresh);
	fp = fopen(fresh, "wxe");
	if (fp == NULL)
		return -errno;
	for (int i = 0; i < n; i++)
		fprintf(fp, "%" PRIu64 " %s %s %s\n", orders[i].number,
			words[orders[i].kind], orders[i].who, orders[i].text);
	good = fchmod(fileno(fp), 0600) == 0 && !ferror(fp);
	good = fclose(fp) == 0 && good && rename(fresh, path) == 0;
	if (!good) {
		int r = -errno;

		unlink(fresh);
		return r;
	}
	return 0;
}

/* Drop the logrotate that `o` replaces. The number of orders left. */
static int drop_older(struct ow_log_order *orders, int n,
		      const struct ow_log_order *o)
{
	for (int i = 0; i < n; i++) {
		if (o->kind != OW_LOG_ORDER_ROTATE ||
		    orders[i].kind != o->kind ||
		    strcmp(orders[i].who, o->who) != 0)
			continue;
		memmove(&orders[i], &orders[i + 1],
			(size_t)(n - i - 1) * sizeof(orders[0]));
		return n - 1;
	}
	return n;
}

static int add_locked(const char *path, const struct ow_log_order *o)
{
	OW_CLEANUP(ow_cleanup_freep) struct ow_log_order *orders = NULL;
	uint64_t last = 0;
	int n;

	orders = calloc(OW_LOG_ORDERS, sizeof(*orders));
	if (orders == NULL)
		return -ENOMEM;
	n = ow_log_orders_read(path, orders);
	if (n < 0)
		return n;
	if (n > 0)
		last = orders[n - 1].number;
	n = drop_older(orders, n, o);
	if (n == OW_LOG_ORDERS)
		return -ENOSPC;
	orders[n] = *o;
	orders[n].number = last + 1;
	return write_all(path, orders, n + 1);
}

int ow_log_orders_add(const char *path, const struct ow_log_order *o)
{
	int fd, r;

	if (strchr(o->text, '\n') != NULL || o->who[0] == '\0' ||
	    strpbrk(o->who, " \t\n") != NULL)
		return -EINVAL;
	fd = lock_file(path, true);
	if (fd < 0)
		return fd;
	r = add_locked(path, o);
	close(fd);
	return r;
}

int ow_log_orders_clear(const char *path)
{
	int r = 0, fd = lock_file(path, false);

	if (fd < 0)
		return fd;
	if (unlink(path) < 0)
		r = -errno;
	close(fd);
	return r;
}
