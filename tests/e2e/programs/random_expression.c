/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_expression.c - any expression over requests of `testcl spray`, and what it
 * is to say of one
 */
#include "random_expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	AND, OR, XOR, NOT, /* of other nodes */
	AMOUNT, SUM, REST, NAME, NO_NAME, BEGINS, BEGINS_NOT, ABSENT,
	SIZE, AGE, PRIORITY, POSITION, ONE_WAY, STATE, SERVICE, KINDS
};

static const char *const comparison[] = { "==", "!=", "<", "<=", ">", ">=" };
static const char *const states[] = { "waits", "served", "unseen" };
static const char *const services[] = { "S_ECHO", "S_NAP", "S_SLEEP" };

static long below(unsigned int *seed, long n)
{
	return (long)(rand_r(seed) % (unsigned int)n);
}

static bool compare(int op, double x, double y)
{
	switch (op) {
	case 0: return x == y;
	case 1: return x != y;
	case 2: return x < y;
	case 3: return x <= y;
	case 4: return x > y;
	default: return x >= y;
	}
}

/* ---- to make one ---- */

static void make_leaf(struct random_node *v, unsigned int *seed)
{
	v->kind = AMOUNT + (int)below(seed, KINDS - AMOUNT);
	v->op = (int)below(seed, 6);
	switch (v->kind) {
	case REST:
		v->a = 2 + below(seed, 7);
		v->b = below(seed, v->a);
		break;
	case BEGINS:
	case BEGINS_NOT:
		v->a = 1 + below(seed, 9);
		break;
	case SIZE:
		v->a = below(seed, 4000);
		break;
	case AGE:
		v->a = below(seed, 3000000);
		break;
	case PRIORITY:
		v->a = 45 + below(seed, 10);
		break;
	case ONE_WAY:
		v->a = below(seed, 2);
		break;
	case STATE:
	case SERVICE:
		v->a = below(seed, 3);
		break;
	default:
		v->a = below(seed, 10000);
		v->b = below(seed, 5000);
	}
}

/* A node with all below it: its number. */
static int make(struct random_expression *e, unsigned int *seed, int depth)
{
	int at = e->n++;
	struct random_node *v = &e->node[at];

	if (depth == 0 || below(seed, 3) == 0) {
		make_leaf(v, seed);
		e->reads |= v->kind >= AMOUNT && v->kind <= ABSENT;
		return at;
	}
	v->kind = (int)below(seed, NOT + 1);
	v->a = make(e, seed, depth - 1);
	if (v->kind != NOT)
		v->b = make(e, seed, depth - 1);
	return at;
}

static void write_leaf(FILE *f, const struct random_node *v)
{
	const char *op = comparison[v->op];

	switch (v->kind) {
	case AMOUNT: fprintf(f, "AMOUNT%s%ld", op, v->a); break;
	case SUM: fprintf(f, "AMOUNT + %ld %s %ld", v->b, op, v->a); break;
	case REST: fprintf(f, "AMOUNT %% %ld == %ld", v->a, v->b); break;
	case NAME: fprintf(f, "NAME=='n%ld'", v->a); break;
	case NO_NAME: fprintf(f, "NAME != 'n%ld'", v->a); break;
	case BEGINS: fprintf(f, "NAME %%%% 'n%ld.*'", v->a); break;
	case BEGINS_NOT: fprintf(f, "NAME !%% 'n%ld.*'", v->a); break;
	case ABSENT: fprintf(f, "CARD=='%ld'", v->a); break;
	case SIZE: fprintf(f, "size%s%ld", op, v->a); break;
	case AGE: fprintf(f, "age %s %ld.%06ld", op, v->a / 1000000,
			  v->a % 1000000); break;
	case PRIORITY: fprintf(f, "%ld%spriority", v->a, op); break;
	case POSITION: fprintf(f, "position%s%ld", op, v->a); break;
	case ONE_WAY: fprintf(f, "oneway==%ld", v->a); break;
	case STATE: fprintf(f, "state=='%s'", states[v->a]); break;
	default: fprintf(f, "service=='%s'", services[v->a]);
	}
}

static void write_node(FILE *f, const struct random_expression *e, long at)
{
	static const char *const join[] = { " && ", " || ", " ^ " };
	const struct random_node *v = &e->node[at];

	if (v->kind > NOT) {
		write_leaf(f, v);
		return;
	}
	fputs(v->kind == NOT ? "!(" : "(", f);
	write_node(f, e, v->a);
	if (v->kind != NOT) {
		fputs(join[v->kind], f);
		write_node(f, e, v->b);
	}
	fputs(")", f);
}

void random_expression_make(struct random_expression *e, unsigned int *seed)
{
	FILE *f = fmemopen(e->text, sizeof(e->text), "w");

	e->n = 0;
	e->reads = false;
	make(e, seed, 4);
	if (f == NULL)
		abort();
	write_node(f, e, 0);
	fclose(f);
}

/* ---- to compute one ---- */

static bool begins(long amount, long digit)
{
	while (amount >= 10)
		amount /= 10;
	return amount == digit;
}

static bool leaf_holds(const struct random_node *v,
		       const struct random_request *r)
{
	switch (v->kind) {
	case AMOUNT: return compare(v->op, r->amount, v->a);
	case SUM: return compare(v->op, r->amount + v->b, v->a);
	case REST: return r->amount % v->a == v->b;
	case NAME: return r->amount == v->a;
	case NO_NAME: return r->amount != v->a;
	case BEGINS: return begins(r->amount, v->a);
	case BEGINS_NOT: return !begins(r->amount, v->a);
	case ABSENT: return false;
	case SIZE: return compare(v->op, r->size, v->a);
	case AGE: return compare(v->op, r->age_us, v->a);
	case PRIORITY: return compare(v->op, v->a, r->prio);
	case POSITION: return compare(v->op, r->position, v->a);
	case ONE_WAY: return r->one_way == (v->a != 0);
	case STATE: return strcmp(r->state, states[v->a]) == 0;
	default: return strcmp(r->service, services[v->a]) == 0;
	}
}

static bool holds(const struct random_expression *e, long at,
		  const struct random_request *r)
{
	const struct random_node *v = &e->node[at];

	switch (v->kind) {
	case AND: return holds(e, v->a, r) && holds(e, v->b, r);
	case OR: return holds(e, v->a, r) || holds(e, v->b, r);
	case XOR: return holds(e, v->a, r) != holds(e, v->b, r);
	case NOT: return !holds(e, v->a, r);
	default: return leaf_holds(v, r);
	}
}

bool random_expression_holds(const struct random_expression *e,
			     const struct random_request *r)
{
	return (r->has_fields || !e->reads) && holds(e, 0, r);
}
