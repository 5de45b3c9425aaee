/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variables.c - the environment variables that Onewake knows
 */
#include "clients/xadmin/setup/variables.h"

#include <string.h>

#include "clients/xadmin/command/near.h"
#include "libatmi/transport/transport.h"

#define USED(name, value) { name, value, OW_VARIABLE_USED }
#define UNUSED(name)	  { name, NULL, OW_VARIABLE_UNUSED }
#define SET(name)	  { name, NULL, OW_VARIABLE_SET }

const struct ow_variable ow_variables[] = {
	USED("NDRX_QPREFIX", NULL),
	USED("NDRX_APPHOME", NULL),
	USED("NDRX_CONFIG", NULL),
	USED("NDRX_NODEID", "1"),
	USED("NDRX_LMID", "$NDRX_NODEID"),
	USED("NDRX_LDBAL", "0"),
	USED("NDRX_TOUT", "60"),
	USED("NDRX_TRANSPORT", "auto"),
	USED("NDRX_WAKE", "bell; hot on shm"),
	USED("NDRX_WAKE_POLICY", "built in; for experiments"),
	USED("NDRX_SCHED", "batch"),
	USED("NDRX_DISPATCHIDLE", "10"),
	USED("NDRX_RTGRP", "no routing group"),
	USED("TRACEPARENT", "a trace of its own"),
	USED("NDRX_QPATH", "/dev/mqueue"),
	USED("NDRX_SHMPATH", "/dev/shm"),
	USED("NDRX_OWNER", NULL),
	USED("NDRX_MSGMAX", "by the limits found"),
	USED("NDRX_MSGSIZEMAX", "by the limits found"),
	USED("NDRX_RNDK", NULL),
	USED("NDRX_DPID", "$NDRX_APPHOME/run/ndrxd.pid"),
	USED("NDRX_DMNLOG", "$NDRX_APPHOME/log/ndrxd.log"),
	USED("NDRX_DMNLEV", NULL),
	USED("NDRX_ULOG", "the current folder"),
	USED("ULOGPFX", NULL),
	USED("NDRX_DEBUG_CONF", NULL),
	USED("NDRX_DEBUG_STR", NULL),
	USED("NDRX_DFLTLOG", NULL),
	USED("NDRX_BENCH_FILE", NULL),
	USED("NDRX_BENCH_CONFIGNAME", NULL),
	USED("NDRX_XADMINTOUT", "30; 300 for start and stop"),
	USED("NDRX_NORMWAITMAX", "60"),
	USED("NDRX_SILENT", NULL),
	USED("NDRX_SIGRSTRT", "0"),
	USED("NDRX_STARTOK", NULL),
	USED("FLDTBLDIR", NULL),
	USED("FIELDTBLS", NULL),
	USED("VIEWDIR", NULL),
	USED("VIEWFILES", NULL),
	USED("FLDTBLDIR32", NULL),
	USED("FIELDTBLS32", NULL),
	USED("VIEWDIR32", NULL),
	USED("VIEWFILES32", NULL),
	USED("NDRX_UBFDB", "no data base of fields"),
	USED("NDRX_APIFLAGS", NULL),
	USED("NDRX_COMPAT", NULL),
	USED("NDRX_PLUGINS", "none"),
	USED("NDRX_LCFMAX", "20"),
	USED("NDRX_LCFCMDEXP", "60"),
	USED("NDRX_LCFNORUN", "n"),
	USED("NDRX_ENCKEYFILE", "user and host are the key"),
	USED("NDRX_ENCKEYCMD", NULL),
	SET("NDRX_ENCKEYCMD_RUNS"),
	USED("NDRX_CCONFIG", NULL),
	USED("NDRX_CCONFIG1", NULL),
	USED("NDRX_CCONFIG2", NULL),
	USED("NDRX_CCONFIG3", NULL),
	USED("NDRX_CCONFIG4", NULL),
	USED("NDRX_CCONFIG5", NULL),
	USED("NDRX_XA_RES_ID", "no resource manager"),
	USED("NDRX_XA_OPEN_STR", NULL),
	USED("NDRX_XA_CLOSE_STR", "NDRX_XA_OPEN_STR"),
	USED("NDRX_XA_DRIVERLIB", NULL),
	USED("NDRX_XA_RMLIB", NULL),
	USED("NDRX_XA_FLAGS", NULL),
	USED("TUXCONFIG", NULL),
	SET("NDRX_SVPROCNAME"),
	SET("NDRX_SVCLOPT"),
	SET("NDRX_SVPPID"),
	SET("NDRX_SVSRVID"),
	SET("NDRX_MINDISPATCHTHREADS"),
	SET("NDRX_MAXDISPATCHTHREADS"),
	SET("NDRX_HIDDENWORDS"),
	SET("NDRX_RESPAWN"),
	SET("NDRX_PROCGRP_NO"),
	SET("NDRX_PROCGRP_LP_NO"),
	SET("NDRX_CCTAG"),
	SET("NDRX_CLTTAG"),
	SET("NDRX_CLTSUBSECT"),
	SET("NDRX_CLTPID"),
	SET("NDRX_THREADSTACKSIZE"),
	UNUSED("NDRX_HOME"),
	UNUSED("NDRX_CLUSTERISED"),
	UNUSED("NDRX_SVCMAX"),
	UNUSED("NDRX_SRVMAX"),
	UNUSED("NDRX_CLTMAX"),
	UNUSED("NDRX_DQMAX"),
	UNUSED("NDRX_IPCKEY"),
	UNUSED("NDRX_CMDWAIT"),
	UNUSED("NDRX_LOG"),
	UNUSED("NDRX_LEV"),
	UNUSED("NDRX_XADMIN_CONFIG"),
	UNUSED("NDRX_UBFMAXFLDS"),
	UNUSED("NDRX_XA_LAZY_INIT"),
	UNUSED("NDRX_RMFILE"),
	UNUSED("NDRX_FPAOPTS"),
	UNUSED("NDRX_RTSVCMAX"),
	UNUSED("NDRX_RTCRTMAX"),
	UNUSED("NDRX_PGMAX"),
	UNUSED("NDRX_SGREFRESH"),
	UNUSED("NDRX_SGLOCKINC"),
	UNUSED("NDRX_LCFREADERSMAX"),
	UNUSED("NDRX_NRSEMS"),
	UNUSED("NDRX_MAXSVCSRVS"),
	UNUSED("NDRX_MSGQUEUESMAX"),
	UNUSED("NDRX_SVQREADERSMAX"),
	UNUSED("NDRX_SCANUNIT"),
	UNUSED("NDRX_NOPOLLEXCL"),
	UNUSED("NDRX_LIBEXT"),
};

const size_t ow_variables_count =
    sizeof(ow_variables) / sizeof(ow_variables[0]);

const struct ow_variable *ow_variable_find(const char *name)
{
	size_t i;

	for (i = 0; i < ow_variables_count; i++)
		if (strcmp(ow_variables[i].name, name) == 0)
			return &ow_variables[i];
	return NULL;
}

const char *ow_variable_default(const struct ow_variable *v)
{
	return v->value;
}

const char *ow_variable_suggest(const char *name)
{
	const char *best = NULL;
	int d, min = 4;
	size_t i;

	for (i = 0; i < ow_variables_count; i++) {
		d = ow_near_distance(name, ow_variables[i].name);
		if (d < min) {
			min = d;
			best = ow_variables[i].name;
		}
	}
	return best;
}
