/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain_fixture.h - a private domain for one test program
 *
 * A random prefix, the segments in the scratch folder. Queues and files go at
 * exit(), and so after a failed assertion too. Children end with _exit() or a
 * signal and remove nothing.
 */
#ifndef OW_TEST_DOMAIN_FIXTURE_H
#define OW_TEST_DOMAIN_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/transport/transport.h"
#include "libatmi/member/reap.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"
#include "tests/unit/libatmi/scratch.h"

static struct ow_domain *dom;
static char dom_services[32][64];
static int dom_nservices;

static inline void dom_remove(void)
{
	int i;

	if (getpid() != scratch_owner)
		return;
	for (i = 0; i < dom_nservices && i < 32; i++)
		ow_queue_remove(dom, ow_service_queue(dom_services[i]));
	if (dom != NULL)
		ow_reap_domain(dom);
}

static inline void dom_make(void)
{
	char prefix[40], why[512];

	scratch_make();
	snprintf(prefix, sizeof(prefix), "/owt%x%llx", (unsigned int)getpid(),
		 (unsigned long long)ow_clock_real_ns() & 0xffffff);
	setenv("NDRX_QPREFIX", prefix, 1);
	setenv("NDRX_SHMPATH", scratch_dir, 1);
	unsetenv("NDRX_APPHOME");
	unsetenv("NDRX_DPID");
	unsetenv("NDRX_TOUT");
	unsetenv("NDRX_WAKE");
	unsetenv("NDRX_WAKE_POLICY");
	setenv("NDRX_DEBUG_STR", "ndrx=0 ubf=0 tp=0", 1);
	if (ow_domain_join(true, &dom, why, sizeof(why)) != 0) {
		fprintf(stderr, "%s\n", why);
		exit(1);
	}
	atexit(dom_remove);
}

/* Create the queue of a service; it goes with the program. */
static inline struct ow_queue *dom_queue(const char *service, uint32_t maxmsg,
					 uint32_t msgsize)
{
	struct ow_queue_shape shape = { maxmsg, msgsize };
	struct ow_queue *q = NULL;

	snprintf(dom_services[dom_nservices++ % 32], 64, "%s", service);
	assert_int_equal(ow_queue_create(dom, ow_service_queue(service),
					 &shape, &q), 0);
	return q;
}

/* Messages that a mailbox has room for at first. */
#define DOM_MAILBOX 32

/* Open the mailbox of a client slot. */
static inline struct ow_queue *dom_mailbox(uint32_t slot)
{
	struct ow_queue_shape shape;
	struct ow_queue *q = NULL;

	assert_int_equal(ow_queue_create(dom, ow_mailbox(slot), &shape,
					 &q), 0);
	return q;
}

/* Is there a POSIX message queue of this name (without the prefix)? */
static inline bool dom_mq_exists(const char *name)
{
	char full[160];
	mqd_t mq;

	snprintf(full, sizeof(full), "/%s,%s", dom->prefix, name);
	mq = mq_open(full, O_RDONLY);
	if (mq != (mqd_t)-1)
		mq_close(mq);
	return mq != (mqd_t)-1;
}

/* Remove the queue that dom_mq_exists() finds. */
static inline void dom_mq_unlink(const char *name)
{
	char full[160];

	snprintf(full, sizeof(full), "/%s,%s", dom->prefix, name);
	mq_unlink(full);
}

/* A wait set as a server's, woken as the test says. */
static inline int dom_waitset(enum ow_wake wake, struct ow_waitset **ret)
{
	dom->wake = wake;
	return ow_waitset_open(dom, 0, ret);
}

/* Wait for a condition, five seconds at most. */
#define WAIT_FOR(cond)                                                      \
	do {                                                                \
		uint64_t end_ = ow_clock_mono_ns() + 5 * OW_NS_PER_SEC;     \
		struct timespec nap_ = { .tv_nsec = 1000000 };              \
		bool met_ = false;                                          \
		while (!(met_ = (cond)) && ow_clock_mono_ns() < end_)       \
			nanosleep(&nap_, NULL);                             \
		assert_true(met_);                                          \
	} while (0)

/* How often a stress has to kill at least, whatever the time that takes: a
 * fork lasts a second under ThreadSanitizer. */
#ifdef __SANITIZE_THREAD__
#define KILLS_MIN 2u
#else
#define KILLS_MIN 51u
#endif

/* A child that does not outlive this program. */
static inline pid_t test_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Run `fn` in a child; its exit status, or 128 + the signal. */
static inline int in_child(void (*fn)(void *), void *arg)
{
	pid_t pid = test_fork();
	int st = 0;

	if (pid == 0) {
		fn(arg);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &st, 0), pid);
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

#endif
