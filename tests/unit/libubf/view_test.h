/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_test.h - a view with members of every type and flag, as file and as C
 */
#ifndef OW_UBF_VIEW_TEST_H
#define OW_UBF_VIEW_TEST_H

#include "tests/unit/libubf/ubf_test.h"

#include "tests/unit/libubf/tmpdir.h"

static const char view_fields[] =
	"SHORT 101 short\nLONG 102 long\nCHAR 103 char\nFLOAT 104 float\n"
	"DOUBLE 105 double\nSTRING 106 string\nCARRAY 107 carray\n"
	"VIEW 110 view\nUBF 109 ubf\nLONG2 202 long\nSTRING2 206 string\n";

static const char view_file[] =
	"# the sample\n"
	"VIEW SAMPLE\n"
	"# type cname fbname count flag size null\n"
	"short\tone\tSHORT\t1\tFS\t-\t-\n"
	"long\ttwo\tLONG\t1\tFS\t-\t-1\n"
	"char\tthree\tCHAR\t1\tFS\t-\t'x'\n"
	"float\tfour\tFLOAT\t2\tFSC\t-\t1.5\n"
	"double\tfive\tDOUBLE\t1\tFS\t-\tNONE\n"
	"int\tsix\tLONG2\t3\tFSC\t-\t7\n"
	"string\tseven\tSTRING\t3\tFSCL\t12\t\"none at all\"\n"
	"carray\teight\tCARRAY\t2\tFSL\t8\t-\n"
	"string\tnine\t-\t1\tP\t6\t\"-*\"\n"
	"string\tten\tSTRING2\t4\tFS\t4\t-\n"
	"carray\televen\t-\t1\t-\t5\t'\\0\\n\\\\\\'x'\n"
	"END\n"
	"\n"
	"VIEW SMALL\n"
	"char a - 1 - - -\n"
	"END\n";

struct SAMPLE {
	short one;
	long two;
	char three;
	short C_four;
	float four[2];
	double five;
	short C_six;
	int six[3];
	short C_seven;
	unsigned short L_seven[3];
	char seven[3][12];
	unsigned short L_eight[2];
	char eight[2][8];
	char nine[6];
	char ten[4][4];
	char eleven[5];
};

static struct tmpdir view_dir;

/* Make the view file and the field table, and load them. */
static inline int view_setup(void **state)
{
	if (tmpdir_make(&view_dir) < 0 ||
	    tmpdir_write(&view_dir, "sample.v", view_file) < 0 ||
	    tmpdir_write(&view_dir, "t.fd", view_fields) < 0)
		return -1;
	setenv("VIEWDIR", view_dir.path, 1);
	setenv("VIEWFILES", "sample.v", 1);
	setenv("FLDTBLDIR", view_dir.path, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	return 0;
}

static inline int view_teardown(void **state)
{
	tmpdir_remove(&view_dir);
	return 0;
}

/* A structure with all members null and other bytes between them. */
static inline struct SAMPLE *view_sample(void)
{
	struct SAMPLE *s = malloc(sizeof(*s));

	memset(s, 0x55, sizeof(*s));
	assert_int_equal(Bvsinit((char *)s, (char *)"SAMPLE"), 0);
	return s;
}

#endif
