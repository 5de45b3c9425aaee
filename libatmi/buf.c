/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.c - the registry of typed buffers, and how their contents travel
 *
 * The descriptor lies in front of the user's bytes in one allocation and is
 * linked into one of several hash tables by the user's pointer.
 */
#include "libatmi/buf.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

#define HASH_FUNCTION(key, len, hashv)                                       \
	do {                                                                 \
		uintptr_t hf_;                                               \
		memcpy(&hf_, (key), sizeof(hf_));                            \
		(hashv) = (unsigned int)((hf_ >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32); \
	} while (0)
#define HASH_NONFATAL_OOM 1
#include <ubf.h>
#include <uthash.h>

#include "libatmi/tls.h"
#include "libubf/check.h"

#define SHARDS 16

struct buf {
	UT_hash_handle hh;
	char *key; /* = data, what the hash is over */
	size_t size;
	const struct ow_view *view; /* of a VIEW, else NULL */
	uint8_t type, row;
	_Alignas(16) char data[];
};

struct shard {
	pthread_mutex_t lock;
	struct buf *head;
} __attribute__((aligned(64)));

static struct shard shards[SHARDS] = {
	[0 ... SHARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

/* The buffer that came with the request this thread serves. It follows the
 * buffer through tprealloc() and forgets it when it is freed. */
static OW_TLS_FAST char *auto_data;

/* Names by which buffers are allocated. Row order is row number. */
static const struct {
	const char *name, *alias;
	enum ow_buf_type type;
} rows[] = {
	{ "UBF", "FML", OW_BUF_UBF },
	{ "UBF32", "FML32", OW_BUF_UBF },
	{ "TPINIT", NULL, OW_BUF_TPINIT },
	{ "NULL", NULL, OW_BUF_NULL },
	{ "STRING", NULL, OW_BUF_STRING },
	{ "CARRAY", "X_OCTET", OW_BUF_CARRAY },
	{ "JSON", NULL, OW_BUF_JSON },
	{ "VIEW", "VIEW32", OW_BUF_VIEW },
};
#define NROWS ((int)(sizeof(rows) / sizeof(rows[0])))

int ow_buf_type_find(const char *name, int *ret_row)
{
	int i;

	for (i = 0; i < NROWS; i++) {
		if (strcmp(rows[i].name, name) == 0 ||
		    (rows[i].alias != NULL &&
		     strcmp(rows[i].alias, name) == 0)) {
			*ret_row = i;
			return (int)rows[i].type;
		}
	}
	return -1;
}

static int default_row(enum ow_buf_type type)
{
	int i;

	for (i = 0; i < NROWS; i++)
		if (rows[i].type == type)
			return i;
	return -1;
}

static struct shard *shard_of(const char *data)
{
	return &shards[((uintptr_t)data >> 4) * UINT64_C(0x9e3779b97f4a7c15) >>
		       60];
}

/* A process with one thread, as most servers are, needs no lock. */
static void lock(struct shard *s)
{
	if (!__libc_single_threaded)
		pthread_mutex_lock(&s->lock);
}

static void unlock(struct shard *s)
{
	if (!__libc_single_threaded)
		pthread_mutex_unlock(&s->lock);
}

/* An entry that stays: uthash gives its table back with the last one, and a
 * server has one buffer at a time. */
static void anchor(struct shard *s)
{
	struct buf *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return;
	b->key = (char *)b;
	HASH_ADD_PTR(s->head, key, b);
	if (b->hh.tbl == NULL)
		free(b);
}

/* False: no memory for the table. */
static bool enter(struct buf *b)
{
	struct shard *s = shard_of(b->data);

	b->key = b->data;
	lock(s);
	if (s->head == NULL)
		anchor(s);
	HASH_ADD_PTR(s->head, key, b);
	unlock(s);
	return b->hh.tbl != NULL;
}

/* A child forked while another thread is in here finds the locks free and
 * the tables whole. */
static void lock_all(void)
{
	int i;

	for (i = 0; i < SHARDS; i++)
		pthread_mutex_lock(&shards[i].lock);
}

static void unlock_all(void)
{
	int i;

	for (i = 0; i < SHARDS; i++)
		pthread_mutex_unlock(&shards[i].lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

static struct buf *look_up(const char *data)
{
	struct shard *s = shard_of(data);
	struct buf *b;

	lock(s);
	HASH_FIND_PTR(s->head, &data, b);
	unlock(s);
	return b;
}

/* Take `data` out of the registry: whoever gets it, owns it. */
static struct buf *leave(const char *data)
{
	struct shard *s = shard_of(data);
	struct buf *b;

	lock(s);
	HASH_FIND_PTR(s->head, &data, b);
	if (b != NULL)
		HASH_DEL(s->head, b);
	unlock(s);
	return b;
}

static size_t size_min(enum ow_buf_type type)
{
	return type == OW_BUF_UBF || type == OW_BUF_VIEW ? OW_BUF_SIZE_MIN_UBF
							 : OW_BUF_SIZE_MIN;
}

/* A registered buffer without contents. */
static struct buf *new_raw(enum ow_buf_type type, int row, size_t size)
{
	struct buf *b;

	if (size < size_min(type))
		size = size_min(type);
	if (size > (size_t)PTRDIFF_MAX - sizeof(*b))
		return NULL;
	b = malloc(sizeof(*b) + size);
	if (b == NULL)
		return NULL;
	b->size = size;
	b->view = NULL;
	b->type = (uint8_t)type;
	b->row = (uint8_t)(row >= 0 ? row : default_row(type));
	if (!enter(b)) {
		free(b);
		return NULL;
	}
	return b;
}

char *ow_buf_new(enum ow_buf_type type, int row, size_t size)
{
	struct buf *b = new_raw(type, row, size);

	if (b == NULL)
		return NULL;
	if (type == OW_BUF_UBF && ow_ubf_init(b->data, b->size) != 0) {
		ow_buf_free(b->data);
		return NULL;
	}
	if (type == OW_BUF_TPINIT)
		memset(b->data, 0, b->size);
	else if (type != OW_BUF_UBF)
		b->data[0] = '\0';
	return b->data;
}

char *ow_buf_new_view(const struct ow_view *view, size_t size)
{
	size_t least = ow_view_size(view);
	struct buf *b = new_raw(OW_BUF_VIEW, -1, size > least ? size : least);

	if (b == NULL)
		return NULL;
	b->view = view;
	memset(b->data, 0, b->size);
	ow_view_init(view, b->data);
	return b->data;
}

/* What lies in the buffer needs more than `size` bytes. */
static bool too_small(struct buf *b, size_t size)
{
	if (size >= b->size)
		return false;
	if (b->type == OW_BUF_VIEW)
		return b->view == NULL || size < ow_view_size(b->view);
	return b->type == OW_BUF_UBF && ow_ubf_resize(b->data, size) != 0;
}

char *ow_buf_resize(char *data, size_t size, bool *ret_small)
{
	struct buf *b = leave(data), *n;

	*ret_small = false;
	if (b == NULL)
		return NULL;
	if (size < size_min((enum ow_buf_type)b->type))
		size = size_min((enum ow_buf_type)b->type);
	if (size == b->size) {
		enter(b);
		return data;
	}
	if (too_small(b, size)) {
		*ret_small = true;
		enter(b);
		return NULL;
	}
	n = size > (size_t)PTRDIFF_MAX - sizeof(*b)
		? NULL
		: realloc(b, sizeof(*b) + size);
	if (n == NULL) {
		if (b->type == OW_BUF_UBF)
			(void)ow_ubf_resize(b->data, b->size);
		enter(b);
		return NULL;
	}
	if (n->type == OW_BUF_UBF && size > n->size)
		(void)ow_ubf_resize(n->data, size);
	else if (n->type == OW_BUF_VIEW && size > n->size)
		memset(n->data + n->size, 0, size - n->size);
	n->size = size;
	enter(n);
	if (data == auto_data)
		auto_data = n->data;
	return n->data;
}

int ow_buf_find(const char *data, struct ow_buf_info *ret)
{
	struct buf *b = look_up(data);

	if (b == NULL)
		return -ENOENT;
	ret->type = (enum ow_buf_type)b->type;
	ret->size = b->size;
	ret->is_auto = data == auto_data;
	ret->type_name = rows[b->row].name;
	ret->view = b->view;
	ret->subtype = b->view != NULL ? ow_view_name(b->view) : "";
	return 0;
}

void ow_buf_set_auto(char *data)
{
	auto_data = data;
}

void ow_buf_free_auto(void)
{
	ow_buf_free(auto_data);
	auto_data = NULL;
}

void ow_buf_free(char *data)
{
	if (data == NULL)
		return;
	if (data == auto_data)
		auto_data = NULL;
	free(leave(data));
}

/* ---- travelling ---- */

_Static_assert(NDRX_VIEW_NAME_LEN + 1 + sizeof(uint32_t) <=
		       OW_BUF_SUBTYPE_MAX,
	       "a subtype fits");

static size_t subtype_len(const struct ow_view *view)
{
	return strlen(ow_view_name(view)) + 1 + sizeof(uint32_t);
}

size_t ow_buf_put_subtype(const struct ow_view *view, void *to)
{
	uint32_t cksum = ow_view_cksum(view);
	char *end = stpcpy(to, ow_view_name(view)) + 1;

	memcpy(end, &cksum, sizeof(cksum));
	return subtype_len(view);
}

bool ow_buf_is_view(const void *payload, size_t sub_len,
		    const struct ow_view *view)
{
	uint32_t cksum = ow_view_cksum(view);
	size_t n = subtype_len(view);

	return sub_len == n &&
	       memcmp(payload, ow_view_name(view), n - sizeof(cksum)) == 0 &&
	       memcmp((const char *)payload + n - sizeof(cksum), &cksum,
		      sizeof(cksum)) == 0;
}

int ow_buf_wire_len(const char *data, const struct ow_buf_info *info,
		    long len, size_t *ret_len)
{
	switch (info->type) {
	case OW_BUF_UBF:
		*ret_len = ow_ubf_used(data);
		return *ret_len == 0 || *ret_len > info->size ? -EINVAL : 0;
	case OW_BUF_STRING:
	case OW_BUF_JSON:
		*ret_len = strnlen(data, info->size);
		if (*ret_len == info->size)
			return -EINVAL; /* not terminated */
		(*ret_len)++;
		return 0;
	case OW_BUF_CARRAY:
		if (len < 0 || (size_t)len > info->size)
			return -EINVAL;
		*ret_len = (size_t)len;
		return 0;
	case OW_BUF_NULL:
		*ret_len = 0;
		return 0;
	case OW_BUF_VIEW:
		if (info->view == NULL || ow_view_size(info->view) > info->size)
			return -EINVAL;
		*ret_len = subtype_len(info->view) + ow_view_size(info->view);
		return 0;
	default:
		return -EINVAL; /* TPINIT does not travel */
	}
}

static int check_payload(enum ow_buf_type type, const void *p, size_t len)
{
	switch (type) {
	case OW_BUF_UBF:
		return ow_ubf_check(p, len);
	case OW_BUF_STRING:
	case OW_BUF_JSON:
		return len > 0 && memchr(p, '\0', len) ==
					  (const char *)p + len - 1
			   ? 0
			   : -EBADMSG;
	case OW_BUF_CARRAY:
		return 0;
	default:
		return -EBADMSG;
	}
}

/* Make room for `len` bytes of `type` in *data. */
static int make_room(enum ow_buf_type type, size_t len, char **data)
{
	struct ow_buf_info old;
	struct buf *fresh;
	bool small;
	char *p;

	if (*data != NULL && ow_buf_find(*data, &old) == 0 &&
	    old.type == type) {
		if (old.size >= len)
			return 0;
		p = ow_buf_resize(*data, len, &small);
		if (p == NULL)
			return -ENOMEM;
		*data = p;
		return 0;
	}
	fresh = new_raw(type, -1, len);
	if (fresh == NULL)
		return -ENOMEM;
	ow_buf_free(*data);
	*data = fresh->data;
	return 0;
}

int ow_buf_from_wire(enum ow_buf_type type, const void *payload, size_t len,
		     char **data, long *ret_len)
{
	struct ow_buf_info info;
	int r;

	if (type == OW_BUF_NULL) {
		ow_buf_free(*data);
		*data = NULL;
		*ret_len = 0;
		return 0;
	}
	r = check_payload(type, payload, len);
	if (r == 0)
		r = make_room(type, len, data);
	if (r != 0)
		return r;
	memcpy(*data, payload, len);
	*ret_len = (long)len;
	if (type == OW_BUF_UBF && ow_buf_find(*data, &info) == 0)
		ow_ubf_adopt(*data, len, info.size);
	return 0;
}

/* The view that a payload names: 0, -EBADMSG or -EPROTOTYPE. */
static int find_view(const char *payload, size_t len, size_t sub_len,
		     const struct ow_view **ret_view)
{
	const struct ow_view *view;

	if (sub_len <= 1 + sizeof(uint32_t) || sub_len > len ||
	    strnlen(payload, sub_len) != sub_len - 1 - sizeof(uint32_t))
		return -EBADMSG;
	if (ow_view_find(payload, &view) != 0 ||
	    !ow_buf_is_view(payload, sub_len, view))
		return -EPROTOTYPE;
	if (len - sub_len != ow_view_size(view))
		return -EBADMSG;
	*ret_view = view;
	return 0;
}

int ow_buf_from_view(const void *payload, size_t len, size_t sub_len,
		     char **data, long *ret_len)
{
	const struct ow_view *view;
	struct ow_buf_info old;
	char *fresh;
	int r = find_view(payload, len, sub_len, &view);

	if (r != 0)
		return r;
	if (*data == NULL || ow_buf_find(*data, &old) != 0 ||
	    old.view != view) {
		fresh = ow_buf_new_view(view, 0);
		if (fresh == NULL)
			return -ENOMEM;
		ow_buf_free(*data);
		*data = fresh;
	}
	memcpy(*data, (const char *)payload + sub_len, len - sub_len);
	*ret_len = (long)(len - sub_len);
	return 0;
}
