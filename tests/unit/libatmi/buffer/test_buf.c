/* SPDX-License-Identifier: Apache-2.0 */
/* test_buf.c - typed buffers: the registry, sizes, received payloads */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ubf.h>

#include "libatmi/buffer/buf.h"
#include "libubf/store/header.h"

static struct ow_buf_info info;

static char *make(enum ow_buf_type type, size_t size)
{
	char *p = ow_buf_new(type, size);

	assert_non_null(p);
	return p;
}

static void names_and_aliases_of_types(void **state)
{
	assert_int_equal(ow_buf_type_find("UBF"), OW_BUF_UBF);
	assert_int_equal(ow_buf_type_find("FML32"), OW_BUF_UBF);
	assert_int_equal(ow_buf_type_find("X_OCTET"), OW_BUF_CARRAY);
	assert_int_equal(ow_buf_type_find("X_C_TYPE"), OW_BUF_VIEW);
	assert_int_equal(ow_buf_type_find("X_COMMON"), OW_BUF_VIEW);
	assert_int_equal(ow_buf_type_find("STRING"), OW_BUF_STRING);
	assert_int_equal(ow_buf_type_find("XML"), OW_BUF_XML);
	assert_int_equal(ow_buf_type_find("MBSTRING"), OW_BUF_MBSTRING);
	assert_int_equal(ow_buf_type_find("string"), -1);
	assert_int_equal(ow_buf_type_find(""), -1);
}

static void only_pointers_to_buffers_are_found(void **state)
{
	char *p = make(OW_BUF_STRING, 10), local[8], *freed;

	assert_int_equal(ow_buf_find(p, &info), 0);
	assert_int_equal(info.size, OW_BUF_SIZE_MIN);
	assert_string_equal(info.type_name, "STRING");
	assert_int_equal(ow_buf_find(NULL, &info), -ENOENT);
	assert_int_equal(ow_buf_find(local, &info), -ENOENT);
	assert_int_equal(ow_buf_find(p + 1, &info), -ENOENT);
	assert_int_equal(ow_buf_find((char *)1, &info), -ENOENT);
	freed = p;
	ow_buf_free(p);
	assert_int_equal(ow_buf_find(freed, &info), -ENOENT);
	ow_buf_free(freed);
	ow_buf_free(local);
	ow_buf_free(NULL);
	assert_int_equal(ow_buf_resize(&freed, 100), -ENOENT);
}

static void *free_there(void *p)
{
	ow_buf_free(p);
	return NULL;
}

/* Request and reply, looked up in turn; another thread frees one, and another
 * buffer of its memory is of another type. */
static void of_two_in_turn_each_is_found_as_it_is(void **state)
{
	char *a = make(OW_BUF_STRING, 10), *b = make(OW_BUF_CARRAY, 10), *c;
	pthread_t t;
	int i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(ow_buf_find(a, &info), 0);
		assert_string_equal(info.type_name, "STRING");
		assert_int_equal(ow_buf_find(b, &info), 0);
		assert_string_equal(info.type_name, "CARRAY");
	}
	assert_int_equal(pthread_create(&t, NULL, free_there, a), 0);
	pthread_join(t, NULL);
	for (i = 0; i < 2; i++) {
		assert_int_equal(ow_buf_find(a, &info), -ENOENT);
		assert_int_equal(ow_buf_find(b, &info), 0);
		assert_string_equal(info.type_name, "CARRAY");
	}
	c = make(OW_BUF_JSON, 10);
	assert_int_equal(ow_buf_find(b, &info), 0);
	assert_int_equal(ow_buf_find(c, &info), 0);
	assert_string_equal(info.type_name, "JSON");
	ow_buf_free(b);
	assert_int_equal(ow_buf_find(b, &info), -ENOENT);
	assert_int_equal(ow_buf_find(c, &info), 0);
	ow_buf_free(c);
}

