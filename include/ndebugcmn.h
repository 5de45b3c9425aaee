/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndebugcmn.h - the debug log, by an older name of its header
 */
#ifndef NDEBUGCMN_H
#define NDEBUGCMN_H

#include <ndebug.h>

#endif
