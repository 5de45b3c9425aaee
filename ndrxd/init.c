/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.c - what ndrxd owes to whoever runs it
 */
#include "ndrxd/init.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/log/log.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/launch/procdir.h"

#define US_PER_MS 1000

/* ---- systemd ---- */

void ow_host_open(struct ndrxd *d)
{
	const char *sock = getenv("NOTIFY_SOCKET");
	const char *usec = getenv("WATCHDOG_USEC");

	d->is_init = getpid() == 1;
	if (sock != NULL && strlen(sock) < sizeof(d->notify))
		strcpy(d->notify, sock);
	if (usec != NULL)
		d->watchdog_ms = strtoull(usec, NULL, 10) / US_PER_MS;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void ow_host_notify(struct ndrxd *d, const char *fmt, ...)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = strlen(d->notify);
	char text[512];
	va_list ap;
	int fd;

	if (n == 0)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(a.sun_path, d->notify, n);
	if (a.sun_path[0] == '@')
		a.sun_path[0] = '\0'; /* an abstract name */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
		   (struct sockaddr *)&a,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) <
		0)
		log_warn("NOTIFY_SOCKET %s: %s", d->notify, strerror(errno));
	if (fd >= 0)
		close(fd);
}

void ow_host_tick(struct ndrxd *d)
{
	if (d->watchdog_ms > 0)
		ow_host_notify(d, "WATCHDOG=1");
	ow_host_reap(d);
}

/* ---- PID 1 ---- */

static struct ow_inst *inst_of(const struct ndrxd *d, pid_t pid)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (d->insts[i]->pid == pid && d->insts[i]->ours)
			return d->insts[i];
	return NULL;
}

void ow_host_reap(struct ndrxd *d)
{
	struct ow_client *c;
	struct ow_inst *s;
	siginfo_t info;

	while (d->is_init) {
		memset(&info, 0, sizeof(info));
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		    info.si_pid == 0)
			return;
		s = inst_of(d, info.si_pid);
		c = ow_clients_by_pid(d, info.si_pid);
		if (s != NULL)
			ow_inst_check(s);
		else if (c != NULL)
			ow_client_check(c);
		else
			waitpid(info.si_pid, NULL, WNOHANG);
	}
}

static void forward(pid_t pid, int sig)
{
	if (pid > 0 && ow_procdir_catches(pid, sig))
		kill(pid, sig);
}

void ow_host_forward(struct ndrxd *d, int sig)
{
	size_t i;

	if (!d->is_init)
		return;
	log_info("signal %d: handed on to those that handle it", sig);
	for (i = 0; i < d->n_insts; i++)
		forward(d->insts[i]->svpid, sig);
	for (i = 0; i < d->n_clients; i++)
		forward(d->clients[i]->pid, sig);
}
