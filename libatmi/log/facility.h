/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facility.h - the facilities of the debug log
 *
 * Each has a level of its own.
 */
#ifndef OW_LOG_FACILITY_H
#define OW_LOG_FACILITY_H

enum ow_log_fac {
	OW_LOG_NDRX, /* the runtime */
	OW_LOG_UBF,  /* typed fielded buffers */
	OW_LOG_TP,   /* the application */
	OW_LOG_FACS,
};

#endif
