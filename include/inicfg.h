/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inicfg.h - the ini reader of Enduro/X, which Onewake does not have
 */
#error "inicfg.h: Onewake has no ini reader for programs: use \
variables of the environment (<envs> of ndrxconfig.xml, tuxreadenv()). \
See doc/compatibility.md."
