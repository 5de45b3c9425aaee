/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - the transaction of which an operation on a durable queue is part
 *
 * The request carries the transaction as every request does, and tmqueue joins
 * it as every server does (doc/design/transactions.md). What is said here lets
 * a tmqueue that has not joined refuse the operation: it would be outside of
 * the transaction.
 */
#include "libatmi/durable/branch.h"

#include "libatmi/durable/ask.h"

void ow_mq_join(struct ow_mq_question *q)
{
	q->head.in_tran = (q->flags & TPNOTRAN) == 0 && tpgetlev() > 0;
}
