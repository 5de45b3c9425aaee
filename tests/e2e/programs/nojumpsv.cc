/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nojumpsv.cc - a server whose services return: ATMI_SRVLIB_NOLONGJUMP
 *
 * As bindings of languages are: a frame of C++ that has something to clean up
 * stands in each service. Services: RETURN, FORWARD (to RETURN), BOTH, FORTH
 * (the other way round), NEITHER, CAUGHT, AFTER, ESCAPES throw, LINGER goes on
 * behind its reply, LATER is answered by another thread, WHO sleeps and says its thread, COUNTS says how many frames
 * were cleaned up, how many calls returned, how many were refused.
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include <atmi.h>
#include <tpbind.h>

namespace {

std::atomic<long> cleaned, came_back, refused;

struct frame {
	~frame() { cleaned++; }
};

char *text(const std::string &s)
{
	char *b = tpalloc(const_cast<char *>("STRING"), nullptr,
			  static_cast<long>(s.size()) + 1);

	strcpy(b, s.c_str());
	return b;
}

void answer(int rval, long rcode, const std::string &s)
{
	tpreturn(rval, rcode, text(s), 0, 0);
	came_back++;
}

std::string said(const TPSVCINFO *s)
{
	return s->data != nullptr ? s->data : "";
}

void forward(TPSVCINFO *s)
{
	tpforward(const_cast<char *>("RETURN"), s->data, 0, 0);
	came_back++;
}

void svc_return(TPSVCINFO *s)
{
	frame f;

	answer(TPSUCCESS, 5, said(s) + " returned");
}

void svc_forward(TPSVCINFO *s)
{
	frame f;

	forward(s);
}

void svc_both(TPSVCINFO *s)
{
	frame f;

	answer(TPSUCCESS, 6, "first");
	tpforward(const_cast<char *>("RETURN"), nullptr, 0, 0);
	refused += tperrno == TPEPROTO;
	tpreturn(TPFAIL, 7, nullptr, 0, 0);
	refused += tperrno == TPEPROTO;
}

void svc_forth(TPSVCINFO *s)
{
	frame f;

	forward(s);
	tpreturn(TPFAIL, 7, nullptr, 0, 0);
	refused += tperrno == TPEPROTO;
}

void svc_neither(TPSVCINFO *)
{
	frame f;
}

void svc_caught(TPSVCINFO *s)
{
	try {
		frame f;

		throw std::runtime_error(said(s));
	} catch (const std::exception &e) {
		answer(TPFAIL, 8, std::string(e.what()) + " caught");
	}
}

/* The caller has its reply, and the service goes on for so many ms. */
void svc_linger(TPSVCINFO *s)
{
	const std::string ms = said(s);
	frame f;

	answer(TPSUCCESS, 0, ms);
	usleep(static_cast<useconds_t>(atoi(ms.c_str())) * 1000);
}

/* What is thrown behind the answer changes nothing of it. */
void svc_after(TPSVCINFO *s)
{
	try {
		frame f;

		answer(TPSUCCESS, 9, said(s));
		throw 1;
	} catch (int) {
	}
}

void svc_escapes(TPSVCINFO *)
{
	throw std::runtime_error("nobody catches this");
}

void svc_who(TPSVCINFO *s)
{
	frame f;

	usleep(static_cast<useconds_t>(atoi(s->data)) * 1000);
	answer(TPSUCCESS, 0, std::to_string(syscall(SYS_gettid)));
}

void svc_counts(TPSVCINFO *)
{
	answer(TPSUCCESS, 0, std::to_string(cleaned) + " " +
				 std::to_string(came_back) + " " +
				 std::to_string(refused));
}

/* ---- answered by another thread ---- */

std::mutex lock;
std::condition_variable more;
std::deque<char *> waiting;
bool over;

void work()
{
	std::unique_lock<std::mutex> held(lock);

	for (;;) {
		more.wait(held, [] { return over || !waiting.empty(); });
		if (waiting.empty())
			return;
		char *data = waiting.front();

		waiting.pop_front();
		held.unlock();
		if (tpsrvsetctxdata(data, 0) == 0) {
			frame f;

			answer(TPSUCCESS, 10, "later");
		}
		tpsrvfreectxdata(data);
		held.lock();
	}
}

void svc_later(TPSVCINFO *)
{
	frame f;
	char *data = tpsrvgetctxdata();

	if (data == nullptr) {
		answer(TPFAIL, tperrno, "");
		return;
	}
	std::lock_guard<std::mutex> held(lock);

	waiting.push_back(data);
	more.notify_one();
	tpcontinue();
	came_back++;
}

std::thread worker;

int init(int, char **)
{
	worker = std::thread(work);
	return tpadvertise("RETURN", svc_return) != 0 ||
		       tpadvertise("FORWARD", svc_forward) != 0 ||
		       tpadvertise("BOTH", svc_both) != 0 ||
		       tpadvertise("FORTH", svc_forth) != 0 ||
		       tpadvertise("NEITHER", svc_neither) != 0 ||
		       tpadvertise("CAUGHT", svc_caught) != 0 ||
		       tpadvertise("AFTER", svc_after) != 0 ||
		       tpadvertise("LINGER", svc_linger) != 0 ||
		       tpadvertise("ESCAPES", svc_escapes) != 0 ||
		       tpadvertise("WHO", svc_who) != 0 ||
		       tpadvertise("COUNTS", svc_counts) != 0 ||
		       tpadvertise("LATER", svc_later) != 0
		   ? -1
		   : 0;
}

void done()
{
	{
		std::lock_guard<std::mutex> held(lock);

		over = true;
	}
	more.notify_all();
	worker.join();
}

}

/* With dispatch threads: as tprunserver() has it, which takes the same way. */
int main(int argc, char **argv)
{
	struct tpserver server = {};

	if (getenv("NDRX_MINDISPATCHTHREADS") != nullptr) {
		server.init = [](int n, char **words, void *) {
			return init(n, words);
		};
		server.done = [](void *) { done(); };
		server.flags = TPSERVER_THREADS;
		return tprunserver(argc, argv, &server);
	}
	return ndrx_main_integra(argc, argv, init, done,
				 ATMI_SRVLIB_NOLONGJUMP);
}
