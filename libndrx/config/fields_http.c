/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields_http.c - the attributes of <http> and of what is in it
 *
 * None has a member: values are checked here, kept as text (http.c), and read by
 * the gate for HTTP (servers/httpgate/internal/config), which has the defaults.
 */
#include "libndrx/config/grammar.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
enum { PATH_LEN = 4095, SERVICE_LEN = 30 };

#define TEXT(n, most, what) \
	{ .name = n, .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED, .hi = most, .doc = what }
#define WORD(n, list, what) \
	{ .name = n, .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED, .words = list, .doc = what }
#define YES(n, what) \
	{ .name = n, .kind = OW_FIELD_BOOL, .flags = OW_FIELD_CHECKED, .doc = what }
#define TIME(n, what) \
	{ .name = n, .kind = OW_FIELD_SECONDS, .flags = OW_FIELD_CHECKED, .doc = what }
#define SIZE(n, what) \
	{ .name = n, .kind = OW_FIELD_SIZE, .flags = OW_FIELD_CHECKED, .doc = what }
#define NUMBER(n, from, to, what) \
	{ .name = n, .kind = OW_FIELD_INT, .flags = OW_FIELD_CHECKED, .lo = from, .hi = to, .doc = what }

static const struct ow_field http_fields[] = {
	TEXT("name", 60, "Which <http> a gate has: its option -n."),
	TEXT("ip", 64, "Address to listen at. Default: 127.0.0.1."),
	{ .name = "port", .kind = OW_FIELD_INT, .flags = OW_FIELD_CHECKED,
	  .lo = 0, .hi = 65535, .missing = "give a TCP port",
	  .doc = "TCP port; 0: none, outgoing calls only." },
	TEXT("tls_cert_file", PATH_LEN, "TLS: the certificate, and those above it."),
	TEXT("tls_key_file", PATH_LEN, "TLS: its key."),
	TEXT("tls_ca_file", PATH_LEN, "TLS: who signs certificates of callers (auth kind mtls)."),
	SIZE("header_max", "Bytes of all headers of a request. Default: 16K."),
	SIZE("body_max", "Bytes of the body of a request. Default: 1M."),
	TIME("header_time", "Seconds until all headers must be there. Default: 5."),
	TIME("body_time", "Seconds until the whole request must be there, and for each 64 KiB of an answer. Default: 30."),
	TIME("idle_time", "Seconds that a connection may be idle. Default: 60."),
	NUMBER("connections", 1, 1000000, "Connections at once. Default: 20000."),
	NUMBER("connections_per_peer", 1, 1000000, "Of one address. Default: 1000; of 127.0.0.1 and ::1: connections."),
	NUMBER("json_depth", 1, 1000, "Depth of JSON. Default: 32."),
	NUMBER("json_keys", 1, 10000000, "Keys and elements in JSON. Default: 10000."),
	NUMBER("json_digits", 1, 10000, "Characters of a number in JSON. Default: 64."),
	TIME("drain_time", "Seconds that a gate that stops waits for requests in hand. Default: 10."),
	TEXT("access_log", PATH_LEN, "File: a line of JSON for each request."),
	YES("gzip", "Y: replies are compressed for callers who take that. Default: N."),
	TEXT("cors_origins", 2000, "Origins whose pages may call, separated by blanks; *: all. Pages of others are told 403 if they do more than read."),
	TIME("cors_max_age", "Seconds that a browser remembers that. Default: 600."),
	YES("openapi", "Y: /openapi.json describes the routes. Default: N."),
	YES("docs", "Y: /docs is a page to try calls. Default: N."),
	YES("schema", "Y: field names, types and occurrences that services take and give are noted of some calls, for xadmin schema and openapi; never values. Default: N."),
	TEXT("idempotency_dir", PATH_LEN, "Folder for first answers (Idempotency-Key)."),
	TEXT("restin", 60, "Section of the ini configuration with routes of restincl, such as @restin."),
	TEXT("restout", 60, "Section with services of restoutsv, such as @restout."),
};
const struct ow_field_table ow_config_http_table = {
	.fields = http_fields, .n = COUNT(http_fields), .rule = "httpattrs", .open = true,
};

