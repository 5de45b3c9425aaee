/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c - the file of an LMDB data base, read without trusting it
 */
#include "servers/tmqueue/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC	   UINT32_C(0xbeefc0de)
#define NONE	   UINT64_MAX /* a table without pages */
#define DEPTH_MOST 32
#define KEY_MOST   511
#define GIVE_BACK  (UINT64_C(64) << 20) /* bytes looked at */

enum page_kind { BRANCH = 1, LEAF = 2, OVERFLOW_RUN = 4, META = 8 };
enum node_flag { BIG = 1, TABLE = 2 };

struct page {
	uint64_t number;
	uint16_t pad, kind;
	uint16_t lower, upper; /* OVERFLOW_RUN: number of pages */
};

struct node {
	uint16_t low, high, flags, key_len;
};

struct tree {
	uint32_t pad; /* of the free pages: the size of a page */
	uint16_t flags, depth;
	uint64_t branches, leaves, overflows, entries, root;
};

struct meta {
	uint32_t magic, version;
	uint64_t address, map_size;
	struct tree free, main;
	uint64_t last, txn;
};

struct reader {
	const char *file;
	uint64_t size, page_size, last; /* last: page */
	unsigned char *used;		/* a bit for each page */
	const struct pages_table *tables;
	unsigned int n;
	pages_record_fn *record;
	void *arg;
	struct pages_found *found;
	uint64_t looked; /* bytes, since pages were given back */
};

/* The walk through one tree. */
struct walk {
	struct reader *r;
	const struct tree *tree;
	bool numbers; /* keys are numbers */
	MDB_val before, floor; /* the last key; what the next one reaches */
	struct tree is;	       /* what was found */
	void (*leaf)(struct walk *w, const struct node *n, const MDB_val *key,
		     const MDB_val *data);
	unsigned int table;
};

