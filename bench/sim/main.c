/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - wakesim: one run of the waking policy on a computed machine
 *
 * Prints one JSON object: what was computed, and the figures. Constants are
 * those of NDRX_WAKE_POLICY; --constants lists them, with their reasons.
 */
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sim/crowd.h"

static const char usage[] =
    "usage: wakesim [--cpus N] [--servers N] [--callers N] [--calls N]\n"
    "	[--load closed|open|burst] [--service NS] [--think NS] [--exact]\n"
    "	[--wait NS] [--wait-every N]\n"
    "	[--oneway] [--even] [--stop-every NS] [--stop NS] [--until NS]\n"
    "	[--look NS] [--hogs N]\n"
    "	[--idle-wake NS] [--futex NS] [--seed N] | --constants\n";

enum { ONEWAY = 1, EVEN, EXACT, CONSTANTS, LOAD };

/* An option with a number, and where it goes. */
struct number {
	const char *name;
	size_t offset, size;
};

#define NUMBER(option, field)                                   \
	{ option, offsetof(struct sim_plan, field),             \
	  sizeof(((struct sim_plan *)NULL)->field) }

static const struct number numbers[] = {
	NUMBER("cpus", cpus),
	NUMBER("servers", servers),
	NUMBER("callers", callers),
	NUMBER("calls", calls),
	NUMBER("service", service_ns),
	NUMBER("wait", wait_ns),
	NUMBER("wait-every", wait_every),
	NUMBER("think", think_ns),
	NUMBER("stop-every", stop_every_ns),
	NUMBER("stop", stop_ns),
	NUMBER("idle-wake", costs.idle_wake),
	NUMBER("futex", futex_ns),
	NUMBER("until", until_ns),
	NUMBER("look", waking.look_max_ns),
	NUMBER("hogs", hogs),
	NUMBER("seed", seed),
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
#define FIRST	100 /* value of the first of them for getopt */

static void fail(const char *what)
{
	fprintf(stderr, "%s\n%s", what, usage);
	exit(2);
}

static void set_number(struct sim_plan *plan, const struct number *n,
		       const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 10);
	uint32_t small = (uint32_t)v;

	if (*text == '\0' || *end != '\0' || (n->size == 4 && v > UINT32_MAX))
		fail("no number");
	if (n->size == sizeof(v))
		memcpy((char *)plan + n->offset, &v, sizeof(v));
	else
		memcpy((char *)plan + n->offset, &small, sizeof(small));
}

static void set_load(struct sim_plan *plan, const char *word)
{
	static const char *const words[] = { "closed", "open", "burst" };
	int i;

	for (i = 0; i < 3 && strcmp(word, words[i]) != 0; i++)
		;
	if (i == 3)
		fail("no such load");
	plan->load = (enum sim_load)i;
	plan->oneway |= plan->load == SIM_BURST;
}

static void list_constants(void)
{
	const struct ow_waking_constant *c;
	size_t i;

	for (i = 0; (c = ow_waking_constant(i)) != NULL; i++)
		printf("%s=%llu (%llu to %llu)\n\t%s\n\tMeasured: %s\n",
		       c->name, (unsigned long long)c->value,
		       (unsigned long long)c->least,
		       (unsigned long long)c->most, c->why, c->measured);
	exit(0);
}

static void set_option(struct sim_plan *plan, int option)
{
	switch (option) {
	case ONEWAY:
		plan->oneway = true;
		break;
	case EVEN:
		plan->even = true;
		break;
	case EXACT:
		plan->exact = true;
		break;
	case LOAD:
		set_load(plan, optarg);
		break;
	case CONSTANTS:
		list_constants();
		break;
	default:
		if (option < FIRST)
			fail("no such option");
		set_number(plan, &numbers[option - FIRST], optarg);
		break;
	}
}

static void parse(int argc, char **argv, struct sim_plan *plan)
{
	struct option options[NUMBERS + 6] = {
		{ "oneway", no_argument, NULL, ONEWAY },
		{ "even", no_argument, NULL, EVEN },
		{ "exact", no_argument, NULL, EXACT },
		{ "constants", no_argument, NULL, CONSTANTS },
		{ "load", required_argument, NULL, LOAD },
	};
	size_t i;
	int o;

	for (i = 0; i < NUMBERS; i++)
		options[5 + i] = (struct option){ numbers[i].name,
						  required_argument, NULL,
						  FIRST + (int)i };
	while ((o = getopt_long(argc, argv, "", options, NULL)) >= 0)
		set_option(plan, o);
	if (optind < argc || plan->cpus == 0 || plan->servers == 0 ||
	    plan->wait_every == 0)
		fail("no such machine");
	if (plan->callers == 0)
		plan->calls = 0;
	else if (plan->calls < plan->callers)
		plan->calls = plan->callers;
}

static double us(uint64_t ns)
{
	return (double)ns / 1000;
}

static void print(const struct sim_plan *p, const struct sim_result *r)
{
	double calls = r->calls > 0 ? (double)r->calls : 1;

	printf("{\"cpus\": %u, \"servers\": %u, \"callers\": %u, "
	       "\"service_us\": %.3f, ",
	       p->cpus, p->servers, p->callers, us(p->service_ns));
	printf("\"calls\": %llu, \"calls_per_s\": %.0f, \"p50_us\": %.1f, "
	       "\"p99_us\": %.1f, \"p999_us\": %.1f, \"max_us\": %.1f, ",
	       (unsigned long long)r->calls,
	       (double)r->calls * 1e9 / (double)r->busy_ns,
	       us(ow_hist_quantile(&r->call, 0.5)),
	       us(ow_hist_quantile(&r->call, 0.99)),
	       us(ow_hist_quantile(&r->call, 0.999)), us(r->call.max));
	printf("\"wait_max_us\": %.1f, \"woken_per_call\": %.3f, "
	       "\"in_vain_per_call\": %.3f, \"callers_woken_per_call\": %.3f, ",
	       us(r->wait.max), (double)r->woken / calls,
	       (double)r->in_vain / calls, (double)r->callers_woken / calls);
	printf("\"woken\": %llu, \"used\": %u, \"polls\": %llu, "
	       "\"nudges\": %llu, \"switches_per_call\": %.2f, "
	       "\"stood_by\": %llu, \"gave_way\": %llu, \"ready\": %.1f, "
	       "\"looks\": %llu, \"hits\": %llu, \"looked_percent\": %.2f, "
	       "\"cpu_percent\": %.2f}\n",
	       (unsigned long long)r->woken, r->used,
	       (unsigned long long)r->polls, (unsigned long long)r->nudges,
	       (double)r->switches / calls, (unsigned long long)r->stood_by,
	       (unsigned long long)r->gave_way,
	       r->ready_samples > 0 ? (double)r->ready_sum /
					  (double)r->ready_samples : 0,
	       (unsigned long long)r->looks,
	       (unsigned long long)r->hits,
	       100 * (double)r->looked_ns / (double)r->ns, 100 * r->cpu);
}

int main(int argc, char **argv)
{
	struct sim_plan plan = sim_plan_usual();
	struct sim_result r;
	char why[200] = "";

	parse(argc, argv, &plan);
	if (ow_waking_read(&plan.waking, getenv("NDRX_WAKE_POLICY"), why,
			   sizeof(why)) != 0)
		fail(why);
	sim_crowd_run(&plan, &r);
	print(&plan, &r);
	return 0;
}
