/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onerror.h - Nerror with an explicit context: ONerror(), ONstrerror()
 */
#ifndef ONERROR_H
#define ONERROR_H

#include <nerror.h>
#include <oatmi.h>

#endif