static void problem(struct reader *r, uint64_t page, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void problem(struct reader *r, uint64_t page, const char *format, ...)
{
	struct pages_found *f = r->found;
	va_list ap;
	int n;

	if (f->problems++ > 0)
		return;
	n = snprintf(f->problem, sizeof(f->problem), "page %llu: ",
		     (unsigned long long)page);
	va_start(ap, format);
	vsnprintf(f->problem + n, sizeof(f->problem) - (size_t)n, format, ap);
	va_end(ap);
}

/* ---- pages ---- */

/* `n` pages have one more use. */
static bool use(struct reader *r, uint64_t page, uint64_t n)
{
	uint64_t i;

	if (page < 2 || page > r->last || n > r->last - page + 1) {
		problem(r, page, "it is named, and is not of the file");
		return false;
	}
	for (i = page; i < page + n; i++) {
		if (r->used[i / 8] & (1 << i % 8)) {
			problem(r, i, "it has two uses");
			return false;
		}
		r->used[i / 8] |= (unsigned char)(1 << i % 8);
	}
	return true;
}

/* What was looked at need not stay this process's. */
static void look(struct reader *r, uint64_t bytes)
{
	r->looked += bytes;
	if (r->looked < GIVE_BACK)
		return;
	r->looked = 0;
	(void)madvise((void *)r->file, r->size, MADV_DONTNEED);
}

static const struct page *page_at(struct reader *r, uint64_t number,
				  unsigned int kind)
{
	const struct page *p;

	if (number >= r->size / r->page_size) {
		problem(r, number, "the file ends before it");
		return NULL;
	}
	p = (const struct page *)(r->file + number * r->page_size);
	if (p->number == number && p->kind == kind)
		return p;
	problem(r, number, "it is not what its place wants");
	return NULL;
}

/* ---- nodes ---- */

static const struct node *node_at(const struct page *p, unsigned int i)
{
	const uint16_t *at = (const uint16_t *)(p + 1);

	return (const struct node *)((const char *)p + at[i]);
}

static uint64_t data_len(const struct node *n)
{
	return n->low | (uint64_t)n->high << 16;
}

/* Bytes of a node in its page. */
static uint64_t node_bytes(const struct node *n, unsigned int kind)
{
	uint64_t bytes = sizeof(*n) + n->key_len;

	if (kind == LEAF)
		bytes += n->flags & BIG ? sizeof(uint64_t) : data_len(n);
	return (bytes + 1) & ~UINT64_C(1);
}

/* Nodes lie inside the page, and fill its end without holes. */
static bool nodes_fit(struct reader *r, const struct page *p,
		      unsigned int *ret_n)
{
	const uint16_t *at = (const uint16_t *)(p + 1);
	uint64_t sum = 0, n;
	unsigned int i;

	if (p->lower < sizeof(*p) || p->lower > p->upper || p->lower % 2 ||
	    p->upper > r->page_size)
		return false;
	n = (p->lower - sizeof(*p)) / 2;
	for (i = 0; i < n; i++) {
		if (at[i] % 2 || at[i] < p->upper ||
		    at[i] + sizeof(struct node) > r->page_size ||
		    at[i] + node_bytes(node_at(p, i), p->kind) > r->page_size)
			return false;
		sum += node_bytes(node_at(p, i), p->kind);
	}
	*ret_n = (unsigned int)n;
	return n > 0 && sum == r->page_size - p->upper;
}

static int compare(const struct walk *w, const MDB_val *a, const MDB_val *b)
{
	size_t n = a->mv_size < b->mv_size ? a->mv_size : b->mv_size;
	uint64_t x, y;
	int c;

	if (w->numbers) {
		memcpy(&x, a->mv_data, sizeof(x));
		memcpy(&y, b->mv_data, sizeof(y));
		return x < y ? -1 : x > y;
	}
	c = memcmp(a->mv_data, b->mv_data, n);
	return c != 0 ? c : (a->mv_size > b->mv_size) -
				    (a->mv_size < b->mv_size);
}

static bool key_of(struct walk *w, const struct page *p, const struct node *n,
		   MDB_val *ret)
{
	ret->mv_size = n->key_len;
	ret->mv_data = (void *)(n + 1);
	if (n->key_len > KEY_MOST || n->key_len == 0 ||
	    (w->numbers && n->key_len != sizeof(uint64_t))) {
		problem(w->r, p->number, "a key of %u bytes", n->key_len);
		return false;
	}
	return true;
}

/* A record that does not lie in its page. */
static bool big(struct walk *w, const struct node *n, MDB_val *data)
{
	uint64_t first, pages, size = w->r->page_size;
	const struct page *p;

	memcpy(&first, (const char *)(n + 1) + n->key_len, sizeof(first));
	pages = (sizeof(*p) + data->mv_size + size - 1) / size;
	p = page_at(w->r, first, OVERFLOW_RUN);
	if (p == NULL || !use(w->r, first, pages))
		return false;
	if ((p->lower | (uint32_t)p->upper << 16) != pages ||
	    first + pages > w->r->size / size) {
		problem(w->r, first, "it is not as long as its record");
		return false;
	}
	w->is.overflows += pages;
	data->mv_data = (void *)(p + 1);
	look(w->r, pages * size);
	return true;
}

static void walk_leaf(struct walk *w, const struct page *p, unsigned int n)
{
	const struct node *at;
	MDB_val key, data;
	unsigned int i;

	w->is.leaves++;
	for (i = 0; i < n; i++) {
		at = node_at(p, i);
		if (!key_of(w, p, at, &key))
			continue;
		if (w->before.mv_data != NULL &&
		    compare(w, &w->before, &key) >= 0)
			problem(w->r, p->number, "its keys do not ascend");
		if (w->floor.mv_data != NULL && compare(w, &w->floor, &key) > 0)
			problem(w->r, p->number, "a key is not in its place");
		w->floor.mv_data = NULL;
		w->before = key;
		data.mv_size = data_len(at);
		data.mv_data = (char *)(at + 1) + at->key_len;
		w->is.entries++;
		if ((at->flags & ~(BIG | TABLE)) != 0)
			problem(w->r, p->number, "a node of no kind");
		else if ((at->flags & BIG) == 0 || big(w, at, &data))
			w->leaf(w, at, &key, &data);
	}
}

static void walk_page(struct walk *w, uint64_t number, unsigned int depth);

static void walk_branch(struct walk *w, const struct page *p, unsigned int n,
			unsigned int depth)
{
	const struct node *at;
	unsigned int i;
	MDB_val key;

	w->is.branches++;
	for (i = 0; i < n; i++) {
		at = node_at(p, i);
		if (i > 0 && key_of(w, p, at, &key)) {
			if (w->before.mv_data != NULL &&
			    compare(w, &w->before, &key) >= 0)
				problem(w->r, p->number,
					"its keys do not ascend");
			w->floor = key;
		}
		walk_page(w, data_len(at) | (uint64_t)at->flags << 32,
			  depth + 1);
	}
}

static void walk_page(struct walk *w, uint64_t number, unsigned int depth)
{
	unsigned int kind = depth == w->tree->depth ? LEAF : BRANCH, n;
	const struct page *p;

	if (!use(w->r, number, 1))
		return;
	p = page_at(w->r, number, kind);
	if (p == NULL)
		return;
	look(w->r, w->r->page_size);
	if (!nodes_fit(w->r, p, &n))
		problem(w->r, number, "its nodes do not fit");
	else if (kind == LEAF)
		walk_leaf(w, p, n);
	else
		walk_branch(w, p, n, depth);
}

/* ---- trees ---- */

static void walk_tree(struct walk *w, const char *name)
{
	const struct tree *t = w->tree;

	if (t->root == NONE ? t->depth != 0
			    : t->depth == 0 || t->depth > DEPTH_MOST) {
		problem(w->r, 0, "table %s: a tree of depth %u", name,
			t->depth);
		return;
	}
	if (t->root != NONE)
		walk_page(w, t->root, 1);
	if (w->is.entries != t->entries || w->is.leaves != t->leaves ||
	    w->is.branches != t->branches || w->is.overflows != t->overflows)
		problem(w->r, t->root, "table %s: %llu records, not %llu", name,
			(unsigned long long)w->is.entries,
			(unsigned long long)t->entries);
}

static void found_record(struct walk *w, const struct node *n,
			 const MDB_val *key, const MDB_val *data)
{
	if (n->flags & TABLE)
		problem(w->r, 0, "a table inside a table");
	else
		w->r->record(w->table, key, data, w->r->arg);
}

/* The main tree has the tables. */
static void found_table(struct walk *w, const struct node *n, const MDB_val *key,
			const MDB_val *data)
{
	struct reader *r = w->r;
	struct tree t;
	struct walk in = { .r = r, .tree = &t, .leaf = found_record };
	unsigned int i;

	for (i = 0; i < r->n; i++)
		if (strlen(r->tables[i].name) == key->mv_size &&
		    memcmp(r->tables[i].name, key->mv_data, key->mv_size) == 0)
			break;
	if (n->flags != TABLE || data->mv_size != sizeof(t) || i == r->n) {
		problem(r, 0, "a table that is not known");
		return;
	}
	memcpy(&t, data->mv_data, sizeof(t));
	in.table = i;
	in.numbers = (r->tables[i].flags & MDB_INTEGERKEY) != 0;
	if (t.flags != r->tables[i].flags)
		problem(r, 0, "table %s: its kind is %x", r->tables[i].name,
			t.flags);
	walk_tree(&in, r->tables[i].name);
}

/* Free pages: a count, and numbers that descend. */
static void found_free(struct walk *w, const struct node *n, const MDB_val *key,
		       const MDB_val *data)
{
	const char *at = data->mv_data;
	uint64_t count = 0, page, before = NONE, i;

	(void)n;
	(void)key;
	if (data->mv_size >= sizeof(count))
		memcpy(&count, at, sizeof(count));
	if (data->mv_size % sizeof(count) != 0 || data->mv_size == 0 ||
	    count != data->mv_size / sizeof(count) - 1) {
		problem(w->r, 0, "a list of free pages of no length");
		return;
	}
	for (i = 1; i <= count; i++) {
		memcpy(&page, at + i * sizeof(page), sizeof(page));
		if (page >= before)
			problem(w->r, page, "free pages do not descend");
		before = page;
		if (!use(w->r, page, 1))
			return;
	}
}

/* ---- the file ---- */

/* Page 0 or 1, if it is one that LMDB takes. */
static bool read_meta(const struct reader *r, unsigned int i, struct meta *ret)
{
	const struct page *p = (const struct page *)(r->file + i *
						      r->page_size);

	memcpy(ret, p + 1, sizeof(*ret));
	return p->number == i && p->kind == META && ret->magic == MAGIC &&
	       ret->version == 1 && ret->free.pad == r->page_size &&
	       (ret->txn == 0 || ret->txn % 2 == i);
}

/* The newest. Both are always whole, and one transaction apart. */
static bool choose_meta(struct reader *r, struct meta *ret)
{
	struct meta m[2];
	bool good[2] = { read_meta(r, 0, &m[0]), read_meta(r, 1, &m[1]) };
	unsigned int newest = m[1].txn > m[0].txn;

	if (!good[0] || !good[1])
		problem(r, good[0], "it is not a head of a data base");
	else if (m[newest].txn - m[!newest].txn != 1 && m[newest].txn != 0)
		problem(r, newest, "the heads are not one transaction apart");
	else if (m[0].free.flags != m[1].free.flags ||
		 m[0].main.flags != 0 || m[1].main.flags != 0)
		problem(r, newest, "the heads are of two kinds");
	if (!good[newest])
		newest = !newest;
	*ret = m[newest];
	return good[newest];
}

static int read_all(struct reader *r)
{
	struct meta m;
	struct walk free_pages = { .r = r, .tree = &m.free, .numbers = true,
				   .leaf = found_free };
	struct walk main_tree = { .r = r, .tree = &m.main,
				  .leaf = found_table };
	uint64_t i, lost = 0;

	if (!choose_meta(r, &m))
		return 0;
	r->last = m.last;
	if (m.last / 8 > r->size) {
		problem(r, 0, "more pages than the file can have");
		r->last = r->size / r->page_size;
	}
	r->used = calloc(1, r->last / 8 + 1);
	if (r->used == NULL)
		return -ENOMEM;
	walk_tree(&main_tree, "of tables");
	walk_tree(&free_pages, "of free pages");
	for (i = 2; i <= r->last; i++)
		lost += (r->used[i / 8] & (1 << i % 8)) == 0;
	if (lost > 0)
		problem(r, 0, "%llu pages have no use",
			(unsigned long long)lost);
	free(r->used);
	return 0;
}

int pages_read(const char *path, const struct pages_table *tables, unsigned int n,
	       pages_record_fn *record, void *arg, struct pages_found *ret)
{
	struct reader r = { .tables = tables, .n = n, .record = record,
			    .arg = arg, .found = ret };
	int fd = open(path, O_RDONLY | O_CLOEXEC), e = 0;
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || st.st_size == 0)
		e = -ENOENT;
	r.page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	r.size = e == 0 ? (uint64_t)st.st_size : 0;
	if (e == 0 && r.size < 2 * r.page_size) {
		problem(&r, 0, "the file ends in its heads");
	} else if (e == 0) {
		r.file = mmap(NULL, r.size, PROT_READ, MAP_SHARED, fd, 0);
		e = r.file == MAP_FAILED ? -errno : read_all(&r);
		if (r.file != MAP_FAILED)
			munmap((void *)r.file, r.size);
	}
	close(fd);
	return e;
}
