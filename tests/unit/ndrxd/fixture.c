/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.c - a private domain with ndrxd and fake servers
 */
#include "tests/unit/ndrxd/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/events.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"

#define TRIES	 500
#define PAUSE_MS 10

static const char config_head[] =
    "<?xml version=\"1.0\"?>\n<endurox><appconfig><sanity>1</sanity>"
    "<restart_min>20ms</restart_min><restart_step>50ms</restart_step>"
    "<restart_max>200ms</restart_max><restart_to_check>1</restart_to_check>"
    "</appconfig>\n<defaults><min>1</min><max>1</max><autokill>1</autokill>"
    "<start_max>10</start_max><end_max>300ms</end_max>"
    "<killtime>50ms</killtime><ping_max>200ms</ping_max></defaults>\n"
    "<servers>";
static const char config_tail[] = "</servers></endurox>\n";

static void set_env(const struct fixture *f)
{
	char buf[512];

	snprintf(buf, sizeof(buf), "/owt%s", strrchr(f->dir, '-') + 1);
	setenv("NDRX_QPREFIX", buf, 1);
	setenv("NDRX_APPHOME", f->dir, 1);
	snprintf(buf, sizeof(buf), "%s/conf.xml", f->dir);
	setenv("NDRX_CONFIG", buf, 1);
	setenv("NDRX_DMNLEV", "5", 1);
	unsetenv("NDRX_DPID");
	unsetenv("NDRX_DMNLOG");
	unsetenv("NDRX_SHMPATH");
	unsetenv("NDRX_RNDK");
	setenv("PATH", OW_TEST_PATH ":/usr/bin:/bin", 1);
}

int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/ndrxd-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	set_env(f);
	*state = f;
	return 0;
}

void fixture_config(struct fixture *f, const char *servers)
{
	FILE *out = fopen(getenv("NDRX_CONFIG"), "we");

	assert_non_null(out);
	fprintf(out, "%s%s%s", config_head, servers, config_tail);
	fclose(out);
}

static void run(struct fixture *f, const char *command)
{
	FILE *p = popen(command, "re");
	size_t n;
	int st;

	assert_non_null(p);
	n = fread(f->out, 1, sizeof(f->out) - 1, p);
	f->out[n] = '\0';
	st = pclose(p);
	f->status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

static void vrun(struct fixture *f, const char *program, const char *fmt,
		 va_list ap)
{
	char args[1024], command[1200];

	vsnprintf(args, sizeof(args), fmt, ap);
	snprintf(command, sizeof(command), "%s%s 2>&1", program, args);
	run(f, command);
}

void fixture_run(struct fixture *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vrun(f, "", fmt, ap);
	va_end(ap);
}

void fixture_admin(struct fixture *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vrun(f, "fake_admin ", fmt, ap);
	va_end(ap);
	if (f->status != 0)
		print_error("fake_admin %s: %s", fmt, f->out);
	assert_int_equal(f->status, 0);
}

void fixture_ndrxd(struct fixture *f)
{
	fixture_run(f, "ndrxd");
	if (f->status != 0)
		print_error("%s", f->out);
	assert_int_equal(f->status, 0);
}

pid_t fixture_ndrxd_pid(struct fixture *f)
{
	fixture_run(f, "cat %s/run/ndrxd.pid", f->dir);
	return atoi(f->out);
}

pid_t fixture_pid(struct fixture *f, int id)
{
	const char *at;

	fixture_admin(f, "list -i %d", id);
	at = strstr(f->out, " pid=");
	return at == NULL ? 0 : atoi(at + 5);
}

void fixture_await(struct fixture *f, int id, const char *text)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		fixture_admin(f, "list -i %d", id);
		if (strstr(f->out, text) != NULL)
			return;
		poll(NULL, 0, PAUSE_MS);
	}
	print_error("server %d is not \"%s\" but: %s", id, text, f->out);
	fail();
}

void fixture_await_gone(pid_t pid)
{
	int i;

	for (i = 0; i < TRIES && ow_proc_start(pid) != 0; i++)
		poll(NULL, 0, PAUSE_MS);
	assert_int_equal(ow_proc_start(pid), 0);
}

void fixture_kill_ndrxd(struct fixture *f)
{
	pid_t pid = fixture_ndrxd_pid(f);

	kill(pid, SIGKILL);
	fixture_await_gone(pid);
}

void fixture_events(struct fixture *f, int id)
{
	struct ow_events *events = NULL;
	struct ow_domain d;
	struct ow_event e;
	char path[160];
	uint64_t i;
	size_t n = 0;

	assert_int_equal(ow_domain_read_env(&d, path, sizeof(path)), 0);
	ow_domain_shm_path(&d, "events", path, sizeof(path));
	assert_int_equal(ow_events_open(path, false, &events), 0);
	n += (size_t)snprintf(f->out, sizeof(f->out), " ");
	for (i = 0; i < ow_events_next(events); i++)
		if (ow_events_read(events, i, &e) == 0 &&
		    e.about == OW_EVENT_SERVER && e.srvid == (uint32_t)id)
			n += (size_t)snprintf(f->out + n, sizeof(f->out) - n,
					      "%s ", ow_event_word(e.kind));
	ow_events_close(events);
}

int fixture_count(const struct fixture *f, const char *text)
{
	const char *at = f->out;
	int n = 0;

	while ((at = strstr(at, text)) != NULL) {
		n++;
		at += strlen(text);
	}
	return n;
}

int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	pid_t pid = fixture_ndrxd_pid(f);

	if (pid <= 0 || ow_proc_start(pid) == 0)
		fixture_run(f, "ndrxd"); /* adopts what is left */
	fixture_run(f, "fake_admin down");
	if (pid > 0)
		fixture_await_gone(pid);
	fixture_run(f, "rm -rf %s /dev/shm/%s,*", f->dir,
		    getenv("NDRX_QPREFIX") + 1);
	free(f);
	return 0;
}
