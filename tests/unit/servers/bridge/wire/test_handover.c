/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_handover.c - a session goes from one connection to another, nothing is lost
 *
 * The functions of nats.h are here: a thread brings what node 2 says to the
 * bridge, on each connection, at once or late. Node 2 is a bridge without
 * connections, which hears at once. It sends replies, which have numbers.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include "servers/bridge/peers/connection.h"
#include "servers/bridge/wire/handover.h"
#include "libatmi/wire/msg.h"

struct message {
	struct message *next;
	char subject[96];
	size_t len;
	char data[];
};

struct ow_nats {
	struct ow_nats_events ev;
	bool late; /* what it hears comes with the third PING */
	struct message *first, **last;
};

static struct ow_bridge bridge, other;
static struct ow_nats connection[2];
static int open_ones; /* of `connection` */
static struct ow_br_handover_user user;
static struct ow_br_handover *handover;
static int pings;
static bool deaf;    /* node 2 hears no PING */
static bool refused; /* nats-server wants no second connection */
static bool cut;     /* the second connection is lost at once */
static bool late[2];
static bool convs;	       /* node 2 sends a reply with each PING */
static struct ow_nats *sender; /* the last one that has sent */

/* ---- node 2, and the server ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t deliverer;
static bool busy, ended; /* the thread */

/* The connection that has something to deliver; NULL: none. */
static struct ow_nats *due(void)
{
	int i;

	for (i = 0; i < open_ones; i++)
		if (connection[i].first != NULL && !connection[i].late)
			return &connection[i];
	return NULL;
}

