/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c - ver, poller, pmode: how this installation was built
 */
#include "clients/xadmin/session/session.h"

#include <stdio.h>

#include <ndrx_config.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"

int ow_session_version(struct ow_args *a)
{
	(void)a;
	printf("Onewake %s, an ATMI server runtime for Linux\n", NDRX_VERSION);
	printf("tables layout %u, built with %s\n", OW_TABLES_VERSION,
	       __VERSION__);
	return OW_EXIT_OK;
}

int ow_session_poller(struct ow_args *a)
{
	(void)a;
	printf("epoll\n");
	return OW_EXIT_OK;
}

int ow_session_pmode(struct ow_args *a)
{
	(void)a;
	printf("NDRX_VERSION=%s\n", NDRX_VERSION);
	printf("poller=epoll\n");
	printf("transports=posix,shm\n");
	printf("wake=bell,even,exclusive,herd,hot\n");
	printf("OW_TABLES_VERSION=%u\n", OW_TABLES_VERSION);
	printf("OW_SRV_MAX=%u\n", OW_SRV_MAX);
	printf("OW_SVC_MAX=%u\n", OW_SVC_MAX);
	printf("OW_CLT_MAX=%u\n", OW_CLT_MAX);
	printf("OW_ADV_MAX=%u\n", OW_ADV_MAX);
	printf("OW_PREFIX_MAX=%u\n", OW_PREFIX_MAX);
	printf("OW_RX_SIZE=%u\n", OW_RX_SIZE);
	return OW_EXIT_OK;
}
