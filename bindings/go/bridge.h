/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge.h - what Go asks of the C library, one crossing for each operation
 *
 * A crossing between Go and C costs more than a function of the library, so
 * each function here does all that belongs together: it puts a context on the
 * thread, makes the buffer, calls, waits for a moment, fetches the reply and its
 * fields, and takes the context off again. Goroutines change threads; none is
 * bound to one.
 *
 * Fields go down as records (struct gow_record, each followed by its value,
 * padded to 8 bytes) in one piece of memory of C. They come up as
 * the library's own array, which points into the buffer of the reply; Go reads
 * it in place.
 */
#ifndef GOW_BRIDGE_H
#define GOW_BRIDGE_H

#include <stdint.h>
#include <tpbind.h>

/* What a buffer is. */
enum gow_kind {
	GOW_NULL,
	GOW_STRING,
	GOW_CARRAY,
	GOW_JSON,
	GOW_UBF,
	GOW_VIEW,
	GOW_OTHER,
	GOW_UBF_OF_JSON, /* sent only: text, which becomes such a buffer */
	GOW_VIEW_OF_JSON,
	GOW_KINDS
};

/* parent: number of a record, or -1. VIEW: id is the number of the member in the
 * names, parent the occurrence. The value of a view in a field is its name, in
 * GOW_VIEW_NAME bytes, and its structure. */
struct gow_record {
	int32_t id, type, parent, len;
};

/* A buffer that is to be sent: text or bytes, or `n` records. `data` is memory
 * of C, as a number: so cgo looks for no pointers to Go's memory in it. */
struct gow_in {
	int kind, n;
	uintptr_t data;
	long len;
	uintptr_t view, names; /* VIEW: its name, those of its members */
	struct tptrace trace; /* of which its request becomes part */
};

#define GOW_TEXT 320
#define GOW_VIEW_NAME 40

/* An outcome. */
struct gow_out {
	int err;	/* tperrno, 0: none */
	int cd;		/* of which call, or conversation */
	int kind;	/* of the reply's buffer */
	int n;		/* fields of a UBF buffer; -1: gow_fields_of() tells */
	int room;	/* of the array `fields` */
	int unbegun;	/* failed, and no server has begun the request */
	int unread;	/* its fields cannot be read; without err, text says why */
	long urcode, event, len;
	char *buf;
	struct Bfield *fields;
	char view[GOW_VIEW_NAME]; /* of a VIEW buffer */
	char id[64];	/* of a message of a durable queue */
	char text[GOW_TEXT];
};

/* Memory of an outcome that nobody reads any more, for the next one. */
struct gow_spare {
	char *buf;
	struct Bfield *fields;
	int room;
};

/* One request of several. */
struct gow_ask {
	struct gow_spare spare; /* goes to the context */
	const char *svc;
	struct gow_in in;
	long ms, flags;
	int r; /* its descriptor; 0: it has none; -1: out says why */
	struct gow_out out;
};

/* A context, with the buffers that its calls use again and again. One thread at
 * a time. */
struct gow {
	TPCONTEXT_T ctx;
	int fd; /* tpreplyfd() */
	char *in[GOW_KINDS];
	long in_size[GOW_KINDS]; /* bytes of those with text or bytes */
	char *reply; /* of a call that was waited for */
	struct Bfield *put, *get;
	int alloc_put, alloc_get;
	struct gow_unsol *unsol, **last; /* unsolicited messages, oldest first */
	struct gow_out out;   /* of the operation in hand */
	struct gow_out *outs; /* of gow_drain(), gow_turn() */
	struct gow_ask *asks; /* of gow_turn() */
	struct gow_spare *spares; /* n_spares, for its outcomes */
	int n_spares;
	int wanted;	      /* gow_turn() need not wait: there is other work */
	int sleeps;	      /* it does not look any more, and waits */
	int traced;	      /* the context has the trace of a request */
	TPQCTL taken;	      /* of the last message of a durable queue */
};

enum { GOW_DRAIN = 64, GOW_ASKS = 64, GOW_ANEW = 2 };

