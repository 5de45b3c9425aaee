/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.c - messages to systemd (Type=notify)
 */
#include "ndrxd/report/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libatmi/log/log.h"
#include "libubf/base/variable.h"
#include "ndrxd/model/ndrxd.h"

#define US_PER_MS 1000

void ow_notify_open(struct ndrxd *d)
{
	const char *sock = ow_variable("NOTIFY_SOCKET");
	const char *usec = ow_variable("WATCHDOG_USEC");

	if (sock != NULL && strlen(sock) < sizeof(d->report.notify))
		strcpy(d->report.notify, sock);
	if (usec != NULL)
		d->report.watchdog_ms = strtoull(usec, NULL, 10) / US_PER_MS;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void ow_notify(struct ndrxd *d, const char *fmt, ...)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = strlen(d->report.notify);
	char text[512];
	va_list ap;
	int fd;

	if (n == 0)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(a.sun_path, d->report.notify, n);
	if (a.sun_path[0] == '@')
		a.sun_path[0] = '\0'; /* an abstract name */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
		   (struct sockaddr *)&a,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) <
		0)
		log_warn("NOTIFY_SOCKET %s: %s", d->report.notify,
			 strerror(errno));
	if (fd >= 0)
		close(fd);
}

void ow_notify_booted(struct ndrxd *d, const char *result)
{
	if (!d->boot)
		return;
	d->boot = false;
	ow_notify(d, "READY=1\nSTATUS=%s", result);
}

void ow_notify_watchdog(struct ndrxd *d)
{
	if (d->report.watchdog_ms > 0)
		ow_notify(d, "WATCHDOG=1");
}