static void *deliver(void *arg)
{
	struct ow_nats *n;
	struct message *l;

	pthread_mutex_lock(&lock);
	while (!ended) {
		n = due();
		busy = n != NULL;
		pthread_cond_broadcast(&changed);
		if (n == NULL) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		l = n->first;
		n->first = l->next;
		pthread_mutex_unlock(&lock);
		n->ev.message(n->ev.arg, l->subject, l->data, l->len);
		free(l);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Wait until all has been delivered that is not late. */
static void settle(void)
{
	pthread_mutex_lock(&lock);
	while (busy || due() != NULL)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void let_come(void)
{
	pthread_mutex_lock(&lock);
	connection[0].late = connection[1].late = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void hear(struct ow_nats *n, const char *subject, const void *data,
		 size_t len)
{
	struct message *l = malloc(sizeof(*l) + len);

	assert_non_null(l);
	l->next = NULL;
	snprintf(l->subject, sizeof(l->subject), "%s", subject);
	l->len = len;
	memcpy(l->data, data, len);
	pthread_mutex_lock(&lock);
	if (n->first == NULL)
		n->last = &n->first;
	*n->last = l;
	n->last = &l->next;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static int from_other(void *arg, const char *subject, const char *reply,
		      const void *data, size_t len)
{
	int i;

	(void)arg;
	(void)reply;
	for (i = 0; i < open_ones; i++)
		hear(&connection[i], subject, data, len);
	return 0;
}

static void reply_from_other(void)
{
	struct ow_br_out *o = ow_br_out_new(8);

	memset(o->payload, 0, 8);
	o->frame.kind = OW_BR_REPLY;
	o->frame.buftype = OW_BUF_CARRAY;
	o->frame.id = 12345;
	o->frame.total = 8;
	ow_br_queue(other.peers.peer[0], OW_BR_REPLIES, o);
	ow_br_flush(&other.peers);
}

static bool is_ping(const void *data)
{
	struct ow_br_frame f;

	memcpy(&f, (const char *)data + sizeof(struct ow_br_batch), sizeof(f));
	return f.kind == OW_BR_PING;
}

int ow_nats_send(struct ow_nats *n, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	(void)reply;
	sender = n;
	if (is_ping(data)) {
		if (convs)
			reply_from_other();
		if (deaf)
			return 0;
	}
	ow_br_message(&other.peers, subject, data, len);
	if (is_ping(data)) {
		if (convs)
			reply_from_other();
		if (++pings > 2)
			let_come();
	}
	return 0;
}

static void connect(const struct ow_nats_events *ev, struct ow_nats **ret)
{
	*ret = &connection[open_ones];
	**ret = (struct ow_nats){ .ev = *ev, .late = late[open_ones] };
	pthread_mutex_lock(&lock);
	open_ones++;
	pthread_mutex_unlock(&lock);
}

int ow_nats_open(const struct ow_nats_options *o,
		 const struct ow_nats_events *ev, const char *const *subjects,
		 struct ow_nats **ret, char *why, size_t size)
{
	connect(ev, ret);
	ev->up(ev->arg);
	return 0;
}

int ow_nats_follow(const struct ow_nats_options *o,
		   const struct ow_nats_events *ev,
		   const char *const *subjects, struct ow_nats **ret, char *why,
		   size_t size)
{
	if (refused) {
		snprintf(why, size, "refused");
		return -1;
	}
	connect(ev, ret);
	if (cut)
		ev->down(ev->arg);
	return 0;
}

static struct ow_nats *retired;

void ow_nats_retire(struct ow_nats *n, struct ow_nats *heir)
{
	retired = n;
}

size_t ow_nats_largest(struct ow_nats *n)
{
	return 0;
}

bool ow_nats_is_closed(struct ow_nats *n)
{
	return false;
}

void ow_nats_close(struct ow_nats *n)
{
	struct message *l;
	int i;

	for (i = 0; i < open_ones; i++)
		while ((l = connection[i].first) != NULL) {
			connection[i].first = l->next;
			free(l);
		}
}

/* ---- a fact ---- */

static int set_up(void **state)
{
	char why[64];

	open_ones = pings = 0;
	deaf = refused = cut = convs = late[0] = late[1] = false;
	retired = sender = NULL;
	bridge_begin(&bridge, 1);
	bridge_begin(&other, 2);
	bridge.dir.gen = other.dir.gen = 1;
	other.peers.connected = true;
	other.peers.session = 7;
	ended = false;
	assert_int_equal(pthread_create(&deliverer, NULL, deliver, NULL), 0);
	other.peers.carrier = (struct ow_br_carrier){ NULL, from_other, NULL };
	ow_br_connection_user(&bridge.peers, &user);
	assert_int_equal(ow_br_handover_make(&user, &handover), 0);
	bridge.peers.carrier =
	    (struct ow_br_carrier){ handover, ow_br_handover_send,
				    ow_br_handover_largest };
	assert_int_equal(ow_br_handover_open(handover, &bridge.peers.opt,
					     bridge.peers.id, why, sizeof(why)),
			 0);
	settle();
	assert_int_equal(bridge.peers.npeers, 1);
	assert_true(bridge.peers.peer[0]->up);
	return 0;
}

static int tear_down(void **state)
{
	pthread_mutex_lock(&lock);
	ended = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(deliverer, NULL);
	ow_br_handover_close(handover);
	bridge_end(&bridge);
	bridge_end(&other);
	return 0;
}

static uint64_t taken(void)
{
	return bridge.peers.peer[0]->lane[OW_BR_REPLIES].taken / (OW_BR_COST + 8);
}

static int change(char why[64])
{
	struct ow_nats_options o = { 0 };

	why[0] = '\0';
	return ow_br_handover_change(handover, &o, why, 64);
}

/* Goes over while node 2 conversations; all that it said was taken once. */
static void goes_over(void)
{
	uint64_t session = bridge.peers.session;
	uint32_t link = bridge.peers.peer[0]->link;
	char why[64];

	convs = true;
	assert_int_equal(change(why), 0);
	assert_true(bridge.peers.session == session);
	assert_int_equal(bridge.peers.peer[0]->link, link);
	assert_ptr_equal(retired, &connection[0]);
	let_come();
	reply_from_other();
	settle();
	assert_int_equal(bridge.peers.peer[0]->link, link);
	assert_int_equal(taken(), other.peers.peer[0]->lane[OW_BR_REPLIES].sent_number);
	ow_br_heartbeat(&bridge.peers, NULL, false, false);
	assert_ptr_equal(sender, &connection[1]);
}

static void what_comes_on_both_ways_is_taken_once(void **state)
{
	goes_over();
	assert_true(taken() >= 3);
}

static void the_first_way_may_be_slower(void **state)
{
	connection[0].late = true;
	goes_over();
	assert_true(taken() > 3);
}

static void the_second_way_may_be_slower(void **state)
{
	late[1] = true;
	goes_over();
	assert_true(taken() > 3);
}

static void requests_wait_meanwhile_and_go_then(void **state)
{
	struct ow_br_out *o = ow_br_out_new(8);

	memset(o->payload, 0, 8);
	o->frame.kind = OW_BR_REPLY;
	o->frame.buftype = OW_BUF_CARRAY;
	o->frame.total = 8;
	ow_br_pause(&bridge.peers);
	ow_br_queue(bridge.peers.peer[0], OW_BR_REPLIES, o);
	ow_br_flush(&bridge.peers);
	assert_int_equal(bridge.peers.peer[0]->lane[OW_BR_REPLIES].waiting, 1);
	goes_over();
	assert_int_equal(bridge.peers.peer[0]->lane[OW_BR_REPLIES].waiting, 0);
}

static void stays(const char *why)
{
	uint64_t session = bridge.peers.session;
	char said[64];

	assert_int_equal(change(said), -1);
	assert_string_equal(said, why);
	assert_true(bridge.peers.session == session);
	assert_false(bridge.peers.paused);
	ow_br_heartbeat(&bridge.peers, NULL, false, false);
	assert_ptr_equal(sender, &connection[0]);
}

static void without_an_answer_the_first_way_stays(void **state)
{
	deaf = convs = true;
	stays("node 2 does not answer");
	assert_ptr_equal(retired, &connection[1]);
	settle();
	assert_int_equal(taken(),
			 other.peers.peer[0]->lane[OW_BR_REPLIES].sent_number);
}

static void a_second_way_that_is_refused_changes_nothing(void **state)
{
	refused = true;
	stays("refused");
	assert_null(retired);
}

static void a_second_way_that_is_lost_changes_nothing(void **state)
{
	cut = true;
	stays("the new connection was lost");
	assert_ptr_equal(retired, &connection[1]);
}

static void without_a_connection_the_second_way_begins_a_session(void **state)
{
	uint64_t session;
	char why[64];

	connection[0].ev.down(connection[0].ev.arg);
	session = bridge.peers.session;
	assert_int_equal(change(why), 0);
	assert_true(bridge.peers.connected);
	assert_true(bridge.peers.session != session);
	settle();
	assert_true(bridge.peers.peer[0]->up);
	/* What the first one says counts no more. */
	connection[0].ev.down(connection[0].ev.arg);
	assert_true(bridge.peers.connected);
	connection[1].ev.down(connection[1].ev.arg);
	assert_false(bridge.peers.connected);
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(what_comes_on_both_ways_is_taken_once),
		FACT(the_first_way_may_be_slower),
		FACT(the_second_way_may_be_slower),
		FACT(requests_wait_meanwhile_and_go_then),
		FACT(without_an_answer_the_first_way_stays),
		FACT(a_second_way_that_is_refused_changes_nothing),
		FACT(a_second_way_that_is_lost_changes_nothing),
		FACT(without_a_connection_the_second_way_begins_a_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
