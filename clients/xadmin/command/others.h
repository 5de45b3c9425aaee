/* SPDX-License-Identifier: Apache-2.0 */
/*
 * others.h - commands of other runtimes that xadmin does not have
 */
#ifndef OW_COMMANDS_OF_OTHERS_H
#define OW_COMMANDS_OF_OTHERS_H

/* Why xadmin has no such command; NULL: no other runtime has it either. */
const char *ow_command_of_others(const char *name);

#endif