static const struct ow_field route_fields[] = {
	WORD("method", "GET HEAD POST PUT PATCH DELETE", "Default: POST."),
	{ .name = "path", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .hi = 1000, .pattern = "/.*", .missing = "give a path, such as /account/{id}",
	  .doc = "Of the URL; {NAME} is a parameter, {NAME...} the rest." },
	TEXT("svc", SERVICE_LEN, "Service that is called."),
	TEXT("queue", 60, "SPACE/QUEUE: POST puts a message there, GET takes one."),
	TEXT("events", 255, "Expression: GET gets events, as a stream or by WebSocket."),
	TEXT("conversation", SERVICE_LEN, "Service with which a WebSocket is a conversation."),
	TEXT("staticdir", PATH_LEN, "conv static: the folder."),
	WORD("conv", "json2ubf json2view json text raw static multipart ext", "What a body becomes. Default: json2ubf."),
	WORD("errors", "problem http json json2ubf json2view text ext", "How errors are said. Default: problem."),
	WORD("unknown", "refuse ignore", "Names in a body of json2ubf or json2view that no field table or view has, and values that do not fit their field: 400, or left out and cut off. Default: refuse; routes of restincl: ignore."),
	TEXT("fields", 2000, "What goes to which field: path.id=T_ID query.from=T_FROM header.X-A=T_A, separated by blanks."),
	TEXT("status", 1000, "TPERRNO:STATUS,..., urcode UNUMBER:STATUS, *:STATUS."),
	YES("async", "Y: a one-way call, TPNOREPLY. Default: N."),
	YES("echo", "Y: no call, the request is the answer. Default: N."),
	YES("stream", "Y: bodies of any length go in pieces, as a conversation with svc; conv raw. Default: N."),
	YES("notime", "Y: without time-out. Default: N."),
	YES("transaction_handler", "Y: the route begins and ends transactions. Default: N."),
	YES("parseheaders", "Y: headers to EX_IF_REQHN, EX_IF_REQHV. Default: N."),
	TEXT("finman", 500, "Services, separated by commas, that see a request before; an error ends it."),
	TEXT("foutman", 500, "Services that see the reply before the caller."),
	TIME("timeout", "Seconds of the call. Default: NDRX_TOUT."),
	TIME("timeout_max", "The longest that a caller may ask for (Request-Timeout). Default: timeout, else NDRX_TOUT."),
	SIZE("body_max", "As of <http>, for this route."),
	NUMBER("concurrency", 1, 1000000, "Calls of the route at once. Default: 256."),
	NUMBER("queue_max", 0, 1000000, "Further requests that may wait. Default: 1024."),
	TEXT("auth", 500, "Names of <auth>, one of which must let a caller in; none: anybody. Default: none."),
	TEXT("scopes", 1000, "Scopes that the caller must have, all of them."),
	NUMBER("rate", 1, 10000000, "Requests per second of one identity. Default: no limit."),
	TIME("idempotency", "Seconds that the first answer for an Idempotency-Key is kept. Not with events, conversation, staticdir, or GET of a queue. Default: 0, not."),
	TEXT("summary", 200, "What it does, for people."),
};
const struct ow_field_table ow_config_http_route_table = {
	.fields = route_fields, .n = COUNT(route_fields), .rule = "httprouteattrs", .open = true,
};

static const struct ow_field auth_fields[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .hi = 60, .pattern = "[A-Za-z0-9_\\-]+", .missing = "give a name",
	  .doc = "For auth of routes." },
	{ .name = "kind", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .words = "basic apikey jwt mtls", .missing = "give basic, apikey, jwt or mtls",
	  .doc = "How callers say who they are." },
	TEXT("file", PATH_LEN, "basic: of xadmin passwd; apikey: lines NAME:HASH."),
	TEXT("header", 60, "apikey: the header. Default: X-API-Key."),
	TEXT("jwks", 1000, "jwt: URL or file of the keys."),
	TEXT("issuer", 500, "jwt: iss."),
	TEXT("audience", 500, "jwt: aud."),
	TEXT("identity", 60, "jwt: the claim that is the name. Default: sub."),
	TEXT("logins", 4000, "scope:NAME=login or name:NAME=login, separated by blanks."),
};
const struct ow_field_table ow_config_http_auth_table = {
	.fields = auth_fields, .n = COUNT(auth_fields), .rule = "httpauthattrs", .open = true,
};

static const struct ow_field outgoing_fields[] = {
	{ .name = "svc", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .hi = SERVICE_LEN, .missing = "give the name of a service",
	  .doc = "The service that calls the URL." },
	{ .name = "url", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .hi = 2000, .missing = "give a URL, or a path of the host",
	  .doc = "With host: a path; {FIELD} is a value." },
	TEXT("host", 60, "Name of a <host>."),
	WORD("method", "GET HEAD POST PUT PATCH DELETE", "Default: POST."),
	WORD("conv", "json2ubf json2view json text raw", "What the request becomes. Default: json2ubf."),
	WORD("errors", "http json json2ubf json2view text", "How the other side says errors. Default: http."),
	TEXT("status", 1000, "STATUS:TPERRNO,..., *:TPERRNO."),
	TIME("timeout", "Seconds. Default: 60."),
	YES("parseonerror", "Y: the body of an error goes to the caller. Default: N."),
	NUMBER("retries", 0, 100, "Of idempotent methods. Default: 0."),
};
const struct ow_field_table ow_config_http_outgoing_table = {
	.fields = outgoing_fields, .n = COUNT(outgoing_fields), .rule = "httpoutgoingattrs", .open = true,
};

static const struct ow_field host_fields[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .hi = 60, .missing = "give a name", .doc = "For host of <outgoing>." },
	{ .name = "base", .kind = OW_FIELD_TEXT, .flags = OW_FIELD_CHECKED,
	  .hi = 2000, .pattern = "https?://.*", .missing = "give http:// or https:// and the host",
	  .doc = "What its URLs begin with." },
	NUMBER("connections", 1, 100000, "At once. Default: 64."),
	NUMBER("breaker", 0, 100, "Per cent of failed calls that open the circuit breaker; 0: none. Default: 50."),
	TIME("breaker_time", "Seconds that it stays open. Default: 5."),
	NUMBER("retry_budget", 0, 100, "Retries, per cent of calls. Default: 10."),
	TEXT("ca_file", PATH_LEN, "TLS: who signs its certificate. Default: those of the system."),
	TEXT("cert_file", PATH_LEN, "TLS: our certificate."),
	TEXT("key_file", PATH_LEN, "TLS: its key."),
	YES("sslinsecure", "Y: any certificate will do. Default: N."),
	TEXT("token_url", 1000, "OAuth2: where tokens are given for client credentials."),
	TEXT("client_id", 500, "OAuth2: the client."),
	TEXT("client_secret_file", PATH_LEN, "OAuth2: file with its secret."),
	TEXT("scope", 500, "OAuth2: scopes to ask for."),
};
const struct ow_field_table ow_config_http_host_table = {
	.fields = host_fields, .n = COUNT(host_fields), .rule = "httphostattrs", .open = true,
};
