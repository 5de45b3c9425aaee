/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - write one line of the debug log
 *
 * Chooses the logger in force for the thread and adds the ids of its request.
 * Runs in any thread, without a lock; of a thread that must not write now the
 * line is kept (log/hold.h). log/line.c formats the line, log/file.c appends
 * it.
 */
#include "libatmi/log/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/tls.h"
#include "libatmi/log/hold.h"
#include "libatmi/log/line.h"
#include "libatmi/log/log.h"
#include "libatmi/log/own.h"
#include "libatmi/log/process.h"

static OW_TLS_FAST long t_context;
static OW_TLS_FAST const uint8_t *t_span, *t_trace;

/* Letter by facility and by logger: request, thread, process. */
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

/* ---- files of threads (threaded=y) ---- */

/* 0: the main thread. Others are numbered in the order of their first
 * lines. */
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

static bool is_device(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 &&
	       strncmp(path, "/dev/shm/", 9) != 0;
}

/* NAME.<n>[.ext] after the process's file `path`; "": the process writes to
 * standard error or a device, and so does the thread. */
static void thread_path(const char *path, unsigned int number, char *buf,
			size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *ext = strrchr(slash != NULL ? slash : path, '.');
	int stem = (int)(ext != NULL ? (size_t)(ext - path) : strlen(path));

	buf[0] = '\0';
	if (path[0] != '\0' && !is_device(path))
		snprintf(buf, size, "%.*s.%u%s", stem, path, number,
			 ext != NULL ? ext : "");
}

/* Open this thread's file as configuration `generation` wants it, or close
 * it. */
static void change_thread_file(uint32_t generation, bool per_thread)
{
	struct ow_log_own *own = ow_log_own_need(OW_LOG_THREAD);
	char process_path[OW_LOG_PATH], path[OW_LOG_PATH + 16] = "";

	if (own == NULL ||
	    !ow_log_process_path(process_path, sizeof(process_path)))
		return; /* tried again with the next line */
	if (per_thread)
		thread_path(process_path, thread_number(), path, sizeof(path));
	own->file_generation = generation;
	if (own->has_file && strcmp(own->file.path, path) == 0)
		return;
	ow_log_file_close(&own->file);
	own->has_file = path[0] != '\0' &&
			ow_log_file_open(&own->file, path, true) == 0;
}

/* Bring this thread's file in line with the process's configuration. A file
 * that the program has chosen stays. */
static void follow_process(const struct ow_log_process *p)
{
	const struct ow_log_own *own = ow_log_own_get(OW_LOG_THREAD);
	bool per_thread = ow_load_relaxed(&p->per_thread);
	uint32_t now = ow_load_relaxed(&p->generation);

	if (!per_thread && (own == NULL || own->file_generation == 0))
		return;
	if (own != NULL && (own->file_generation == now ||
			    (own->file_generation == 0 && own->has_file)))
		return;
	if (thread_number() != 0)
		change_thread_file(now, per_thread);
}

/* ---- one line ---- */

/* The logger in force for this thread. */
struct writer {
	struct ow_log_file *file;
	char letter;
	char module[5];
};

/* False: the line's level is above that of the thread's own logger. */
static bool choose_writer(enum ow_log_fac fac, int lev, struct writer *ret)
{
	struct ow_log_process *p = ow_log_process();
	uint64_t module = ow_load_relaxed(&p->module);
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
		if (own->file_generation != 0)
			kind = OW_LOG_OWN_KINDS; /* the process's letter */
		break;
	}
	ret->letter = facs[fac].letter[kind];
	return true;
}

int ow_log_dup(enum ow_log_fac fac)
{
	struct writer w;

	ow_log_start();
	choose_writer(fac, 0, &w);
	return ow_log_file_dup(w.file);
}

/* Format the line as the process's configuration says. Returns its length. */
static size_t format(const struct ow_log_entry *e, const struct writer *w,
		     char *buf, size_t size)
{
	const struct ow_log_line l = { .real_ns = e->real_ns,
				       .program = ow_log_progname(),
				       .lev = e->lev,
				       .context = t_context,
				       .func = e->func,
				       .file = e->file,
				       .line = e->line,
				       .span = t_span,
				       .trace = t_trace,
				       .text = e->text,
				       .letter = w->letter,
				       .module = w->module };

	return ow_load_relaxed(&ow_log_process()->json)
		   ? ow_log_line_json(&l, buf, size)
		   : ow_log_line_text(&l, buf, size);
}

static void put(const struct ow_log_entry *e)
{
	static __thread uint64_t t_second; /* of this thread's last line */
	char buf[OW_LOG_LINE];
	struct writer w;

	if (t_second != e->real_ns / OW_NS_PER_SEC) {
		t_second = e->real_ns / OW_NS_PER_SEC;
		ow_log_look(ow_clock_mono_ns());
	}
	if (choose_writer(e->fac, e->lev, &w))
		ow_log_file_write(w.file, buf, format(e, &w, buf, sizeof(buf)));
}

void ow_log_emit(enum ow_log_fac fac, int lev, const char *file, long line,
		 const char *func, const char *text)
{
	const struct ow_log_entry e = { .real_ns = ow_clock_real_ns(),
					.fac = fac,
					.lev = lev,
					.file = file,
					.func = func,
					.line = line,
					.text = text };

	if (!ow_log_keep(&e))
		put(&e);
}

void ow_log_release(void)
{
	const struct ow_log_entry *kept;
	unsigned int i, n = ow_log_let_go(&kept);

	for (i = 0; i < n && i < OW_LOG_HELD; i++)
		put(&kept[i]);
	if (n > OW_LOG_HELD)
		log_warn("log: %u more lines were logged under a lock",
			 n - OW_LOG_HELD);
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
