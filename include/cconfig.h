/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cconfig.h - the common configuration of Enduro/X, which Onewake does not have
 */
#error "cconfig.h: Onewake has no common configuration for programs: \
use variables of the environment (<envs> of ndrxconfig.xml, tuxreadenv()). \
See doc/compatibility.md."
