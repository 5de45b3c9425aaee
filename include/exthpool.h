/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exthpool.h - the thread pool of Enduro/X, which Onewake does not have
 */
#error "exthpool.h: Onewake has no thread pool for programs: use threads \
of pthread.h; each calls tpappthrinit() and tpappthrterm(). \
See doc/compatibility.md."
