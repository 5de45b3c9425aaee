/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tuxedo.cc - a C++ server program in the style of Tuxedo: compiles, links,
 * and has its functions where they belong
 */
#include <atmi.h>
#include <tpadm.h>
#include <tmenv.h>
#include <userlog.h>
#include <xa.h>

extern "C" {
int tpsvrinit(int, char **)
{
	return 0;
}

void tpsvrdone()
{
}
}

static void service(TPSVCINFO *)
{
}

static struct tmdsptchtbl_t table[] = {
	{ (char *)"", (char *)"SERVICE", service, 0, 0 },
	{ nullptr, nullptr, nullptr, 0, 0 }
};

/* As its programs write them, and as those for Enduro/X do. */
static struct tmsvrargs_t of_tuxedo = {
	nullptr, &table[0], 0, tpsvrinit, tpsvrdone, _tmrunserver, nullptr,
	nullptr, nullptr, nullptr, tprminit, tpsvrthrinit, tpsvrthrdone
};
static struct tmsvrargs_t of_endurox = {
	&tmnull_switch, &table[0], 0, tpsvrinit, tpsvrdone, nullptr, nullptr,
	nullptr, nullptr, nullptr, tpsvrthrinit, tpsvrthrdone
};
static struct tmsvrargs_t empty = { 0 };

int main()
{
	TPCONTEXT_T context = TPINVALIDCONTEXT;
	bool right = context < 0 && context != TPNULLCONTEXT;

	_tmbuilt_with_thread_option = 1;
	right = right && of_tuxedo.p_tpsvrthrinit == tpsvrthrinit &&
		of_tuxedo.p_tpsvrthrdone == tpsvrthrdone &&
		of_tuxedo.svctab == table && of_tuxedo.p_tpsvrinit == tpsvrinit;
	right = right && of_endurox.p_tpsvrthrinit == tpsvrthrinit &&
		of_endurox.xa_switch == &tmnull_switch;
	right = right && empty.svctab == nullptr && tprminit(nullptr, nullptr) == 0;
	return right && TPBLK_SECOND != TPBLK_MILLISECOND && TPNOCOPY == 0 &&
		       MIB_SELF != MIB_PREIMAGE && FIRSTFLDID == 0 &&
		       FLD_DECIMAL > FLD_CARRAY && FLD_MBSTRING > FLD_VIEW32
		   ? 0 : 1;
}