/* More than the registry has chains for at the beginning. */
static void each_of_many_buffers_is_found_until_it_is_freed(void **state)
{
	enum { N = 5000 };
	static char *all[N];
	int i;

	for (i = 0; i < N; i++)
		all[i] = make(i % 2 ? OW_BUF_STRING : OW_BUF_CARRAY, 8);
	for (i = 0; i < N; i += 3)
		ow_buf_free(all[i]);
	for (i = 0; i < N; i++)
		assert_int_equal(ow_buf_exists(all[i]), i % 3 != 0);
	for (i = 0; i < N; i++)
		ow_buf_free(all[i]);
	for (i = 0; i < N; i++)
		assert_false(ow_buf_exists(all[i]));
}

static void a_buffer_has_a_size_as_its_type_only(void **state)
{
	char *p = make(OW_BUF_CARRAY, 5000);

	assert_int_equal(ow_buf_size_of(p, OW_BUF_CARRAY), 5000);
	assert_int_equal(ow_buf_size_of(p, OW_BUF_UBF), 0);
	ow_buf_free(p);
	assert_int_equal(ow_buf_size_of(p, OW_BUF_CARRAY), 0);
}

/* The memory of a freed buffer is the next one's; its size and type are not. */
static void a_new_buffer_has_nothing_of_a_freed_one(void **state)
{
	char *p = make(OW_BUF_UBF, 4000), *q;

	ow_buf_free(p);
	q = make(OW_BUF_STRING, 600);
	assert_int_equal(ow_buf_find(q, &info), 0);
	assert_int_equal(info.type, OW_BUF_STRING);
	assert_int_equal(info.size, OW_BUF_SIZE_MIN > 600 ? OW_BUF_SIZE_MIN
							  : 600);
	assert_null(info.view);
	assert_int_equal(info.block, 0);
	assert_string_equal(q, "");
	memset(q, 'x', info.size);
	assert_int_equal(ow_buf_resize(&q, 3000), 0);
	assert_int_equal(ow_buf_size_of(q, OW_BUF_STRING), 3000);
	memset(q, 'y', 3000);
	ow_buf_free(q);
	assert_false(ow_buf_exists(q));
}

static void free_at_end(void *data)
{
	ow_buf_free(data);
}

static void *free_last(void *key)
{
	assert_int_equal(pthread_setspecific(*(pthread_key_t *)key,
					     make(OW_BUF_CARRAY, 900)), 0);
	ow_buf_free(make(OW_BUF_CARRAY, 800));
	return NULL;
}

/* What it frees while it ends, too: a build with sanitizers finds the rest. */
static void a_thread_that_ends_leaves_nothing(void **state)
{
	pthread_key_t key;
	pthread_t t;
	int i;

	assert_int_equal(pthread_key_create(&key, free_at_end), 0);
	for (i = 0; i < 20; i++) {
		assert_int_equal(pthread_create(&t, NULL, free_last, &key), 0);
		pthread_join(t, NULL);
	}
	pthread_key_delete(key);
}

static void sizes_have_a_minimum_and_a_limit(void **state)
{
	char *p = make(OW_BUF_UBF, 0);

	ow_buf_find(p, &info);
	assert_int_equal(info.size, OW_BUF_SIZE_MIN_UBF);
	ow_buf_free(p);
	assert_null(ow_buf_new(OW_BUF_CARRAY, SIZE_MAX));
	assert_null(ow_buf_new(OW_BUF_CARRAY, (size_t)PTRDIFF_MAX - 8));
	p = make(OW_BUF_CARRAY, 1000);
	assert_int_equal(ow_buf_resize(&p, SIZE_MAX), -ENOMEM);
	assert_int_equal(ow_buf_find(p, &info), 0);
	assert_int_equal(info.size, 1000);
	ow_buf_free(p);
}

static void a_resized_buffer_keeps_its_contents(void **state)
{
	char *p = make(OW_BUF_STRING, 600);
	size_t n;

	strcpy(p, "hello");
	for (n = 600; n < 2000000; n *= 3) {
		assert_int_equal(ow_buf_resize(&p, n), 0);
		assert_string_equal(p, "hello");
		ow_buf_find(p, &info);
		assert_int_equal(info.size, n);
	}
	assert_int_equal(ow_buf_resize(&p, 1), 0);
	assert_string_equal(p, "hello");
	ow_buf_free(p);
}

