/* SPDX-License-Identifier: Apache-2.0 */
/*
 * balance.h - EPOLLBALANCE, a flag of epoll in kernels patched with kernel/
 *
 * Together with EPOLLEXCLUSIVE it moves a waiter that was woken to the end of
 * the kernel's list, so that wake-ups go round. Other kernels refuse it
 * (EINVAL), as they do any unknown bit beside EPOLLEXCLUSIVE.
 */
#ifndef OW_BALANCE_H
#define OW_BALANCE_H

#include <sys/epoll.h>

#ifndef EPOLLBALANCE
#define EPOLLBALANCE (1u << 26)
#endif

#endif
