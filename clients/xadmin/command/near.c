/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near.c - distance between two names, in typing errors
 */
#include "clients/xadmin/command/near.h"

#include <string.h>

static int least(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

int ow_near_distance(const char *a, const char *b)
{
	int row[3][OW_NEAR_LEN] = { { 0 } };
	int la = (int)strlen(a), lb = (int)strlen(b), i, j;

	if (la >= OW_NEAR_LEN || lb >= OW_NEAR_LEN)
		return OW_NEAR_FAR;
	for (j = 0; j <= lb; j++)
		row[0][j] = j;
	for (i = 1; i <= la; i++) {
		int *cur = row[i % 3], *prev = row[(i + 2) % 3];
		const int *before = row[(i + 1) % 3];

		cur[0] = i;
		for (j = 1; j <= lb; j++) {
			cur[j] = least(prev[j] + 1, cur[j - 1] + 1,
				       prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < cur[j])
				cur[j] = before[j - 2] + 1;
		}
	}
	return row[la % 3][lb];
}
