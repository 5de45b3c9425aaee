/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last.c - transactions whose last resource decides
 */
#include "servers/tmsrv/last.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userlog.h>

#include "servers/tmsrv/begin.h"
#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/work.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/driver.h"
#include "libatmi/xa/rm.h"

#define LOOK_NS	   (300 * OW_NS_PER_MS)
#define FAILED_NS  (2 * OW_NS_PER_SEC) /* the database is away */
#define WORD_SIZE  24 /* of a branch, as text */
#define GTRID_TRAN 8  /* where its number begins */
#define IDENTITY_TEXT 17 /* of a log */
#define MARK_TEXT     (IDENTITY_TEXT + 18) /* with a life and a newline */
/* Another node may ask about any number of an earlier life. */
#define ASKED_MOST   1024 /* in one look; the others are asked for later */
#define ABORTED_MOST 8192 /* remembered; the database knows the others */

struct ids {
	uint64_t *at;
	uint32_t n, room;
	uint32_t oldest; /* where the next one goes, once it is full */
};

static struct {
	const struct ow_xa_last *driver;
	uint64_t identity, first;
	uint32_t rmid;
	bool wanted; /* new ones may be given */
	bool used;   /* there may be rows */
	bool marked; /* the database that has them knows this log */
	uint64_t known; /* and this life of its tmsrv; 0: the log alone */
	char file[512]; /* that says all three */
	uint64_t told_ns;
	pthread_mutex_t lock;
	bool read;	 /* the rows of earlier lives are in the table */
	bool working;	 /* a job has the rest */
	uint64_t next_ns;
	struct ids done; /* rows that are not needed any more */
	struct ids asked, aborted; /* of earlier lives */
} s = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void xid_of(uint64_t tran, XID *ret)
{
	ow_tm_xid(s.identity, tran, s.rmid, 0, ret);
}

static bool has_id(const struct ids *ids, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < ids->n; i++)
		if (ids->at[i] == id)
			return true;
	return false;
}

/* Without memory it is left out: whoever needs it asks again, a row that is
 * left is read by the next life. */
static void add_id(struct ids *ids, uint64_t id)
{
	uint32_t room = ids->room == 0 ? 64 : ids->room * 2;
	uint64_t *p;

	if (ids->n == ids->room) {
		p = realloc(ids->at, room * sizeof(*p));
		if (p == NULL)
			return;
		ids->at = p;
		ids->room = room;
	}
	ids->at[ids->n++] = id;
}

/* The same of at most `most`, in place of the oldest. */
static void add_id_of(struct ids *ids, uint64_t id, uint32_t most)
{
	if (ids->n < most)
		add_id(ids, id);
	else
		ids->at[ids->oldest++ % most] = id;
}

/* ---- the start ---- */

/* What the file says of the log, and of the life, that the database knows. */
static void mark_text(uint64_t life, char to[MARK_TEXT])
{
	snprintf(to, MARK_TEXT, "%016" PRIx64 " %016" PRIx64 "\n", s.identity,
		 life);
}

/* An earlier version has written the identity alone. */
static void read_mark(int fd)
{
	char text[MARK_TEXT] = "", known[MARK_TEXT];
	uint64_t life = 0;

	s.marked = false;
	s.known = 0;
	mark_text(0, known);
	if (read(fd, text, sizeof(text) - 1) < IDENTITY_TEXT ||
	    memcmp(text, known, IDENTITY_TEXT - 1) != 0)
		return;
	s.marked = true;
	if (sscanf(text + IDENTITY_TEXT, "%" SCNx64, &life) != 1)
		return;
	mark_text(life, known);
	s.known = strcmp(text, known) == 0 ? life : 0;
}

/* The file says that there may be rows. `make`: it is on disk afterwards. If it
 * has the identity of this log in it the database that has them knows it. */
