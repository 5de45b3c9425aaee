/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.c - the object API of clients, made of functions.inc
 */
#include "libatmi/context/functions.h"

#include <oatmi.h>
#include <odebug.h>
#include <oubf.h>
#include <stdarg.h>

#include "libubf/access/path.h"

#define OBJ_IN_atmi OW_OBJ_YES
#define OBJ_IN_ubf  OW_OBJ_YES
#define OBJ_IN_log  OW_OBJ_YES
#define OBJ_IN_srv  OW_OBJ_NO
#define OBJ_IN_main OW_OBJ_NO
#include "libatmi/context/functions.inc"
