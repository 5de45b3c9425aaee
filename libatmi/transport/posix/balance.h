/* SPDX-License-Identifier: Apache-2.0 */
/*
 * balance.h - a flag of epoll that kernels patched with kernel/ have
 *
 * Beside EPOLLEXCLUSIVE: a waiter that was woken goes to the end of the
 * kernel's list, so that wake-ups go round. Others refuse it (EINVAL), as they
 * do any bit beside EPOLLEXCLUSIVE that they do not know.
 */
#ifndef OW_BALANCE_H
#define OW_BALANCE_H

#include <sys/epoll.h>

#ifndef EPOLLBALANCE
#define EPOLLBALANCE (1u << 26)
#endif

#endif
