/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - check what this kernel does with queues, by trying
 *
 * A test queue is made, waited on and removed. The version of a kernel does
 * not tell how it wakes waiting processes: distributions patch.
 */
#include "clients/xadmin/doctor/checks.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "libndrx/observe/observer.h"
#include "libatmi/base/balance.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"
#include "libatmi/transport/transport.h"

#define QUEUE_BYTES 1024 /* of a message in the test queue, at most */

static const char *queue_trouble(int e)
{
	switch (e) {
	case EMFILE:
		return "the bytes of RLIMIT_MSGQUEUE are used up";
	case ENOSPC:
		return "fs.mqueue.queues_max is reached";
	case EINVAL:
		return "fs.mqueue.msg_max or msgsize_max is too small";
	case ENOSYS:
		return "this kernel has no POSIX message queues";
	default:
		return strerror(e);
	}
}

/* Can the queue be waited on with these events? 0 or errno. */
static int try_events(mqd_t mq, uint32_t events)
{
	struct epoll_event ev = { .events = events };
	int ep = epoll_create1(EPOLL_CLOEXEC), r = 0;

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, (int)mq, &ev) < 0)
		r = errno;
	if (ep >= 0)
		close(ep);
	return r;
}

/*
 * Does a receive wake readers too? An edge-triggered poller has seen two
 * messages; then one is received. 1: the poller is woken again; 0: it is not;
 * -1: the test failed.
 */
static int try_receive(mqd_t mq)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	struct timespec past = { 0, 0 };
	char buf[QUEUE_BYTES];
	int ep = epoll_create1(EPOLL_CLOEXEC), r = -1;

	if (ep >= 0 && mq_timedsend(mq, "1", 1, 0, &past) == 0 &&
	    mq_timedsend(mq, "2", 1, 0, &past) == 0 &&
	    epoll_ctl(ep, EPOLL_CTL_ADD, (int)mq, &ev) == 0 &&
	    epoll_wait(ep, &ev, 1, 0) == 1 &&
	    mq_timedreceive(mq, buf, sizeof(buf), NULL, &past) == 1)
		r = epoll_wait(ep, &ev, 1, 0);
	if (ep >= 0)
		close(ep);
	return r;
}

/* Does the kernel have the patches of kernel/ in the source tree? */
static void check_wake_ups(struct ow_doctor *doc, mqd_t mq)
{
	int again = try_receive(mq);
	bool balances = try_events(mq, EPOLLIN | EPOLLEXCLUSIVE |
				   EPOLLBALANCE) == 0;

	if (again >= 0)
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.what = "wake-ups of a queue",
			.found = again ? "a receive wakes a reader too"
				       : "only a message wakes a reader",
			.meaning = again ? "NDRX_WAKE=exclusive takes three "
					   "switches a call; bell, the "
					   "default, takes two"
					 : "patched kernel: NDRX_WAKE=exclusive "
					   "takes two switches a call" });
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.what = "EPOLLBALANCE",
		.found = balances ? "known" : "not known",
		.meaning = balances ? "NDRX_WAKE=even: the kernel "
				      "distributes wake-ups"
				    : "NDRX_WAKE=even: servers give way to "
				      "each other, with two system calls per "
				      "call" });
}

/* A queue of full size, else the smallest. */
static mqd_t make_queue(const char *name, bool *ret_small)
{
	struct mq_attr full = { .mq_maxmsg = 10,
				.mq_msgsize = QUEUE_BYTES };
	struct mq_attr small = { .mq_maxmsg = 2, .mq_msgsize = 192 };
	int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	mqd_t mq = mq_open(name, flags, 0600, &full);

	*ret_small = mq == (mqd_t)-1;
	return *ret_small ? mq_open(name, flags, 0600, &small) : mq;
}

static void check_queue(struct ow_doctor *doc)
{
	struct ow_doctor_finding f = { .what = "test queue" };
	bool small = false;
	char name[96];
	mqd_t mq;
	int e;

	snprintf(name, sizeof(name), "/%s,sys,doctor,%d",
		 doc->env_good ? doc->env.prefix : "onewake", (int)getpid());
	mq = make_queue(name, &small);
	e = mq == (mqd_t)-1 ? errno : 0;
	if (e != 0) {
		f.grade = OW_DOCTOR_FAIL;
		f.found = queue_trouble(e);
		f.meaning = "no further queue can be made";
		f.cure = "see the lines above; `xadmin pqa -a` lists queues";
		ow_doctor_say(doc, &f);
		return;
	}
	mq_unlink(name);
	e = try_events(mq, EPOLLIN | EPOLLEXCLUSIVE);
	f.found = e == 0 ? "made, waited on, removed" : strerror(e);
	f.meaning = e == 0 ? "one message wakes one server (EPOLLEXCLUSIVE)"
			   : "the kernel refuses EPOLLEXCLUSIVE (Linux 4.5 "
			     "has it)";
	f.grade = e == 0 ? OW_DOCTOR_OK : OW_DOCTOR_FAIL;
	if (e == 0 && small) {
		f.grade = OW_DOCTOR_WARN;
		f.found = "only the smallest can be made";
		f.meaning = "the limits on queues are nearly used up";
		f.cure = "see the lines above; NDRX_TRANSPORT=shm needs none";
	}
	ow_doctor_say(doc, &f);
	check_wake_ups(doc, mq);
	mq_close(mq);
}

/* The transport of the running domain, else that of the environment. */
static void say_transport(struct ow_doctor *doc)
{
	struct ow_doctor_finding f = { .what = "transport" };
	struct ow_domain d = doc->env;
	char path[160], step[OW_STEP_MAX + 64];

	if (!doc->env_good)
		return;
	ow_domain_shm_path(&d, "tables", path, sizeof(path));
	if (ow_domain_enter(&d, false) == 0 &&
	    ow_tables_open(path, false, &d.tables) == 0) {
		ow_domain_learn(&d);
		d.tables = ow_tables_close(d.tables);
	}
	f.found = d.transport->name;
	f.meaning = d.transport->about;
	if (ow_observer_step(step, sizeof(step)))
		f.meaning = step;
	ow_doctor_say(doc, &f);
}

void ow_doctor_kernel(struct ow_doctor *doc)
{
	struct ow_doctor_finding f = { .what = "kernel" };
	struct utsname u;

	if (uname(&u) == 0) {
		f.found = u.release;
		f.meaning = "the next lines tell what it can do with POSIX "
			    "message queues";
		ow_doctor_say(doc, &f);
	}
	say_transport(doc);
	if (doc->env_good && doc->env.wake == OW_WAKE_HERD)
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_WARN, .what = "NDRX_WAKE",
			.found = "herd",
			.meaning = "each message wakes every idle server: "
				   "slow, meant for comparisons",
			.cure = "unset NDRX_WAKE" });
	check_queue(doc);
}
