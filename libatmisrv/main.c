/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the main() of programs linked with -latmisrv
 */
#include <xatmi.h>

int main(int argc, char **argv);

#pragma GCC visibility push(default)
int main(int argc, char **argv)
{
	return ndrx_main(argc, argv);
}
#pragma GCC visibility pop