static int find_mark(const char *folder, const char *name, bool make,
		     bool *ret_is)
{
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, r = 0;
	char file[200];

	if (dir < 0)
		return -errno;
	snprintf(s.file, sizeof(s.file), "%s/%s.last", folder, name);
	snprintf(file, sizeof(file), "%s.last", name);
	fd = openat(dir, file, O_RDONLY | O_CLOEXEC | (make ? O_CREAT : 0),
		    0600);
	if (fd < 0 && errno != ENOENT)
		r = -errno;
	*ret_is = fd >= 0;
	s.marked = false;
	if (fd >= 0)
		read_mark(fd);
	if (make && fd >= 0 && (fsync(fd) != 0 || fsync(dir) != 0))
		r = -errno;
	if (fd >= 0)
		close(fd);
	close(dir);
	return r;
}

int last_begin(const struct tmlog *log, const char *folder, const char *name,
	       char *why, size_t size)
{
	int r;

	s.driver = ow_xa_last();
	s.identity = tmlog_identity(log);
	s.rmid = (uint32_t)ow_xa_config()->rmid;
	s.wanted = ow_xa_config()->last_resource;
	if (s.wanted && (s.driver == NULL || s.rmid == 0)) {
		snprintf(why, size, "NDRX_XA_FLAGS has LASTRESOURCE: this "
			 "resource manager cannot decide");
		return -1;
	}
	r = find_mark(folder, name, s.wanted, &s.used);
	if (r != 0)
		snprintf(why, size, "%s/%s.last: %s", folder, name,
			 strerror(-r));
	else if (s.used && s.driver == NULL) {
		snprintf(why, size, "%s/%s.last: decisions are in a database, "
			 "which this driver does not read", folder, name);
		r = -1;
	}
	if (r == 0 && s.used) {
		s.first = begin_number(); /* of this life */
		if (s.first == 0) {
			snprintf(why, size, "its log has no room");
			r = -1;
		}
	}
	return r == 0 ? 0 : -1;
}

void last_give(struct tran *t, struct branch *b, struct ow_tm *m)
{
	uint64_t now = ow_clock_mono_ns();
	bool ready;

	if ((m->flags & OW_TM_MAY_BE_LAST) == 0 || m->rmid != s.rmid || t->sup.node != 0 || last_of(t) != NULL ||
	    now >= t->deadline_ns)
		return;
	pthread_mutex_lock(&s.lock);
	ready = s.wanted && s.read;
	pthread_mutex_unlock(&s.lock);
	if (!ready)
		return;
	b->last = true;
	m->flags |= OW_TM_IS_LAST;
	m->timeout_ms = (t->deadline_ns - now) / OW_NS_PER_MS + 1;
}

struct branch *last_of(struct tran *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++)
		if (t->branches[i].last)
			return &t->branches[i];
	return NULL;
}

/* ---- its end ---- */

int last_do(const struct ow_tm *m)
{
	int r = XAER_PROTO;
	XID x;

	ow_tm_xid(m->identity, m->tran, m->rmid, m->branch, &x);
	if (m->op == OW_TM_BRANCH_COMMIT_ONE)
		r = s.driver->commit(&x, NULL);
	else if (m->op == OW_TM_BRANCH_ROLLBACK)
		r = s.driver->rollback(&x);
	return r == XA_RETRY ? OW_TM_NOT_SENT : r;
}

static int ask_outcome(void *arg)
{
	return s.driver->outcome(arg);
}

enum last_result last_outcome(uint64_t tran)
{
	XID x;
	int r;

	xid_of(tran, &x);
	r = work_with_rm(ask_outcome, &x);
	return r == XA_OK	    ? LAST_COMMITTED
	       : r == XA_RBROLLBACK ? LAST_ROLLED_BACK
				    : LAST_UNKNOWN;
}

static char *text_of(const struct tmlog_branch *words, uint32_t n)
{
	char *text = malloc((size_t)n * WORD_SIZE + 1);
	size_t at = 0;
	uint32_t i;

	for (i = 0; text != NULL && i < n; i++)
		at += (size_t)sprintf(text + at, "%" PRIu32 ":%" PRIu32 " ",
				      words[i].rmid, words[i].branch);
	if (text != NULL)
		text[at] = '\0';
	return text;
}

