# SPDX-License-Identifier: Apache-2.0
# base.cmake - the lowest layer of libatmi: logging, errors, environment; and
# the public functions that this build does not have yet
set(OW_ATMI_BASE
	env.c
	log.c
	log_conf.c
	log_emit.c
	log_file.c
	log_line.c
	log_order.c
	log_own.c
	log_watch.c
	ndebug.c
	ndebug_dump.c
	nerror.c
	oatmi_unbuilt.c
	odebug_unbuilt.c
	oubf_unbuilt.c
	tmnull.c
	tpadmcall.c
	tperror.c
	tplogprintubf.c
	unbuilt.c
	userlog.c)
