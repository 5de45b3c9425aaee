/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inicfg.h - the ini reader of Enduro/X, which Onewake does not have
 */
#error "inicfg.h: Onewake has no ini reader for programs: [@global] of \
NDRX_CCONFIG is in the environment of every program: use getenv(). \
See doc/compatibility.md."