/* Field 167772161 = string, number 1, without any table. */
static BFLDID string_field(void)
{
	return Bmkfldid(BFLD_STRING, 1);
}

static void a_ubf_buffer_does_not_shrink_below_its_fields(void **state)
{
	char *p = make(OW_BUF_UBF, 65536), text[20000], back[20001];
	BFLDLEN len = sizeof(back);

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(Bchg((UBFH *)p, string_field(), 0, text, 0), 0);
	assert_int_equal(ow_buf_resize(&p, 2048), OW_BUF_SMALL);
	assert_int_equal(ow_buf_find(p, &info), 0);
	assert_int_equal(info.size, 65536);
	assert_int_equal(Bget((UBFH *)p, string_field(), 0, back, &len), 0);
	assert_string_equal(back, text);
	assert_int_equal(ow_buf_resize(&p, 30000), 0);
	len = sizeof(back);
	assert_int_equal(Bget((UBFH *)p, string_field(), 0, back, &len), 0);
	assert_string_equal(back, text);
	assert_int_equal(Bsizeof((UBFH *)p), 30000);
	ow_buf_free(p);
}

static void the_requests_buffer_is_freed_after_a_resize(void **state)
{
	char *p = make(OW_BUF_STRING, 600);

	ow_buf_set_auto(p);
	assert_int_equal(ow_buf_resize(&p, 1 << 20), 0);
	ow_buf_find(p, &info);
	assert_true(info.is_auto);
	ow_buf_free_auto();
	assert_int_equal(ow_buf_find(p, &info), -ENOENT);
	p = make(OW_BUF_STRING, 600);
	ow_buf_set_auto(p);
	ow_buf_free(p); /* by the service itself */
	p = make(OW_BUF_STRING, 600);
	ow_buf_free_auto();
	assert_int_equal(ow_buf_find(p, &info), 0);
	assert_false(info.is_auto);
	ow_buf_free(p);
}

static void the_length_sent_depends_on_the_type(void **state)
{
	char *s = make(OW_BUF_STRING, 600), *c = make(OW_BUF_CARRAY, 600);
	char *t = make(OW_BUF_TPINIT, 600), *u = make(OW_BUF_UBF, 4096);
	size_t len = 0;

	strcpy(s, "abc");
	ow_buf_find(s, &info);
	assert_int_equal(ow_buf_wire_len(s, &info, -1, &len), 0);
	assert_int_equal(len, 4);
	memset(s, 'x', 600);
	assert_int_equal(ow_buf_wire_len(s, &info, 0, &len), -EINVAL);
	ow_buf_find(c, &info);
	assert_int_equal(ow_buf_wire_len(c, &info, 600, &len), 0);
	assert_int_equal(len, 600);
	assert_int_equal(ow_buf_wire_len(c, &info, 601, &len), -EINVAL);
	assert_int_equal(ow_buf_wire_len(c, &info, -1, &len), -EINVAL);
	assert_int_equal(ow_buf_wire_len(c, &info, INT64_MIN, &len), -EINVAL);
	ow_buf_find(t, &info);
	assert_int_equal(ow_buf_wire_len(t, &info, 0, &len), -EINVAL);
	ow_buf_find(u, &info);
	assert_int_equal(ow_buf_wire_len(u, &info, 0, &len), 0);
	assert_true(len < 200);
	memset(u, 0xff, 600);
	assert_int_equal(ow_buf_wire_len(u, &info, 0, &len), -EINVAL);
	ow_buf_free(s);
	ow_buf_free(c);
	ow_buf_free(t);
	ow_buf_free(u);
}

/* ---- payloads ---- */