enum last_result last_decide(const struct tran *t, const struct branch *b,
			     const struct tmlog_branch *words, uint32_t n)
{
	char *text = text_of(words, n);
	int r = XA_RETRY;
	XID x;

	ow_tm_xid(s.identity, t->id, b->rmid, b->number, &x);
	if (text != NULL)
		r = s.driver->commit(&x, text);
	free(text);
	if (r == XA_OK)
		return LAST_COMMITTED;
	if (r == XA_RDONLY)
		return LAST_READ_ONLY;
	if (r == XA_RETRY)
		return LAST_NOT_ASKED;
	if (r != XAER_RMFAIL)
		return LAST_ROLLED_BACK;
	log_warn("transaction %016" PRIx64 ": its last resource does not "
		 "answer: its database is asked", t->id);
	return last_outcome(t->id);
}

void last_done(uint64_t tran)
{
	pthread_mutex_lock(&s.lock);
	add_id(&s.done, tran);
	pthread_mutex_unlock(&s.lock);
}

/* ---- earlier lives ---- */

bool last_may_have(uint64_t tran)
{
	bool may = false;

	if (!s.used || tran >= s.first)
		return false;
	pthread_mutex_lock(&s.lock);
	may = !has_id(&s.aborted, tran);
	if (may && s.asked.n < ASKED_MOST && !has_id(&s.asked, tran))
		add_id(&s.asked, tran);
	pthread_mutex_unlock(&s.lock);
	return may;
}

/* All of them, or false: a branch that is left out would be rolled back as
 * soon as the row is gone. */
static bool read_words(struct tran *t, const char *words)
{
	uint32_t n = 0, at = 0, used = 1, room = 0;
	struct tmlog_branch *list = NULL, *p, w;
	int skip = 0;

	while (sscanf(words, "%" SCNu32 ":%" SCNu32 " %n", &w.rmid, &w.branch,
		      &skip) == 2) {
		if (n == room) {
			room = room == 0 ? 16 : room * 2;
			p = realloc(list, room * sizeof(*list));
			if (p == NULL) {
				free(list);
				return false;
			}
			list = p;
		}
		list[n++] = w;
		words += skip;
	}
	if (*words != '\0')
		used = 0; /* not words of ours */
	while (at < n && used > 0) {
		used = superior_read(t, list + at, n - at);
		at += used;
	}
	free(list);
	return used > 0;
}

static bool begin_row(struct tran *t, const char *words)
{
	if (!read_words(t, words)) {
		log_error("transaction %016" PRIx64 ": its row in the database "
			  "cannot be read", t->id);
		table_remove(t);
		return false;
	}
	t->row = t->commits = true;
	t->state = TRAN_COMMITTING;
	t->tries = 1;
	return true;
}

/* A decision of an earlier life: its branches are committed, once more
 * perhaps. What cannot be read is read again: nothing is presumed until then. */
static void found_row(const XID *row, const char *words, void *arg)
{
	bool *all = arg;
	struct ow_tm m;
	struct tran *t;
	XID x = *row;

	x.formatID = OW_TM_FORMATID;
	x.bqual_length = OW_TM_BQUAL;
	if (!ow_tm_read_xid(&x, &m) || m.tran >= s.first)
		return;
	table_lock();
	t = table_find(m.tran);
	if (t != NULL) {
		t->row = true;
	} else {
		t = table_add(m.tran, 0, ow_clock_mono_ns());
		*all &= t != NULL && begin_row(t, words);
	}
	table_unlock();
}

/* The driver has told why. */
static void stop_giving(void)
{
	pthread_mutex_lock(&s.lock);
	if (s.wanted)
		log_error("resource manager %" PRIu32 " cannot be the last "
			  "resource: its branches are prepared", s.rmid);
	s.wanted = false;
	pthread_mutex_unlock(&s.lock);
}

/* From now on another database is not believed. */
static int mark(void)
{
	int fd = open(s.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	char text[MARK_TEXT];
	int r = XA_OK;

	mark_text(s.first, text);
	errno = 0;
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    fsync(fd) != 0) {
		log_error("%s: %s", s.file,
			  strerror(errno != 0 ? errno : ENOSPC));
		r = XAER_RMERR;
	}
	if (fd >= 0)
		close(fd);
	s.marked |= r == XA_OK;
	s.known = r == XA_OK ? s.first : s.known;
	return r;
}

