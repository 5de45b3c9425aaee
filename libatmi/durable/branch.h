/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.h - the transaction of which an operation on a durable queue is part
 */
#ifndef OW_DURABLE_BRANCH_H
#define OW_DURABLE_BRANCH_H

struct ow_mq_question;

/* Say in the question whether it is asked inside a transaction. */
void ow_mq_join(struct ow_mq_question *q);

#endif
