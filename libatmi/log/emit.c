/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - one line of the debug log: which logger takes it, and its ids
 *
 * Runs in any thread, without a lock. log/line.c makes the line, log/file.c
 * appends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/log/line.h"
#include "libatmi/log/own.h"
#include "libatmi/log/process.h"

static __thread long t_context;
static __thread const uint8_t *t_span, *t_trace;

/* Letter by facility, and by who logs: request, thread, process. */
static const struct {
	char letter[OW_LOG_OWN_KINDS + 1];
	char module[5];
} facs[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = { .letter = { 'm', 'n', 'N' }, .module = "NDRX" },
	[OW_LOG_UBF] = { .letter = { 'v', 'u', 'U' }, .module = "UBF" },
	[OW_LOG_TP] = { .letter = { 'R', 'T', 't' }, .module = "USER" },
};

void ow_log_set_context(long number)
{
	t_context = number;
}

void ow_log_bind_request(const uint8_t *span, const uint8_t *trace)
{
	t_span = span;
	t_trace = trace;
}

/* ---- Files of threads (threaded=y) ---- */

/* 0: the main thread; the others by their first line. */
static unsigned int thread_number(void)
{
	static atomic_uint last;
	static __thread unsigned int t_number;
	static __thread bool t_known;

	if (!t_known && syscall(SYS_gettid) != getpid())
		t_number = atomic_fetch_add(&last, 1) + 1;
	t_known = true;
	return t_number;
}

/* NAME.<n>[.ext] of the process's file; "": that is no file of its own. */
static void thread_path(const char *path, unsigned int number, char *buf,
			size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *ext = strrchr(slash != NULL ? slash : path, '.');
	int stem = (int)(ext != NULL ? (size_t)(ext - path) : strlen(path));

	buf[0] = '\0';
	if (path[0] != '\0' && strncmp(path, "/dev/", 5) != 0)
		snprintf(buf, size, "%.*s.%u%s", stem, path, number,
			 ext != NULL ? ext : "");
}

/* Give this thread its file after the present configuration, or take it. */
static void split(uint32_t generation, bool per_thread)
{
	struct ow_log_own *own = ow_log_own_need(OW_LOG_THREAD);
	char whole[OW_LOG_PATH], path[OW_LOG_PATH + 16] = "";

	if (own == NULL || !ow_log_process_path(whole, sizeof(whole)))
		return; /* once more with the next line */
	if (per_thread)
		thread_path(whole, thread_number(), path, sizeof(path));
	own->split = generation;
	if (own->has_file && strcmp(own->file.path, path) == 0)
		return;
	ow_log_file_close(&own->file);
	own->has_file = path[0] != '\0' &&
			ow_log_file_open(&own->file, path, true) == 0;
}

static void follow_process(const struct ow_log_process *p)
{
	const struct ow_log_own *own = ow_log_own_get(OW_LOG_THREAD);
	bool per_thread = atomic_load_explicit(&p->per_thread,
					       memory_order_relaxed);
	uint32_t now = atomic_load_explicit(&p->generation,
					    memory_order_relaxed);

	if (!per_thread && (own == NULL || own->split == 0))
		return;
	if (own != NULL && (own->split == now ||
			    (own->split == 0 && own->has_file)))
		return;
	if (thread_number() != 0)
		split(now, per_thread);
}

/* ---- One line ---- */

/* Who writes: the logger that is in force for this thread. */
struct writer {
	struct ow_log_file *file;
	char letter;
	char module[5];
};

/* False: the line's level is above that of the thread's own logger. */
static bool choose_writer(enum ow_log_fac fac, int lev, struct writer *ret)
{
	struct ow_log_process *p = ow_log_process();
	uint64_t module = atomic_load_explicit(&p->module,
					       memory_order_relaxed);
	int kind;

	follow_process(p);
	ret->file = &p->file;
	memcpy(ret->module, module != 0 ? (char *)&module : facs[fac].module,
	       sizeof(ret->module));
	for (kind = 0; kind < OW_LOG_OWN_KINDS; kind++) {
		struct ow_log_own *own;

		own = ow_log_own_get((enum ow_log_own_kind)kind);
		if (own == NULL || (!own->has_file && own->level[fac] < 0))
			continue;
		if (own->level[fac] >= 0 && lev > own->level[fac])
			return false;
		if (own->has_file)
			ret->file = &own->file;
		if (own->module[0] != '\0')
			memcpy(ret->module, own->module, sizeof(ret->module));
		if (own->split != 0)
			kind = OW_LOG_OWN_KINDS;
		break;
	}
	ret->letter = facs[fac].letter[kind];
	return true;
}

int ow_log_dup(enum ow_log_fac fac)
{
	struct writer w;
	int fd;

	ow_log_start();
	choose_writer(fac, 0, &w);
	fd = atomic_load_explicit(&w.file->fd, memory_order_relaxed);
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : fd;
}

/* A new second has begun since this thread's last line. */
static bool is_later(uint64_t real_ns)
{
	static __thread uint64_t t_sec;
	uint64_t sec = real_ns / OW_NS_PER_SEC;
	bool later = sec != t_sec;

	t_sec = sec;
	return later;
}

void ow_log_emit(enum ow_log_fac fac, int lev, const char *file, long line,
		 const char *func, const char *text)
{
	struct ow_log_line l = { .real_ns = ow_clock_real_ns(),
				 .program = ow_log_progname(),
				 .lev = lev,
				 .context = t_context,
				 .func = func,
				 .file = file,
				 .line = line,
				 .span = t_span,
				 .trace = t_trace,
				 .text = text };
	char buf[OW_LOG_LINE];
	struct writer w;
	size_t len;

	if (is_later(l.real_ns))
		ow_log_look(ow_clock_mono_ns());
	if (!choose_writer(fac, lev, &w))
		return;
	l.letter = w.letter;
	l.module = w.module;
	len = atomic_load_explicit(&ow_log_process()->json, memory_order_relaxed)
		  ? ow_log_line_json(&l, buf, sizeof(buf))
		  : ow_log_line_text(&l, buf, sizeof(buf));
	ow_log_file_write(w.file, buf, len);
}

void ow_ndebug_write(int fac, int lev, const char *file, long line,
		     const char *func, const char *fmt, ...)
{
	char text[OW_LOG_LINE];
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ow_log_emit((enum ow_log_fac)fac, lev, file, line, func, text);
	errno = saved;
}
