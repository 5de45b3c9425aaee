/* SPDX-License-Identifier: Apache-2.0 */
/* test_origin.c - a user of this machine has one name, whatever address he takes */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "clients/ndrxweb/origin.h"

struct pair {
	int door, theirs, ours;
};

/* A connection to ourselves from this address. */
static struct pair connect_from(const char *address)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t n = sizeof(a);
	struct pair p;

	p.door = socket(AF_INET, SOCK_STREAM, 0);
	p.theirs = socket(AF_INET, SOCK_STREAM, 0);
	inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
	assert_int_equal(bind(p.door, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(p.door, 1), 0);
	inet_pton(AF_INET, address, &a.sin_addr);
	assert_int_equal(bind(p.theirs, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(p.door, (struct sockaddr *)&a, &n), 0);
	assert_int_equal(connect(p.theirs, (struct sockaddr *)&a, n), 0);
	p.ours = accept(p.door, NULL, NULL);
	assert_true(p.ours >= 0);
	return p;
}

/* The same to an end of IPv4 from one of IPv6, which the kernel lists elsewhere. */
static struct pair connect_mapped(void)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t n = sizeof(a);
	struct pair p;

	p.door = socket(AF_INET, SOCK_STREAM, 0);
	p.theirs = socket(AF_INET6, SOCK_STREAM, 0);
	inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
	assert_int_equal(bind(p.door, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(p.door, 1), 0);
	assert_int_equal(getsockname(p.door, (struct sockaddr *)&a, &n), 0);
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &six.sin6_addr);
	six.sin6_port = a.sin_port;
	assert_int_equal(connect(p.theirs, (struct sockaddr *)&six,
				 sizeof(six)), 0);
	p.ours = accept(p.door, NULL, NULL);
	assert_true(p.ours >= 0);
	return p;
}

static void close_pair(const struct pair *p)
{
	close(p->ours);
	close(p->door);
}

static void a_user_has_one_name_from_any_address(void **state)
{
	static const char *const addresses[] = { "127.0.0.1", "127.0.0.7",
						 "127.9.8.7" };
	char name[OW_ORIGIN_SIZE], want[OW_ORIGIN_SIZE];
	struct pair p;
	size_t i;

	(void)state;
	snprintf(want, sizeof(want), "user %u", (unsigned int)getuid());
	for (i = 0; i < 3; i++) {
		p = connect_from(addresses[i]);
		ow_origin_name(p.ours, name);
		assert_string_equal(name, want);
		close(p.theirs);
		close_pair(&p);
	}
	p = connect_mapped();
	ow_origin_name(p.ours, name);
	assert_string_equal(name, want);
	close(p.theirs);
	close_pair(&p);
}

/* The kernel shows such an end as one of user 0. */
static void whose_end_is_closed_is_no_user(void **state)
{
	struct pair p = connect_from("127.0.0.7");
	char name[OW_ORIGIN_SIZE];

	(void)state;
	close(p.theirs);
	ow_origin_name(p.ours, name);
	assert_string_equal(name, "this machine");
	close_pair(&p);
}

static void check_address(int family, const char *text, const char *want)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	char name[OW_ORIGIN_SIZE];
	void *to = family == AF_INET6 ? (void *)&six.sin6_addr
				      : (void *)&four.sin_addr;

	assert_int_equal(inet_pton(family, text, to), 1);
	ow_origin_address(family == AF_INET6 ? (struct sockaddr *)&six
					     : (struct sockaddr *)&four, name);
	assert_string_equal(name, want);
}

static void a_host_of_ipv6_has_one_name(void **state)
{
	(void)state;
	check_address(AF_INET6, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::");
	check_address(AF_INET6, "2001:db8:1:2:ffff::1", "2001:db8:1:2::");
	check_address(AF_INET6, "2001:db8:1:3::1", "2001:db8:1:3::");
	check_address(AF_INET6, "::ffff:192.0.2.7", "192.0.2.7");
	check_address(AF_INET6, "::ffff:127.0.0.9", "this machine");
	check_address(AF_INET6, "::1", "this machine");
	check_address(AF_INET, "192.0.2.7", "192.0.2.7");
	check_address(AF_INET, "127.0.0.9", "this machine");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_has_one_name_from_any_address),
		cmocka_unit_test(whose_end_is_closed_is_no_user),
		cmocka_unit_test(a_host_of_ipv6_has_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
