/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_options.h - the options that every server understands, before `--`
 *
 * libatmisrv/options.c says what they mean; ndrxd checks <sysopt> against
 * them before it starts a server.
 */
#ifndef OW_SERVER_OPTIONS_H
#define OW_SERVER_OPTIONS_H

/* Letters as for getopt(): `:` wants a value. */
#define OW_SERVER_OPTIONS "hD:i:k:e:R:rs:t:x:Nn:S:g:GBo:Al:p:Pvu:U:m:"

#endif
