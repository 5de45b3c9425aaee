/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constants.h - the constants of waiting and waking, each with its reason
 *
 * All that decides who is woken, when, and who waits how for what, is in this
 * folder, as functions of what was read: they know no process, no clock and
 * no shared memory. The transports read words, ask, and act on the answer.
 * bench/sim asks the same functions.
 *
 * A constant has a name, a default, the least and the greatest value that
 * make sense, a reason, and what was measured (doc/lab, the
 * commit). Times are nanoseconds. For experiments NDRX_WAKE_POLICY gives
 * others: "pending_ns=4000000 yields=0". Each process reads its own
 * environment; nothing in shared memory depends on these values.
 */
#ifndef OW_WAKING_CONSTANTS_H
#define OW_WAKING_CONSTANTS_H

#include <stddef.h>
#include <stdint.h>

/* Servers that turn out not to be idle; then the sender gives up, and a nudge
 * or poll finds the message: a bound for the worst case. */
#define OW_WAKING_TRIES 64u
/* Once yields are cheap one in so many is timed: reading the clock costs as
 * much as a yield. */
#define OW_WAKING_YIELD_MEASURE 16u
/* The time to the next nudge doubles while it is below this. */
#define OW_WAKING_NUDGE_DOUBLES_NS UINT64_C(1000000000)
/* The most waits without a look, if no time slice was given away: a load that
 * ends is noticed within some 50 ms. */
#define OW_WAKING_LOOK_PAUSE 1024u
/* What a sleep costs in CPU time: a look that found something is charged what it
 * took beyond that. */
#define OW_WAKING_SLEEP_COST_NS UINT64_C(5000)
/* The longest sleep for room, and without a deadline or tick. */
#define OW_WAKING_SLICE_NS UINT64_C(1000000000)
/* A sleep for room in a mailbox, which wakes no sender; of a sender with calls
 * out, between two looks into its own. */
#define OW_WAKING_ROOM_NAP_NS UINT64_C(2000000)

/* Those that an experiment or a test changes.
 * X(name, default, least, greatest, reason, what was measured) */
