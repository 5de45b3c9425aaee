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

#define HASH_FUNCTION(key, len, hashv)                                       \
	do {                                                                 \
		uintptr_t hf_;                                               \
		memcpy(&hf_, (key), sizeof(hf_));                            \
		(hashv) = (unsigned int)((hf_ >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32); \
	} while (0)
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/tls.h"
#include "libubf/check.h"

#define SHARDS 16

struct buf {
	UT_hash_handle hh;
	char *key; /* = data, what the hash is over */
	size_t size;
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
	pthread_mutex_lock(&s->lock);
	if (s->head == NULL)
		anchor(s);
	HASH_ADD_PTR(s->head, key, b);
	pthread_mutex_unlock(&s->lock);
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

	pthread_mutex_lock(&s->lock);
	HASH_FIND_PTR(s->head, &data, b);
	pthread_mutex_unlock(&s->lock);
	return b;
}

/* Take `data` out of the registry: whoever gets it, owns it. */
static struct buf *leave(const char *data)
{
	struct shard *s = shard_of(data);
	struct buf *b;

	pthread_mutex_lock(&s->lock);
	HASH_FIND_PTR(s->head, &data, b);
	if (b != NULL)
		HASH_DEL(s->head, b);
	pthread_mutex_unlock(&s->lock);
	return b;
}

static size_t size_min(enum ow_buf_type type)
{
	return type == OW_BUF_UBF ? OW_BUF_SIZE_MIN_UBF : OW_BUF_SIZE_MIN;
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
	if (b->type == OW_BUF_UBF && size < b->size &&
	    ow_ubf_resize(b->data, size) != 0) {
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
	ret->subtype = "";
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
