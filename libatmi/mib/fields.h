/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - ids of the MIB's fields, as in conf/ubftab/Excompat
 *
 * The header that mkfldhdr makes of that table is not there yet when this
 * library is built. tests/unit/libatmi/mib/test_mib.c compares both.
 */
#ifndef OW_MIB_FIELDS_H
#define OW_MIB_FIELDS_H

#include <ubf.h>

#define OW_TA_STRING(n) ((BFLDID)((BFLD_STRING << 25) | (2000 + (n))))
#define OW_TA_LONG(n)	((BFLDID)((BFLD_LONG << 25) | (2000 + (n))))

/* X(name, id) */
#define OW_MIB_FIELD_IDS(X)                      \
	X(TA_OPERATION, OW_TA_STRING(0))         \
	X(TA_CLASS, OW_TA_STRING(1))             \
	X(TA_CURSOR, OW_TA_STRING(2))            \
	X(TA_ERROR, OW_TA_LONG(3))               \
	X(TA_STATUS, OW_TA_STRING(4))            \
	X(TA_OCCURS, OW_TA_LONG(5))              \
	X(TA_MORE, OW_TA_LONG(6))                \
	X(TA_LMID, OW_TA_STRING(7))              \
	X(TA_CLIENTID, OW_TA_STRING(8))          \
	X(TA_CLTNAME, OW_TA_STRING(9))           \
	X(TA_STATE, OW_TA_STRING(10))            \
	X(TA_PID, OW_TA_LONG(11))                \
	X(TA_CONTEXTID, OW_TA_LONG(13))          \
	X(TA_CURTIME, OW_TA_LONG(14))            \
	X(TA_DOMAINID, OW_TA_STRING(15))         \
	X(TA_CURQUEUES, OW_TA_LONG(16))          \
	X(TA_CURSERVERS, OW_TA_LONG(17))         \
	X(TA_CURSERVICES, OW_TA_LONG(18))        \
	X(TA_CURACCESSERS, OW_TA_LONG(19))       \
	X(TA_RQADDR, OW_TA_STRING(20))           \
	X(TA_NQUEUED, OW_TA_LONG(21))            \
	X(TA_RQID, OW_TA_LONG(22))               \
	X(TA_SRVID, OW_TA_LONG(23))              \
	X(TA_TIMERESTART, OW_TA_LONG(24))        \
	X(TA_SERVERNAME, OW_TA_STRING(25))       \
	X(TA_CLOPT, OW_TA_STRING(26))            \
	X(TA_GENERATION, OW_TA_LONG(27))         \
	X(TA_SERVICENAME, OW_TA_STRING(28))      \
	X(TA_SRVGRP, OW_TA_STRING(29))           \
	X(TA_SVCRNAM, OW_TA_STRING(30))          \
	X(TA_NCOMPLETED, OW_TA_LONG(31))         \
	X(TA_TOTSUCCNUM, OW_TA_LONG(32))         \
	X(TA_TOTSFAILNUM, OW_TA_LONG(33))        \
	X(TA_LASTEXECTIMEUSEC, OW_TA_LONG(34))   \
	X(TA_MAXEXECTIMEUSEC, OW_TA_LONG(35))    \
	X(TA_MINEXECTIMEUSEC, OW_TA_LONG(36))    \
	X(TA_BADFLD, OW_TA_LONG(900))            \
	X(TA_FILTER, OW_TA_LONG(901))            \
	X(TA_FLAGS, OW_TA_LONG(902))             \
	X(TA_NUMREQ, OW_TA_LONG(903))            \
	X(TA_NUMPOST, OW_TA_LONG(904))           \
	X(TA_NUMTRAN, OW_TA_LONG(905))           \
	X(TA_NUMTRANABT, OW_TA_LONG(906))        \
	X(TA_NUMTRANCMT, OW_TA_LONG(907))        \
	X(TA_NUMENQUEUE, OW_TA_LONG(908))        \
	X(TA_NUMDEQUEUE, OW_TA_LONG(909))        \
	X(TA_GRPNO, OW_TA_LONG(910))             \
	X(TA_CURLMID, OW_TA_STRING(911))         \
	X(TA_USRNAME, OW_TA_STRING(912))

enum ow_mib_id {
#define X(name, id) OW_##name = id,
	OW_MIB_FIELD_IDS(X)
#undef X
};

#endif
