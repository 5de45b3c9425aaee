/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fields.c - tpadm.h brings the fields of the MIB, where Excompat.h is
 */
#include <tpadm.h>
#include <Exfields.h>

#define IS(field, type, number)                                          \
	_Static_assert(field == ((type) << 25 | (number)), #field)

IS(TA_OPERATION, BFLD_STRING, 2000);
IS(TA_ERROR, BFLD_LONG, 2003);
IS(TA_STATE, BFLD_STRING, 2010);
IS(TA_EX_CONMODE, BFLD_CHAR, 2040);
IS(SRVCNM, BFLD_STRING, 100);
IS(EX_CC_CMD, BFLD_CHAR, 240);
