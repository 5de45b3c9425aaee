/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oatmisrv_integra.h - the server calls with an explicit context, by another
 * name of their header
 */
#ifndef OATMISRV_INTEGRA_H
#define OATMISRV_INTEGRA_H

#include <oatmisrv.h>

#endif