static void valid_payloads_become_buffers(void **state)
{
	char *data = NULL, *old, *u = make(OW_BUF_UBF, 4096);
	_Alignas(16) char wire[4096];
	long len = -1;
	size_t n;

	assert_int_equal(ow_buf_from_wire(OW_BUF_STRING, "abc", 4, &data,
					  &len), 0);
	assert_string_equal(data, "abc");
	assert_int_equal(len, 4);
	old = data;
	assert_int_equal(ow_buf_from_wire(OW_BUF_STRING, "", 1, &data, &len),
			 0);
	assert_ptr_equal(data, old);
	assert_int_equal(ow_buf_from_wire(OW_BUF_CARRAY, "\0\1", 2, &data,
					  &len), 0);
	assert_memory_equal(data, "\0\1", 2);
	assert_int_equal(ow_buf_from_wire(OW_BUF_CARRAY, "", 0, &data, &len),
			 0);
	assert_int_equal(len, 0);
	assert_int_equal(Bchg((UBFH *)u, string_field(), 0, "v", 0), 0);
	n = ow_ubf_used(u);
	memcpy(wire, u, n);
	assert_int_equal(ow_buf_from_wire(OW_BUF_UBF, wire, n, &data, &len),
			 0);
	assert_string_equal(Bfind((UBFH *)data, string_field(), 0, NULL), "v");
	assert_int_equal(Bsizeof((UBFH *)data), OW_BUF_SIZE_MIN_UBF);
	assert_int_equal(ow_buf_from_wire(OW_BUF_NULL, NULL, 0, &data, &len),
			 0);
	assert_null(data);
	assert_int_equal(len, 0);
	ow_buf_free(u);
}

static void invalid_payloads_leave_the_buffer_unchanged(void **state)
{
	static const struct {
		enum ow_buf_type type;
		const char *bytes;
		size_t len;
	} bad[] = {
		{ OW_BUF_STRING, "abc", 3 },	 /* no NUL */
		{ OW_BUF_STRING, "", 0 },
		{ OW_BUF_STRING, "a\0b\0", 4 },	 /* two NULs */
		{ OW_BUF_JSON, "{}", 2 },
		{ OW_BUF_UBF, "", 0 },
		{ OW_BUF_UBF, "garbage", 7 },
		{ OW_BUF_TPINIT, "x", 1 },
		{ OW_BUF_VIEW, "x", 1 },
		{ (enum ow_buf_type)1, "x", 1 },
		{ (enum ow_buf_type)200, "x", 1 },
	};
	_Alignas(16) char wire[64];
	char *data = make(OW_BUF_STRING, 600), *before = data;
	long len = 42;
	size_t i;

	strcpy(data, "kept");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(wire, bad[i].bytes, bad[i].len);
		assert_int_equal(ow_buf_from_wire(bad[i].type, wire,
						  bad[i].len, &data, &len),
				 -EBADMSG);
		assert_ptr_equal(data, before);
		assert_string_equal(data, "kept");
		assert_int_equal(len, 42);
	}
	ow_buf_free(data);
}

/* A payload with one byte changed is refused, or its fields can be read. */
static void a_ubf_payload_with_any_byte_changed_is_harmless(void **state)
{
	char *u = make(OW_BUF_UBF, 4096), *data = NULL;
	_Alignas(16) uint8_t wire[4096];
	BFLDOCC occ;
	BFLDID id;
	long len;
	size_t n, i;
	int v;

	for (i = 0; i < 5; i++)
		Badd((UBFH *)u, Bmkfldid(BFLD_STRING, 3), "text", 0);
	Badd((UBFH *)u, Bmkfldid(BFLD_LONG, 4), (char *)&len, 0);
	n = ow_ubf_used(u);
	for (i = 0; i < n; i++)
		for (v = 0; v < 256; v += 15) {
			memcpy(wire, u, n);
			wire[i] = (uint8_t)v;
			if (ow_buf_from_wire(OW_BUF_UBF, wire, n, &data,
					     &len) != 0)
				continue;
			id = BFIRSTFLDID;
			while (Bnext((UBFH *)data, &id, &occ, NULL, NULL) == 1)
				(void)Bfind((UBFH *)data, id, occ, NULL);
		}
	ow_buf_free(data);
	ow_buf_free(u);
}