/* 0, or -1 with out->err. */
int gow_open(struct gow **ret, struct gow_out *out);
/* The context calls for somebody: 0, or -1 with out->err. */
int gow_as(struct gow *g, const char *name, long appkey, struct gow_out *out);
/* The last error of this thread. */
void gow_failed(struct gow_out *out);
void gow_close(struct gow *g);

/*
 * Send a request of `svc`. usec > 0: wait so long for its reply; -1: other calls
 * of the context are out, so the descriptor is on guard. 0: the reply is in g->out,
 * its buffer is the context's until the next call; 1: g->out.cd is out, and the
 * descriptor will be readable; GOW_ANEW: the same, and g->fd is another one, as
 * the domain was shut down and started again; -1. ms: the time-out, 0: the
 * default. g (struct gow *) and svc are numbers: so cgo does not look at what they
 * point to.
 */
int gow_call(uintptr_t g, uintptr_t svc, struct gow_in in, long ms, long usec,
	     long flags);
/* Wait for the reply of call `cd` alone, of a context with one call out: as
 * gow_call(), with the result in *out. */
int gow_await(struct gow *g, int cd, long usec, struct gow_out *out);
/* The load of a service, and the time-out of a call without one: 0, or -1. */
int gow_load(struct gow *g, const char *svc, struct tpload *load,
	     long *ret_seconds, struct gow_out *out);
/* The replies that have come, and calls whose time is over, in g->outs: how
 * many. *ms: how long nothing need be done then; 0: there is more; -1: the domain
 * was shut down, no reply will come (g->out). */
int gow_drain(struct gow *g, int *ms);
/* Send the first n of g->asks, and take the replies that have come, into g->outs:
 * how many. None has come: look for one for `usec`, then sleep for one for
 * `sleep` microseconds. The descriptor is not on guard afterwards: gow_drain() puts
 * it there. */
int gow_turn(struct gow *g, int n, long usec, long sleep);
/* The outcome of call `cd`, if it has one: 0, -1; 1: it is out. */
int gow_fetch(struct gow *g, int cd, struct gow_out *out);
/* Has the context a new descriptor, in a domain that was started again? -1: no. */
int gow_anew(struct gow *g);
/* What calls end with whose context is gone. */
void gow_gone(struct gow_out *out);
void gow_cancel(struct gow *g, int cd);
/* Free what an outcome has. */
void gow_release(char *buf, struct Bfield *fields);

/* *data (NULL, or a buffer of the kind) becomes the buffer, with *put, an array
 * of *room, for its fields: 0, or -1 with out->err and text. */
int gow_fill(char **data, struct Bfield **put, int *room,
	     struct gow_in in, struct gow_out *out);
int gow_is_ubf(char *buf);
int gow_is_carray(char *buf);
/* The same for text of JSON, which ends with a NUL. */
int gow_fill_json(char **data, struct gow_in in, struct gow_out *out);
/* The fields of a UBF buffer, to be freed. */
struct gow_fields {
	struct Bfield *fields;
	int n;
};
struct gow_fields gow_fields_of(char *buf);
/* A UBF or VIEW buffer as JSON, into `size` bytes of text: its length; -1 with
 * out->text; -2: it needs more room. */
long gow_json_into(char *data, int notnull, char *text, long size,
		   struct gow_out *out);
/* The same, to be freed; NULL with out->text. */
char *gow_json(char *data, int notnull, struct gow_out *out);

/* ---- conversations ---- */

int gow_connect(struct gow *g, const char *svc, struct gow_in in,
		long ms, long flags, struct gow_out *out);
/* 0; 1: no message is there; -1 with err and event. */
int gow_recv(struct gow *g, int cd, struct gow_out *out, int *ms);
int gow_conv_send(struct gow *g, int cd, struct gow_in in, long flags,
		  struct gow_out *out);
int gow_discon(struct gow *g, int cd, struct gow_out *out);

/* ---- transactions, queues, events ---- */

enum gow_tran { GOW_BEGIN, GOW_COMMIT, GOW_ABORT, GOW_OPEN };
int gow_tran(struct gow *g, enum gow_tran what, unsigned long seconds,
	     struct gow_out *out);
int gow_enqueue(struct gow *g, const char *space, const char *queue,
		struct gow_in in, long ms, long flags,
		struct gow_out *out);
