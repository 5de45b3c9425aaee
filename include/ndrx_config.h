/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_config.h - properties of this installation, as macros
 */
#ifndef NDRX_CONFIG_H
#define NDRX_CONFIG_H

#define NDRX_VERSION	"0.1.0-dev"
#define EX_OS_LINUX	1
#define EX_USE_EPOLL	1
#define EX_SIZEOF_LONG	__SIZEOF_LONG__

/* Before a declaration: the name leaves its library. */
#define NDRX_API __attribute__((visibility("default")))

#endif
