/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elsewhere.h - commands of other runtimes that xadmin does not have
 */
#ifndef OW_ELSEWHERE_H
#define OW_ELSEWHERE_H

/* Why xadmin has no such command; NULL: no other runtime has it either. */
const char *ow_elsewhere(const char *name);

#endif