/* *wait: may it wait for a message, until the time-out? 1: none is there. */
int gow_dequeue(struct gow *g, const char *space, const char *queue, int wait,
		long ms, long flags, struct gow_out *out);
/* A message that gow_dequeue() gave, with g->taken, goes to the end of its queue: 0, -1. */
int gow_put_back(struct gow *g, const char *space, const char *queue,
		 const TPQCTL *taken, const struct gow_out *message, long ms,
		 struct gow_out *out);
int gow_subscribe(struct gow *g, const char *expression, const char *filter,
		  struct gow_out *out);
int gow_post(struct gow *g, const char *event, struct gow_in in,
	     struct gow_out *out);
/* The next unsolicited message: 0, 1: none is there. */
int gow_unsol(struct gow *g, struct gow_out *out, int *ms);

/* ---- names ---- */

/* The id of a field, 0 with text. */
int32_t gow_field_id(const char *name, char text[GOW_TEXT]);
/* NULL: it is in no table. */
const char *gow_field_name(int32_t id);

/* ---- configuration ---- */

struct gow_item {
	char *key, *value;
};
/* The keys of a section, *ret_n of them; -1: it cannot be read. */
struct gow_item *gow_config(char *section, int *ret_n);
void gow_config_free(struct gow_item *items, int n);

/* ---- traces ---- */

/* tpnotespan() */
void gow_note(struct tptrace trace, const unsigned char *parent, int kind,
	      int status, long usec, const char *method, const char *name);
/* tpgettrace() in a service. */
struct tptrace gow_trace_in_hand(void);

/* ---- servers ---- */

/* Returns its exit status. Calls goServerInit(), goServe() and goServerDone(). */
int gow_serve(int argc, char **argv);
int gow_advertise(const char *svc, uintptr_t number, char text[GOW_TEXT]);
/* goServerTick() is called each so many seconds. */
int gow_period(int seconds);
/* In the service of `info`: its reply, or a request to `forward` in its place,
 * of the buffer of the request where it fits. 0; -1 with text: the caller gets
 * TPESVCERR. */
int gow_answer(TPSVCINFO *info, struct gow_in in, int fails,
	       long urcode, long flags, const char *forward,
	       char text[GOW_TEXT]);
/* For answers that come later: a copy of a request's buffer, to be freed; NULL: none.
 * gow_hand_on() ends the service in hand without an answer: 0, or -1. gow_take():
 * this thread answers it: 0; -1: its time is over. */
#define GOW_HANDED 64
char *gow_copy(char *data, long len);
int gow_hand_on(char handed[GOW_HANDED]);
int gow_take(char handed[GOW_HANDED]);
enum gow_how {
	GOW_NO_REPLY, /* the caller gets TPESVCERR, or one later */
	GOW_REPLY,
	GOW_FAIL,
	GOW_FORWARD
};

/* A request in the hands of a thread, and its outcome: goServe() reads `out` and
 * sets the others. The records of the reply are in memory of the thread, `room`
 * bytes at `start`. */
struct gow_served {
	struct gow_out out;
	struct gow_in in;
	void *start;
	long room;
	enum gow_how how;
	long urcode, flags;
	long left, since; /* tptimeleft(), and gow_coarse() at that time */
	struct tptrace trace; /* tpgettrace() */
	const char *forward;
	struct Bfield *get, *put;
	int alloc_get, alloc_put;
};

/* The service's end of a conversation: 0, -1. */
int gow_serve_send(int cd, struct gow_served *s, long flags,
		   struct gow_out *out);
int gow_serve_recv(int cd, struct gow_out *out);
/* A clock in ms that is cheap, and behind by some of them. */
long gow_coarse(void);
void gow_log(int level, const char *text);
/* *data (NULL, or a buffer of the kind) becomes the buffer: 0; -1 with text. */
int gow_make(char **data, struct gow_in in, char text[GOW_TEXT]);
/* What a request has; its fields are to be freed. */
void gow_look(char *data, long len, struct gow_out *out);
/* The same of a view that is the value of a field. */
void gow_look_view(char *data, const char *view, struct gow_out *out);

#endif
