/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsettrace.c - runs the example of tpsettrace(3)
 *
 * prints: 00-01010101010101010101010101010101-0202020202020202-01
 */
#include "tests/man/examples/example.h"
#include "tpsettrace.inc"

int main(void)
{
	struct tptrace his = { .flags = 1 };
	struct tpspan span = { .kind = TPSPAN_HTTP_CLIENT, .method = "GET",
			       .name = "localhost:80", .status = 200 };
	char *data = text("x"), header[56];
	long len = 0;

	memset(his.trace_id, 1, sizeof(his.trace_id));
	memset(his.span_id, 2, sizeof(his.span_id));
	EXPECT(call_for(&his, &data, &len) == 0);
	EXPECT(traceparent(header) == -1); /* none any more */
	EXPECT(tpsettrace(&his) == 0);
	EXPECT(traceparent(header) == 55);
	puts(header);
	span.trace = his;
	EXPECT(tpnotespan(&span) == 0);
	span.usec = -1;
	EXPECT(tpnotespan(&span) == -1 && tperrno == TPEINVAL);
	return 0;
}
