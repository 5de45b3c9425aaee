/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubf_bench.c - time of operations on a UBF buffer
 *
 * Prints one JSON object per operation: nanoseconds, the best of many short
 * rounds (other load only adds), and the target. The buffer has 80
 * fields: 20 each of short, long, double and string; then 200 more occurrences
 * of one string. "Bget long mixed" visits fields in an order that no
 * branch predictor learns.
 *	ubf_bench [part of an operation's name]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <atmi.h>
#include <ubf.h>

#include "libubf/store/check.h"

#define SIZE 65536
#define FIELDS 20
#define MILLION 1000000
#define ROUNDS 3
#define ROUND_NS 50e3	/* short, so that some are undisturbed */
#define TOTAL_NS 150e6
#define TEXT "HELLO WORLD STRING"

enum { BASE = 2000, SHORTS = BASE + 1, LONGS = BASE + 21, DOUBLES = BASE + 81,
       STRINGS = BASE + 101 };

struct bench {
	UBFH *p, *q;
	FILE *null;
	char json[65536];
	char *regex, *arith;	/* compiled expressions */
	unsigned int k;		/* walks the fields */
	unsigned int seed;
	long per;		/* operations of one run */
	BFLDID s[FIELDS], l[FIELDS], d[FIELDS], str[FIELDS];
};

struct op {
	const char *name;
	double target;	/* 0: none */
	void (*run)(struct bench *b);
};

static unsigned int step(struct bench *b)
{
	return b->k = (b->k * 5 + 3) % FIELDS;
}

static unsigned int random_step(struct bench *b)
{
	b->seed = b->seed * 1664525u + 1013904223u;
	return (b->seed >> 16) % FIELDS;
}

static void build_in_order(struct bench *b)
{
	short s = 7;
	long l = 42;
	double d = 3.14;
	int i;

	Binit(b->p, SIZE);
	for (i = 0; i < FIELDS; i++)
		Badd(b->p, b->s[i], (char *)&s, 0);
	for (i = 0; i < FIELDS; i++)
		Badd(b->p, b->l[i], (char *)&l, 0);
	for (i = 0; i < FIELDS; i++)
		Badd(b->p, b->d[i], (char *)&d, 0);
	for (i = 0; i < FIELDS; i++)
		Badd(b->p, b->str[i], (char *)TEXT, 0);
}

static void build_reverse(struct bench *b)
{
	short s = 7;
	long l = 42;
	double d = 3.14;
	int i;

	Binit(b->p, SIZE);
	for (i = FIELDS - 1; i >= 0; i--)
		Badd(b->p, b->str[i], (char *)TEXT, 0);
	for (i = FIELDS - 1; i >= 0; i--)
		Badd(b->p, b->d[i], (char *)&d, 0);
	for (i = FIELDS - 1; i >= 0; i--)
		Badd(b->p, b->l[i], (char *)&l, 0);
	for (i = FIELDS - 1; i >= 0; i--)
		Badd(b->p, b->s[i], (char *)&s, 0);
}

static void bget_long(struct bench *b)
{
	long l;

	Bget(b->p, b->l[step(b)], 0, (char *)&l, NULL);
}

static void bget_long_mixed(struct bench *b)
{
	long l;

	Bget(b->p, b->l[random_step(b)], 0, (char *)&l, NULL);
}

static void bget_string(struct bench *b)
{
	char buf[256];
	BFLDLEN len = sizeof(buf);

	Bget(b->p, b->str[step(b)], 0, buf, &len);
}

static void bfind_string(struct bench *b)
{
	BFLDLEN len;

	Bfind(b->p, b->str[step(b)], 0, &len);
}

static void bpres(struct bench *b)
{
	Bpres(b->p, b->d[step(b)], 0);
}

static void cbget_long_string(struct bench *b)
{
	char buf[256];
	BFLDLEN len = sizeof(buf);

	CBget(b->p, b->l[step(b)], 0, buf, &len, BFLD_STRING);
}

static void cbget_string_long(struct bench *b)
{
	long l;

	CBget(b->p, b->str[step(b)], 0, (char *)&l, NULL, BFLD_LONG);
}

static void bchg_same(struct bench *b)
{
	Bchg(b->p, b->str[step(b)], 0, (char *)"HELLO WORLD STRINX", 0);
}

/* Each of the fields visited gets the short and the long text in turn. */
static void bchg_other(struct bench *b)
{
	static const char *const texts[] = {
		"SHORT", "A MUCH LONGER STRING THAN BEFORE IT WAS"
	};

	Bchg(b->p, b->str[step(b)], 0, (char *)texts[b->seed++ / 4 % 2], 0);
}

static void bget_occurrence(struct bench *b)
{
	char buf[256];
	BFLDLEN len = sizeof(buf);

	Bget(b->p, b->str[5], 150, buf, &len);
}

static void bget_long_after(struct bench *b)
{
	long l;

	Bget(b->p, b->l[7], 0, (char *)&l, NULL);
}

static void bget_string_after(struct bench *b)
{
	char buf[256];
	BFLDLEN len = sizeof(buf);

	Bget(b->p, b->str[15], 0, buf, &len);
}

static void bnext_all(struct bench *b)
{
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	char buf[256];
	BFLDLEN len;

	do {
		len = sizeof(buf);
	} while (Bnext(b->p, &id, &occ, buf, &len) == 1);
}

static void bcpy_all(struct bench *b)
{
	Bcpy(b->q, b->p);
}

/* What Bcpy() cannot do better than. */
static void memcpy_all(struct bench *b)
{
	memcpy(b->q, b->p, (size_t)Bused(b->p));
}

static void bprojcpy_three(struct bench *b)
{
	BFLDID keep[] = { b->l[3], b->str[5], b->d[7], BBADFLDID };

	Binit(b->q, SIZE);
	Bprojcpy(b->q, b->p, keep);
}

static void bupdate_all(struct bench *b)
{
	Bupdate(b->q, b->p);
}

static void bconcat_all(struct bench *b)
{
	Binit(b->q, SIZE);
	Bconcat(b->q, b->p);
}

/* The target is for 280 fields onto 280, copy included. */
static void bconcat_onto(struct bench *b)
{
	Bcpy(b->q, b->p);
	Bconcat(b->q, b->p);
}

static void bfprint_all(struct bench *b)
{
	Bfprint(b->p, b->null);
}

static void to_json(struct bench *b)
{
	tpubftojson(b->p, b->json, sizeof(b->json));
}

static void from_json(struct bench *b)
{
	Binit(b->q, SIZE);
	tpjsontoubf(b->q, b->json);
}

static void bboolev_regex(struct bench *b)
{
	Bboolev(b->p, b->regex);
}

static void bboolev_arith(struct bench *b)
{
	Bboolev(b->p, b->arith);
}

/* Done for each request in a server: the buffer comes from another process
 * and is checked before use. */
static void check_all(struct bench *b)
{
	if (ow_ubf_check(b->p, SIZE) < 0)
		abort();
}

/* The request of the bank: two strings, and a double in the reply. */
static void build_bank(struct bench *b)
{
	double d = 100.5;

	Binit(b->p, SIZE);
	Badd(b->p, b->str[0], (char *)"ACC0000000001", 0);
	Badd(b->p, b->str[1], (char *)"SAVINGS", 0);
	Badd(b->p, b->d[0], (char *)&d, 0);
}

/* Rows of ten fields, the last field first: all but the first row are inserted
 * into the middle. */
static void add_rows(struct bench *b, long rows)
{
	UBFH *p = Balloc((BFLDOCC)(rows * 10), (BFLDLEN)(rows * 60));
	long i;
	int k;

	b->per = rows * 10;
	for (i = 0; i < rows; i++) {
		for (k = 5; k-- > 0;)
			Badd(p, b->str[k], (char *)"OCCURRENCE", 0);
		for (k = 5; k-- > 0;)
			Badd(p, b->l[k], (char *)&i, 0);
	}
	if (Bnum(p) != rows * 10)
		abort();
	Bfree(p);
}

static void add_1000_rows(struct bench *b)
{
	add_rows(b, 1000);
}

static void add_100000_rows(struct bench *b)
{
	add_rows(b, 100000);
}

/* A million ids in random order. */
static void add_random_ids(struct bench *b)
{
	UBFH *p = Balloc(MILLION, 0);
	long i;

	b->per = MILLION;
	for (i = 0; i < MILLION; i++)
		Badd(p, Bmkfldid(BFLD_LONG, 1 + (int)(i * 736879 % MILLION)),
		     (char *)&i, 0);
	if (Bnum(p) != MILLION)
		abort();
	Bfree(p);
}

static const struct op small[] = {
	{ "build 80 fields in order", 900, build_in_order },
	{ "build 80 fields reverse", 1200, build_reverse },
	{ "Bget long", 10, bget_long },
	{ "Bget long mixed", 0, bget_long_mixed },
	{ "Bget string", 15, bget_string },
	{ "Bfind string", 10, bfind_string },
	{ "Bpres", 8, bpres },
	{ "CBget long->string", 30, cbget_long_string },
	{ "CBget string->long", 25, cbget_string_long },
	{ "Bchg string same length", 25, bchg_same },
	{ "Bchg string other length", 30, bchg_other },
};

static const struct op bank[] = {
	{ "check of a received bank buffer", 0, check_all },
};

static const struct op large[] = {
	{ "Bget string occurrence 150", 40, bget_occurrence },
	{ "Bget long after 200", 12, bget_long_after },
	{ "Bget string after 200", 30, bget_string_after },
	{ "Bnext over 280", 2000, bnext_all },
	{ "Bcpy 280", 38, bcpy_all },
	{ "memcpy of as many bytes", 0, memcpy_all },
	{ "check of a received buffer, 280", 0, check_all },
	{ "Bprojcpy 3 fields of 280", 500, bprojcpy_three },
	{ "Bupdate 280 on 280", 6000, bupdate_all },
	{ "Bconcat 280 on empty", 4000, bconcat_all },
	{ "Bconcat 280 on 280", 4000, bconcat_onto },
	{ "Bboolev regex", 120, bboolev_regex },
	{ "Bboolev arith", 40, bboolev_arith },
	{ "Bfprint 280", 12000, bfprint_all },
	{ "tpubftojson 280", 15000, to_json },
	{ "tpjsontoubf 280", 25000, from_json },
	{ "Badd, 1,000 rows of 10", 0, add_1000_rows },
	{ "Badd, 100,000 rows of 10", 0, add_100000_rows },
	{ "Badd, 1,000,000 ids in no order", 0, add_random_ids },
};

/* Field tables in a temporary folder, so that printing finds names. */
static int make_tables(const struct bench *b, char *dir)
{
	const BFLDID *lists[] = { b->s, b->l, b->d, b->str };
	char path[64];
	FILE *f;
	int i, k;

	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/t.fd", dir);
	f = fopen(path, "w");
	if (f == NULL)
		return -1;
	for (i = 0; i < 4; i++)
		for (k = 0; k < FIELDS; k++)
			fprintf(f, "F_%s_%d %d %s\n", Btype(lists[i][k]), k,
				(int)Bfldno(lists[i][k]), Btype(lists[i][k]));
	fclose(f);
	setenv("FLDTBLDIR", dir, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	i = Bfldid((char *)"F_long_0") == b->l[0] ? 0 : -1;
	unlink(path);
	rmdir(dir);
	return i;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure(struct bench *b, const struct op *op)
{
	double best = 1e18, t, end = now_ns() + TOTAL_NS;
	long n = 1, i, round = 0;

	b->per = 1;
	while (round < ROUNDS || now_ns() < end) {
		t = now_ns();
		for (i = 0; i < n; i++)
			op->run(b);
		t = now_ns() - t;
		if (t < ROUND_NS && round == 0) {
			n *= 2;
			continue;
		}
		best = t / (double)n < best ? t / (double)n : best;
		round++;
	}
	return best / (double)b->per;
}

static void run(struct bench *b, const struct op *ops, size_t n,
		const char *filter)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (filter != NULL && strstr(ops[i].name, filter) == NULL)
			continue;
		printf("{\"bench\":\"ubf\",\"op\":\"%s\",\"ns\":%.1f,"
		       "\"target_ns\":%.0f}\n",
		       ops[i].name, measure(b, ops + i), ops[i].target);
	}
}

static int begin(struct bench *b)
{
	char dir[] = "/tmp/ubf_bench_XXXXXX";
	int i;

	b->p = Balloc(1, SIZE);
	b->q = Balloc(1, SIZE);
	b->null = fopen("/dev/null", "w");
	if (b->p == NULL || b->q == NULL || b->null == NULL)
		return -1;
	for (i = 0; i < FIELDS; i++) {
		b->s[i] = Bmkfldid(BFLD_SHORT, SHORTS + i);
		b->l[i] = Bmkfldid(BFLD_LONG, LONGS + i);
		b->d[i] = Bmkfldid(BFLD_DOUBLE, DOUBLES + i);
		b->str[i] = Bmkfldid(BFLD_STRING, STRINGS + i);
	}
	return make_tables(b, dir);
}

/* 280 fields, a copy of them, their JSON, and expressions on them. */
static int build_large(struct bench *b)
{
	int i;

	build_in_order(b);
	for (i = 0; i < 200; i++)
		Badd(b->p, b->str[5], (char *)"OCCURRENCE", 0);
	Bcpy(b->q, b->p);
	to_json(b);
	b->regex = Bboolco((char *)"F_long_3==42 && F_string_4 %% 'HELLO.*' "
			   "|| F_double_2>10");
	b->arith = Bboolco((char *)"F_long_3+5*2>50 && F_short_1<100");
	return b->regex == NULL || b->arith == NULL ? -1 : 0;
}

int main(int argc, char **argv)
{
	static struct bench b;
	const char *filter = argc > 1 ? argv[1] : NULL;

	if (begin(&b) < 0) {
		perror("ubf_bench");
		return 1;
	}
	run(&b, small, 2, filter);
	build_bank(&b);
	run(&b, bank, 1, filter);
	build_in_order(&b);
	run(&b, small + 2, sizeof(small) / sizeof(*small) - 2, filter);
	if (build_large(&b) < 0) {
		B_error((char *)"ubf_bench: expressions");
		return 1;
	}
	run(&b, large, sizeof(large) / sizeof(*large), filter);
	Btreefree(b.regex);
	Btreefree(b.arith);
	Bfree(b.p);
	Bfree(b.q);
	fclose(b.null);
	return 0;
}
