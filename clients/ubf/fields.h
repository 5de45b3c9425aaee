/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - the data base of fields: filled from field tables, emptied
 */
#ifndef OW_UBF_COMMAND_FIELDS_H
#define OW_UBF_COMMAND_FIELDS_H

/* Add all fields of the tables, whose paths end with NULL, or delete them: all
 * or none. 0, or -1 after a message. */
int fields_add(char *const *paths);
int fields_delete(char *const *paths);

#endif
