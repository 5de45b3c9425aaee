/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv_system.c - services of the test server about its process and descriptors
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "testsv.h"

void svc_pid(TPSVCINFO *s)
{
	(void)s;
	answer_number(getpid());
}

void svc_srvid(TPSVCINFO *s)
{
	(void)s;
	answer_number(tpgetsrvid());
}

void svc_fds(TPSVCINFO *s)
{
	DIR *d = opendir("/proc/self/fd");
	long n = -3; /* two dots and the folder itself */

	(void)s;
	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	answer_number(n);
}

void svc_env(TPSVCINFO *s)
{
	const char *v = getenv(text(s));

	answer(v != NULL ? TPSUCCESS : TPFAIL, 0, v != NULL ? v : "");
}

/* Fork a child that calls exit(), as careless programs do. */
void svc_fork(TPSVCINFO *s)
{
	int status = 0;
	pid_t pid = fork();

	(void)s;
	if (pid == 0)
		exit(7);
	waitpid(pid, &status, 0);
	answer_number(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* A child calls tpreturn() and comes back; its exit status. */
void svc_forkreturn(TPSVCINFO *s)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
		return;
	}
	waitpid(pid, &status, 0);
	answer_number(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* Fork a child that lives until it is killed; its pid. */
void svc_forkstay(TPSVCINFO *s)
{
	pid_t pid = fork();

	(void)s;
	while (pid == 0)
		pause();
	answer_number(pid);
}

/* The descriptors of a program that the server starts. */
void svc_execfds(TPSVCINFO *s)
{
	FILE *p = popen("for f in /proc/self/fd/*; do readlink $f; done", "r");
	char all[2000];
	size_t n = fread(all, 1, sizeof(all) - 1, p);

	(void)s;
	all[n] = '\0';
	for (n = 0; all[n] != '\0'; n++)
		if (all[n] == '\n')
			all[n] = ' ';
	pclose(p);
	answer(TPSUCCESS, 0, all);
}
