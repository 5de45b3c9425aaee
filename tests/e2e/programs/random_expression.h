/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_expression.h - any expression over requests of `testcl spray`, and what it
 * is to say of one
 *
 * A yardstick for `xadmin calls`: it is computed here a second time, without
 * the library's compiler of expressions.
 */
#ifndef OW_RANDOM_EXPRESSION_H
#define OW_RANDOM_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#define RANDOM_NODES 31
#define RANDOM_TEXT  4096

/* Of a request; `amount` makes its other fields. */
struct random_request {
	bool has_fields;
	long amount;
	uint64_t age_us, size, position;
	unsigned int prio;
	bool one_way;
	const char *state, *service;
};

struct random_node {
	int kind, op;
	long a, b; /* constants; or the nodes that it joins */
};

struct random_expression {
	struct random_node node[RANDOM_NODES];
	int n;
	bool reads; /* a field: requests without fields are not chosen */
	char text[RANDOM_TEXT];
};

void random_expression_make(struct random_expression *e, unsigned int *seed);
bool random_expression_holds(const struct random_expression *e,
			     const struct random_request *r);

#endif