static void tell_foreign(void)
{
	uint64_t now = ow_clock_mono_ns();

	if (now < s.told_ns)
		return;
	s.told_ns = now + 60 * OW_NS_PER_SEC;
	userlog((char *)"tmsrv: the database of NDRX_XA_OPEN_STR does not know "
		"this log (onewake.log), or not its last life, as an older copy "
		"does not: decisions are in another one. Nothing is presumed of "
		"transactions that may have been decided there. Give it again; "
		"or, if none of them is in doubt any more, stop the tmsrv and "
		"remove %s", s.file);
}

static int open_rows(XID *x)
{
	const struct ow_xa_life life = { .make = !s.marked,
					 .was = s.known,
					 .is = s.first };
	int r = s.driver->open(x, &life);

	if (r == XA_RDONLY) {
		stop_giving();
		r = XA_OK;
	}
	if (r == XAER_NOTA)
		tell_foreign();
	return r == XA_OK && s.known != s.first ? mark() : r;
}

static int read_rows(void *arg)
{
	XID x;
	int r;

	xid_of(0, &x);
	r = open_rows(&x);
	return r == XA_OK ? s.driver->each(&x, found_row, arg) : r;
}

/* ---- the database ---- */

static struct ids take_ids(struct ids *from)
{
	struct ids ids;

	pthread_mutex_lock(&s.lock);
	ids = *from;
	*from = (struct ids){ .n = 0 };
	pthread_mutex_unlock(&s.lock);
	return ids;
}

static int forget_rows(void *arg)
{
	struct ids *ids = arg;
	XID *rows = calloc(ids->n, sizeof(*rows));
	uint32_t i;
	int r;

	if (rows == NULL)
		return XAER_RMERR;
	for (i = 0; i < ids->n; i++)
		xid_of(ids->at[i], &rows[i]);
	r = s.driver->forget(rows, (int)ids->n);
	free(rows);
	return r;
}

static void forget_done(void)
{
	struct ids ids = take_ids(&s.done);
	uint32_t i;

	if (ids.n > 0 && ow_rm_with(forget_rows, &ids) != XA_OK)
		for (i = 0; i < ids.n; i++)
			last_done(ids.at[i]);
	free(ids.at);
}

/* True: some row has appeared meanwhile. */
static bool settle_asked(void)
{
	struct ids ids = take_ids(&s.asked);
	enum last_result r;
	bool more = false;
	uint32_t i;

	for (i = 0; i < ids.n; i++) {
		r = last_outcome(ids.at[i]);
		more |= r == LAST_COMMITTED;
		if (r != LAST_ROLLED_BACK)
			continue;
		pthread_mutex_lock(&s.lock);
		add_id_of(&s.aborted, ids.at[i], ABORTED_MOST);
		pthread_mutex_unlock(&s.lock);
	}
	free(ids.at);
	return more;
}

static void work(struct job *j)
{
	bool read, all = true;

	(void)j;
	forget_done();
	pthread_mutex_lock(&s.lock);
	read = s.read;
	pthread_mutex_unlock(&s.lock);
	if (read) /* else the database may be another one */
		read = !settle_asked();
	if (!read)
		read = ow_rm_with(read_rows, &all) == XA_OK && all;
	pthread_mutex_lock(&s.lock);
	s.read = read;
	s.working = false;
	if (!read)
		s.next_ns = ow_clock_mono_ns() + FAILED_NS;
	pthread_mutex_unlock(&s.lock);
}

void last_look(uint64_t now)
{
	struct job *j = NULL;

	if (!s.used)
		return;
	pthread_mutex_lock(&s.lock);
	if (!s.working && now >= s.next_ns &&
	    (!s.read || s.asked.n > 0 || s.done.n > 0))
		j = work_new(work, NULL);
	if (j != NULL) {
		s.working = true;
		s.next_ns = now + LOOK_NS;
	}
	pthread_mutex_unlock(&s.lock);
	if (j != NULL)
		work_add(POOL_BRANCHES, j);
}
