/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ondebug.h - the debug log with an explicit context, by another name
 */
#ifndef ONDEBUG_H
#define ONDEBUG_H

#include <odebug.h>

#endif
