/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cconfig.h - functions for the ini configuration, which Onewake does not have
 */
#error "cconfig.h: Onewake has no functions that read NDRX_CCONFIG: \
[@global] of it is in the environment of every program: use getenv(). \
See doc/compatibility.md."