#define OW_WAKING_CONSTANTS(X)                                               \
	/* ---- a sender: whom to wake (whom.h) ---- */                      \
	X(pending_ns, 2000000, 0, 10000000000,                               \
	  "A woken server that has not come is ignored after this time: it " \
	  "was killed or stopped. Longer than a wake-up, shorter than what " \
	  "callers notice.",                                                 \
	  "Two processes that sleep on a futex in turn take 50 us for a "    \
	  "round trip. bench/run ablation has it without.")                  \
	X(waiting_ns, 500000, 0, 10000000000,                                \
	  "posix: the same of a service that waits for something else than " \
	  "a CPU: many of its servers are to be awake.",                     \
	  "Quiet pairs against 2 ms: 99 of 100 services quick, one of 50 "   \
	  "ms: 1.05 of the calls, p99 0.81; 0.2 ms: services of 0.2 - 5 ms, " \
	  "1,000 callers, p99 1.33.")                                        \
	/* ---- a busy server reads the clock (rounds.h) ---- */             \
	X(slow_ns, 1000000, 0, 10000000000,                                  \
	  "After a service that is slower the clock is read at once, so "    \
	  "that ticks come on time.",                                        \
	  "6f35ef2: a busy server of slow services did not come back to a "  \
	  "new ndrxd in time.")                                              \
	X(clock_every, 32, 1, 65536,                                         \
	  "Rounds of work between two readings of the clock.",               \
	  "bench/run ablation: inside noise.")                               \
	X(run_max, 64, 0, 65536,                                             \
	  "posix: requests that a server receives one after the other "      \
	  "without a byte for each, before it looks for what else it "       \
	  "has to do (transport/posix/run.h).",                              \
	  "One-way calls, 4 callers, 4 servers: 1.84 (1.79 - 1.93), won 9 "  \
	  "of 9 pairs.")                                                     \
	X(run_ns, 25000000, 0, 10000000000,                                  \
	  "posix: the same, from the end of the first service on: ndrxd's "  \
	  "packets and timers wait for the end of a run. A service that "    \
	  "takes longer is followed by no other.",                           \
	  "Services of 0.2 - 5 ms, 200 callers: with 10 ms 0.31 of the "     \
	  "requests are received in runs, with 100 ms 0.43.")                           \
	/* ---- servers that doze (transport/posix/doze.h) ---- */           \
	X(doze_ns, 4000000, 0, 1000000000,                                   \
	  "posix: a server that has just served sleeps so long where a "     \
	  "sender finds it, before it waits for bytes. 0: it does not.",     \
	  "Services of 1 ms, 100 callers: 1.12 of the calls, 0.05 bytes for " \
	  "each in place of 0.27.")                                          \
	X(doze_servers, 16, 0, 65535,                                        \
	  "posix: servers of services that have fewer do not doze: a byte "  \
	  "passes few that work.",                                           \
	  "One-way requests to 4 servers: with dozes 0.84 of them.")         \
	/* ---- servers that compute: which stand by (standby.h) ---- */     \
	X(standby_ns, 2000000, 0, 1000000000,                                \
	  "A server that stands by looks again after this time. 0: none "    \
	  "stands by.",                                                      \
	  "burn100, 100 callers: 1 ms and 2 ms alike, 4 ms 0.93 of the "     \
	  "calls (one slow moment leaves a CPU idle for so long).")          \
	X(standby_late_ns, 300000, 0, 10000000000,                           \
	  "A server that gets its CPU so late after it was woken stands "    \
	  "by. An idle CPU comes sooner.",                                   \
	  "burn100, 100 callers: with 1 and 2 ms all 250 servers are "       \
	  "awake, as without the rule.")                                     \
	X(standby_held_ns, 4000000, 0, 10000000000,                          \
	  "A server that had no CPU for so long, while others served, "      \
	  "stands by. A busy CPU is given away each 4 ms (HZ=250).",         \
	  "burn100, 100 callers: with 1 and 2 ms 0.93 of the calls: two "    \
	  "give way at once.")                                               \
	X(standby_share, 500, 0, 1000000,                                    \
	  "Servers stand by while services use so much of all CPUs (per "    \
	  "mille). Beside other programs fewer servers would get less.",     \
	  "burn100, 30 callers beside two programs that compute: no "        \
	  "fewer calls.")                                                    \
	X(standby_judge_ns, 200000, 0, 10000000000,                          \
	  "Services that take so long are measured: those that wait, and "   \
	  "those that lost their CPU.",                                      \
	  "net, 200 callers, without a bound to how often: 0.82 of the "     \
	  "calls.")                                                          \
	/* ---- polls without a wake-up (poll.h) ---- */                     \
	X(poll_ns, 1000000000, 1000000, 60000000000,                         \
	  "Period of an idle server's polls, and of its housekeeping. The "  \
	  "last resort for a message whose wake-up was lost.",               \
	  "4,000 idle servers take 5 % of two CPUs, two thirds of that the " \
	  "kernel's housekeeping.")                                          \
	X(unsure_ns, 20000000, 1000000, 10000000000,                         \
	  "Between the two polls after which a server takes messages that "  \
	  "it was not woken for.",                                           \
	  "dfe2ccb: polling servers that took at once replaced warm servers " \
	  "by cold ones 4,000 times a second.")                              \
	X(pollers, 128, 1, 65535,                                            \
	  "Idle servers that poll a queue each second; of more, each polls " \
	  "less often, and ndrxd looks at the queue.",                       \
	  "bf30c9f: 128 polls are a tenth of a per cent of one CPU.")        \
	/* ---- a caller: before it sleeps (yield.h), and how long ---- */   \
	X(yields, 2, 0, 64,                                                  \
	  "sched_yield() before a sleep, each followed by a look at the "    \
	  "mailbox.",                                                        \
	  "71214ea: 0.9 - 1.1 million instead of 0.2 - 0.45 BANK calls/s "   \
	  "with four. With four killed processes end later: of 300 callers " \
	  "7 waited more than 100 ms, with two 1 of 280.")                   \
	X(yield_service_ns, 5000, 0, 10000000000,                            \
	  "A service that takes longer has long replies: callers do not "    \
	  "yield for them.",                                                 \
	  "Ten callers, services that compute 2, 4, 7, 15, 30 us, with "     \
	  "yields to without: 2.11, 0.96, 0.91, 0.90, 0.89 of the calls "    \
	  "on shm, 1.50, 1.10, 0.96, 1.02, 0.99 on posix; the slowest "      \
	  "hundredth takes 1.3 - 2.0 times as long from 4 us on.")           \
	X(yield_costly_ns, 600000, 0, 10000000000,                           \
	  "A yield that took longer gave a time slice away. If the mean is " \
	  "above it, others compute without end in this session.",           \
	  "Beside two such programs 171,000 - 178,000 calls/s; 6,250 - "     \
	  "6,750 if yields are not timed, 211,000 without yields.")          \
	X(yield_mean, 16, 1, 65536,                                          \
	  "The mean of yields: each new time counts one part in so many.",   \
	  "BANK, ten callers, posix: yields take 43 us in the mean, one of " \
	  "a thousand 0.6 - 8 ms; beside two programs that compute without " \
	  "end 1,550 us.")                                                   \
	X(yield_pause_min, 64, 1, 1048576,                                   \
	  "Waits without a yield after a costly one; then twice as many "    \
	  "each time.",                                                      \
	  "As yield_costly_ns.")                                             \
	X(yield_pause_max, 65536, 1, 1048576,                                \
	  "The most waits without a yield.",                                 \
	  "As yield_costly_ns.")                                             \
	X(yield_cheap_enough, 64, 1, 1048576,                                \
	  "Cheap yields in a row that end the pauses, and after which not "  \
	  "every yield is timed.",                                           \
	  "As yield_costly_ns.")                                             \
	X(yield_misses, 90, 1, 100,                                          \
	  "Per cent of the waits, of late, whose yields found no reply: if " \
	  "more are in vain, the caller pauses; 100: never.",                \
	  "doc/lab/2026-11-27.md: services that wait, callers in a session " \
	  "of their own.")                                                   \
	X(yield_miss_pause_max, 1024, 1, 1048576,                            \
	  "The most waits without a yield after yields in vain: then one "   \
	  "tries again.",                                                    \
	  "As yield_misses.")                                                \
	X(nudge_ns, 23000000, 1000000, 60000000000,                          \
	  "A caller without a reply nudges the queues it called. No round "  \
	  "number: periods of programs' timers are.",                        \
	  "Stopped servers delay a call by 25 ms (bench/run stops).")        \
	/* ---- looks before a sleep (look.h) ---- */                        \
	X(look_max_ns, 50000, 0, 10000000000,                                \
	  "The longest look; 0: no looks. What comes later is not "          \
	  "worth the CPU: a sleep costs 25 us.",                             \
	  "ECHO, one caller, medians of 3 pairs: 261,000 instead of "        \
	  "37,000 calls/s on shm, 163,000 instead of 24,000 on posix; "      \
	  "BANK, ten callers: 1.0 (9 pairs).")                               \
	X(look_min_ns, 5000, 1, 10000000000,                                 \
	  "The first limit of a process's looks; below it the process "      \
	  "does not look.",                                                  \
	  "Tests of looks set it, so that they depend on no CPU.")           \
	X(look_sample, 8, 1, 65536,                                          \
	  "While a process does not look, one wait in so many is "           \
	  "measured: two readings of the clock.",                            \
	  "Tests of looks set it, so that they depend on no CPU.")           \
	X(look_yield_ns, 2000, 0, 10000000000,                               \
	  "Between two yields of a look: processes that are ready to "       \
	  "run on this CPU come first.",                                     \
	  "Ten callers on 2 computed CPUs make 0.53 of the calls if "        \
	  "looks do not yield, 1.06 with a yield every 2 us "                \
	  "(bench/run sim).")                                                \
	X(look_alone_ns, 4000, 0, 10000000000,                               \
	  "A yield that took longer let other processes run.",               \
	  "With 10,000, and look_pause_min 4: BANK, ten callers, 0.82 "      \
	  "of the calls (9 pairs).")                                         \
	X(look_gap_ns, 20000, 0, 10000000000,                                \
	  "A longer time between two readings of the clock in a look: "      \
	  "the process has lost its CPU.",                                   \
	  "Tests of looks set it, so that they depend on no CPU.")           \
	X(look_pause_min, 16, 1, 1048576,                                    \
	  "Waits without a look after the CPU was wanted; then twice "       \
	  "as many each time. Interrupts count as wanted, too.",             \
	  "With 64, and look_alone_ns 2,000: 99 of 100 lone ECHO "           \
	  "calls on shm within 25 instead of 18 us (5 pairs).")              \
	X(look_seat_ns, 1000000, 1000, 10000000000,                          \
	  "How long a process keeps a seat without renewing it: one "        \
	  "write to shared memory for many looks.",                          \
	  "Tests of looks set it, so that they depend on no CPU.")           \
	X(look_credit_ns, 10000000, 0, 10000000000,                          \
	  "No process looks while looks are paid for so long in "            \
	  "advance.",                                                        \
	  "Tests of looks set it, so that they depend on no CPU.")           \
	/* ---- for room, and without a deadline ---- */                     \
	X(room_part, 4, 1, 65536,                                            \
	  "Senders that wait for room are woken when 1 / room_part of the "  \
	  "queue is free: one wake-up for many messages.",                   \
	  "bench/run ablation: a gain, see doc/design/waking.md.")             \
	X(postpone_ns, 20000000, 0, 60000000000,                             \
	  "A server waits so long for room for a reply, then postpones it.", \
	  "75ce347: a lazy client holds no server up.")

struct ow_waking {
#define X(name, value, least, most, why, measured) uint64_t name;
	OW_WAKING_CONSTANTS(X)
#undef X
};

/* A constant as text. */
struct ow_waking_constant {
	const char *name, *why, *measured;
	uint64_t value, least, most;
};

extern const struct ow_waking ow_waking_defaults;

/* Number `i` of all constants; NULL: no more. */
const struct ow_waking_constant *ow_waking_constant(size_t i);
/* The value of number `i` in `k`. */
uint64_t ow_waking_value(const struct ow_waking *k, size_t i);

/*
 * The defaults, changed as `text` says ("name=value", separated by blanks or
 * commas; NULL, "": not). 0; -EINVAL: `why` says what is wrong, *ret holds
 * the defaults.
 */
int ow_waking_read(struct ow_waking *ret, const char *text, char *why,
		   size_t size);

#endif
