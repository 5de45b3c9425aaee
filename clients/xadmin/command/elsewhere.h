/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elsewhere.h - commands that other runtimes have, and why they are not here
 */
#ifndef OW_ELSEWHERE_H
#define OW_ELSEWHERE_H

/* Why there is no such command, for people; NULL: nobody has it. */
const char *ow_elsewhere(const char *name);

#endif
