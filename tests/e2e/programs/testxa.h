/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testxa.h - a resource manager for tests: amounts in files
 */
#ifndef TESTXA_H
#define TESTXA_H

/* Add an amount in the branch of this thread; without one it is committed at
 * once. 0 or -1. */
extern __attribute__((visibility("default"))) int testxa_add(long amount);

#endif