static void *churn(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg, i, k;
	char *p[16] = { NULL };

	for (k = 0; k < 20000; k++) {
		struct ow_buf_info in;

		i = (unsigned int)rand_r(&seed) % 16;
		if (p[i] == NULL)
			p[i] = ow_buf_new(OW_BUF_CARRAY, 100);
		else if (ow_buf_find(p[i], &in) != 0)
			return "lost";
		else if (k % 2 == 0)
			(void)ow_buf_resize(&p[i],
					    (size_t)rand_r(&seed) % 9999);
		else {
			ow_buf_free(p[i]);
			p[i] = NULL;
		}
	}
	for (i = 0; i < 16; i++)
		ow_buf_free(p[i]);
	return NULL;
}

static void threads_share_the_registry(void **state)
{
	pthread_t t[4];
	void *problem;
	uintptr_t i;

	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, churn, (void *)(i + 1));
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &problem);
		assert_null(problem);
	}
}

static void *free_it(void *arg)
{
	ow_buf_free(arg);
	return NULL;
}

/* Each thread remembers the buffer that it found last. */
static void a_buffer_freed_by_another_thread_is_not_found(void **state)
{
	pthread_t t;
	char *p = ow_buf_new(OW_BUF_STRING, 100);

	assert_non_null(p);
	assert_int_equal(ow_buf_find(p, &info), 0);
	assert_int_equal(ow_buf_find(p, &info), 0);
	pthread_create(&t, NULL, free_it, p);
	pthread_join(t, NULL);
	assert_int_equal(ow_buf_find(p, &info), -ENOENT);
}

/* A pointer is an address of the sender; here it may be that of a buffer. */
static void received_pointers_become_null(void **state)
{
	char *data = NULL, *other = ow_buf_new(OW_BUF_STRING, 10), *got;
	UBFH *p = Balloc(10, 500), *in = Balloc(4, 100);
	const BFLDID ptr = Bmkfldid(BFLD_PTR, 1), ubf = Bmkfldid(BFLD_UBF, 1);
	long len;

	assert_int_equal(Badd(in, ptr, (char *)&other, 0), 0);
	assert_int_equal(Badd(p, ptr, (char *)&other, 0), 0);
	assert_int_equal(Badd(p, ubf, (char *)in, 0), 0);
	assert_int_equal(ow_buf_from_wire(OW_BUF_UBF, p, (size_t)Bused(p),
					  &data, &len), 0);
	assert_int_equal(Bget((UBFH *)(void *)data, ptr, 0, (char *)&got,
			      NULL), 0);
	assert_null(got);
	assert_int_equal(Bgetrv((UBFH *)(void *)data, (char *)&got, NULL, ubf,
				0, ptr, 0, BBADFLDOCC), 0);
	assert_null(got);
	ow_buf_free_deep(data);
	ow_buf_free(other);
	Bfree(p);
	Bfree(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_aliases_of_types),
		cmocka_unit_test(only_pointers_to_buffers_are_found),
		cmocka_unit_test(of_two_in_turn_each_is_found_as_it_is),
		cmocka_unit_test(each_of_many_buffers_is_found_until_it_is_freed),
		cmocka_unit_test(a_buffer_has_a_size_as_its_type_only),
		cmocka_unit_test(a_new_buffer_has_nothing_of_a_freed_one),
		cmocka_unit_test(a_thread_that_ends_leaves_nothing),
		cmocka_unit_test(sizes_have_a_minimum_and_a_limit),
		cmocka_unit_test(a_resized_buffer_keeps_its_contents),
		cmocka_unit_test(
		    a_ubf_buffer_does_not_shrink_below_its_fields),
		cmocka_unit_test(the_requests_buffer_is_freed_after_a_resize),
		cmocka_unit_test(the_length_sent_depends_on_the_type),
		cmocka_unit_test(valid_payloads_become_buffers),
		cmocka_unit_test(invalid_payloads_leave_the_buffer_unchanged),
		cmocka_unit_test(
		    a_ubf_payload_with_any_byte_changed_is_harmless),
		cmocka_unit_test(threads_share_the_registry),
		cmocka_unit_test(
		    a_buffer_freed_by_another_thread_is_not_found),
		cmocka_unit_test(received_pointers_become_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
