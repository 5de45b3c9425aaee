/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - keys of the messages that can be taken, in the order of a queue
 */
#include "servers/tmqueue/order.h"

#include <string.h>

#include "servers/tmqueue/store.h"

#define HEAD offsetof(struct order_place, numbers)

size_t order_key(uint8_t key[ORDER_KEY_MAX], const struct order_of *of)
{
	const struct order_place *p = of->place;
	uint8_t *to = key + 5;
	uint32_t i;

	store_be32(key, of->queue);
	key[4] = of->rank;
	if (p == NULL || p->magic == 0) {
		store_be64(to, of->number);
		return ORDER_KEY;
	}
	for (i = 0; i < p->count; i++, to += 8)
		store_be64(to, p->numbers[i]);
	return (size_t)(to - key);
}

void order_top(struct order_place *ret, uint64_t number, bool lifo)
{
	memset(ret, 0, sizeof(*ret));
	if (lifo)
		return;
	ret->magic = ORDER_PLACE;
	ret->count = 4;
	ret->numbers[2] = ~number;
	ret->numbers[3] = number;
}

bool order_before(struct order_place *ret, uint64_t number, uint64_t other,
		  const struct order_place *at, bool lifo)
{
	struct order_place p = *at;

	if (p.magic == 0) {
		p.magic = ORDER_PLACE;
		p.count = 1;
		p.numbers[0] = other;
	}
	if (p.count + (lifo ? 2 : 1) > ORDER_NUMBERS)
		return false;
	if (lifo)
		p.numbers[p.count++] = ~number;
	else
		p.numbers[p.count - 1]--;
	p.numbers[p.count++] = number;
	*ret = p;
	return true;
}

size_t order_size(const struct order_place *p)
{
	return p->magic == 0 ? 0 : HEAD + p->count * sizeof(p->numbers[0]);
}

size_t order_read(const char *at, size_t len, struct order_place *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (len < HEAD)
		return 0;
	memcpy(ret, at, HEAD);
	if (ret->magic == ORDER_PLACE && ret->count > 0 &&
	    ret->count <= ORDER_NUMBERS && order_size(ret) <= len) {
		memcpy(ret, at, order_size(ret));
		return order_size(ret);
	}
	ret->magic = 0;
	return 0;
}
