/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h - points at which a test can kill the process
 *
 * Shared state must survive a SIGKILL between any two stores. The points that
 * matter are marked. The product has no code there; a build with OW_FAULTS
 * (tests only) calls ow_fault_hit(), which a test provides.
 */
#ifndef OW_FAULT_H
#define OW_FAULT_H

#ifdef OW_FAULTS
void ow_fault_hit(const char *name);
#define OW_FAULT(name) ow_fault_hit(name)
#else
#define OW_FAULT(name) ((void)0)
#endif

#endif
