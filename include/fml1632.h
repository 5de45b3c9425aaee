/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fml1632.h - conversion between FML and FML32 buffers
 *
 * Both are the same here, so each conversion is a copy.
 */
#ifndef FML1632_H
#define FML1632_H

#include <ubf.h>
#include <fml.h>
#include <fml32.h>

#define F16to32 B16to32
#define F32to16 B32to16

#endif
