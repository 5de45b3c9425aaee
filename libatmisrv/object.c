/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - the object API of servers, made of libatmi/context/functions.inc
 *
 * tpreturn() and tpforward() leave the service by longjmp(), and so do
 * Otpreturn() and Otpforward(): what was put on the thread is taken off again
 * after the service (libatmi/context/return.h).
 */
#include "libatmi/context/functions.h"

#include <oatmi.h>
#include <oatmisrv.h>

#define OBJ_IN_atmi OW_OBJ_NO
#define OBJ_IN_ubf  OW_OBJ_NO
#define OBJ_IN_log  OW_OBJ_NO
#define OBJ_IN_srv  OW_OBJ_YES
#define OBJ_IN_main OW_OBJ_NO
#include "libatmi/context/functions.inc"
