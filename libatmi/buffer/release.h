/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release.h - free the buffers that came together in one message
 *
 * A UBF buffer can come in a message together with buffers that it points to
 * (parts.h). They are freed together when the receiver puts something else in
 * their place. For the files of this folder alone.
 */
#ifndef OW_BUF_RELEASE_H
#define OW_BUF_RELEASE_H

/* Free a buffer that another one replaces, with those that came with it and
 * that it points to. */
void ow_release_replaced(char *data);
/* The contents of a UBF buffer, which has pointers, will be replaced: free the
 * buffers that came with it and that it points to. */
void ow_release_pointees(char *data);

#endif
