/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binding.h - the ledger of the audit (bench/ledger.h) for other languages
 */
#ifndef OW_BENCH_BINDING_H
#define OW_BENCH_BINDING_H

#include <stdint.h>

int ledger_open(void);
/* In a client: note how long its threads wait for a CPU. */
void ledger_watch(void);
/* The entry of a request in `buffer`; NULL: the ledger is full. */
void *ledger_begin(void *buffer, uint32_t len, uint32_t ms, uint32_t reply);
int ledger_is_of(void *entry, const void *buffer, uint64_t len);
void ledger_end(void *entry, int told, int error, uint32_t number);
/* -1: damaged; else how it wants its reply. */
int ledger_execute(const void *buffer, uint64_t len);
/* The reply to the request before has been sent. */
void ledger_answered(void);

#endif
