/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcf.h - commands to all processes of a domain
 *
 * A command is published in a slot; each process that has a function for it
 * carries it out with its next call, or in a server within about a second.
 */
#ifndef LCF_H
#define LCF_H

#include <sys/types.h>

/* `version` of the structures below: a published command, a function, a command
 * of xadmin */
#define NDRX_LCF_LCMD_VERSION 1
#define NDRX_LCF_CCMD_VERSION 1
#define NDRX_LCF_XCMD_VERSION 1

#define NDRX_LCF_CMD_MIN_CUST 1000 /* codes of applications */
#define NDRX_LCF_CMD_MAX_CUST 1999
#define NDRX_LCF_STR_MAX      30   /* characters of a command's name */
#define NDRX_LCF_ARG_MAX      4096 /* bytes of an argument, with NUL */
#define NDRX_LCF_FEEDBACK_MAX 64   /* bytes of a feedback, with NUL */

/* Flags of a command: for whom it is */
#define NDRX_LCF_FLAG_PID 0x00000001 /* procid is a process id */
#define NDRX_LCF_FLAG_BIN 0x00000002 /* procid is a program's name */
#define NDRX_LCF_FLAG_ALL 0x00000004 /* for all processes */
/* ... what it has */
#define NDRX_LCF_FLAG_ARGA 0x00000008
#define NDRX_LCF_FLAG_ARGB 0x00000010
/* ... procid is a regular expression; processes that start later, too; the
 * same for NDRX_LCFCMDEXP (60) seconds */
#define NDRX_LCF_FLAG_DOREX	   0x00000020
#define NDRX_LCF_FLAG_DOSTARTUP	   0x00000040
#define NDRX_LCF_FLAG_DOSTARTUPEXP 0x00000080
/* Flags that a function sets: it has set fbackcode, fbackmsg */
#define NDRX_LCF_FLAG_FBACK_CODE 0x00000100
#define NDRX_LCF_FLAG_FBACK_MSG	 0x00000200

/* A published command. */
typedef struct ndrx_lcf_command {
	int version;	/* 1 */
	int command;	/* code */
	unsigned int cmdversion; /* counts publications of the slot */
	char cmdstr[NDRX_LCF_STR_MAX + 1];
	long flags;
	char procid[NDRX_LCF_STR_MAX + 1]; /* pid or program, by flags */
	char arg_a[NDRX_LCF_ARG_MAX];
	char arg_b[NDRX_LCF_ARG_MAX];
	long fbackcode; /* of the function that carries it out */
	char fbackmsg[NDRX_LCF_FEEDBACK_MAX];
} ndrx_lcf_command_t;

/* The function by which this process carries out a command: 0, or it has
 * failed. */
typedef struct ndrx_lcf_reg_func {
	int version; /* 1 */
	int command;
	char cmdstr[NDRX_LCF_STR_MAX + 1];
	int (*pf_callback)(ndrx_lcf_command_t *cmd, long *p_flags);
} ndrx_lcf_reg_func_t;

/* A command as xadmin offers it. */
typedef struct ndrx_lcf_reg_xadmin {
	int version; /* 1 */
	int command;
	char cmdstr[NDRX_LCF_STR_MAX + 1];
	char helpstr[NDRX_LCF_FEEDBACK_MAX];
	long dfltflags;
	int dfltslot;
} ndrx_lcf_reg_xadmin_t;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Register a function; register a command of xadmin; publish a command in a
 * slot (0 to NDRX_LCFMAX - 1). The structure is copied. TPEINVAL TPEMATCH (the
 * code has another function, the name another command) TPENOENT (publish: the
 * domain does not run) TPEPERM (a guest) SYS. (ours) */
extern int ndrx_lcf_func_add(ndrx_lcf_reg_func_t *func);
extern int ndrx_lcf_xadmin_add(ndrx_lcf_reg_xadmin_t *cmd);
extern int ndrx_lcf_publish(int slot, ndrx_lcf_command_t *cmd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
