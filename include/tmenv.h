/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmenv.h - compiler marks of Tuxedo's prototypes, which mean nothing on Linux
 */
#ifndef TMENV_H
#define TMENV_H

#define _TMDLLENTRY

#endif
