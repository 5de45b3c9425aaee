# SPDX-License-Identifier: Apache-2.0
"""<http> in ndrxconfig.xml: what is right is read, what is wrong is named."""
from checks import contains, equal
from covers import accepts, covers
from fixture import Domain

COST = 3
MAINLY = "shm"

EVERYTHING = """
<http name="all" ip="127.0.0.1" port="8080" tls_cert_file="/c" tls_key_file="/k" tls_ca_file="/a"
  header_max="16K" body_max="1M" header_time="5" body_time="30s" idle_time="1m" connections="20000"
  connections_per_peer="100" json_depth="32" json_keys="1000" json_digits="64" drain_time="10"
  access_log="/l" gzip="Y" cors_origins="https://a https://b" cors_max_age="600" openapi="Y"
  docs="N" idempotency_dir="/i" restin="@restin" restout="@restout">
 <auth name="j" kind="jwt" jwks="https://k" issuer="i" audience="a" identity="sub"
  logins="scope:pay=payer"/>
 <auth name="k" kind="apikey" file="/keys" header="X-Key"/>
 <route method="GET" path="/a/{id}" svc="A" conv="json2ubf" errors="http" fields="path.id=T_ID"
  status="6:404,*:500" async="N" notime="N" parseheaders="Y" finman="IN" foutman="OUT" timeout="2"
  timeout_max="10" body_max="2M" concurrency="10" queue_max="5" auth="j k"
  scopes="pay" rate="10" idempotency="60" unknown="refuse" summary="gives A"/>
 <route path="/q" queue="S/Q"/><route path="/e" events="A.*"/><route path="/s" staticdir="/srv"/>
 <route path="/echo" echo="Y"/><route path="/tx" transaction_handler="Y"/>
 <host name="h" base="https://h" connections="9" breaker="50" breaker_time="5" retry_budget="10"
  ca_file="/a" cert_file="/c" key_file="/k" sslinsecure="N" token_url="https://t" client_id="c"
  client_secret_file="/s" scope="x"/>
 <outgoing svc="OUT" url="/x" host="h" method="GET" conv="json" errors="http" status="*:11"
  timeout="3" parseonerror="Y" retries="2"/>
</http>
"""


@accepts("ip", "openapi", "docs", "idempotency_dir", "restout", "auth", "kind", "jwks", "issuer",
         "audience", "identity", "logins", "file", "header", "parseheaders",
         "scopes", "idempotency", "summary", "host", "base", "breaker",
         "breaker_time", "retry_budget", "ca_file", "cert_file", "key_file", "sslinsecure",
         "token_url", "client_id", "client_secret_file", "scope", "outgoing", "url",
         "parseonerror", "retries", "unknown")
def test_everything_is_accepted():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"}, sections=EVERYTHING)
        equal(d.xadmin("testcfg").returncode, 0)


WRONG = (
    ('<http/>', "port: missing"),
    ('<http port="70000"/>', "65535"),
    ('<http port="1" tls_key_file="/k"/>', "go together"),
    ('<http port="1" bodymax="1M"/>', "body_max"),
    ('<http port="1"><route path="a" svc="A"/></http>', "/"),
    ('<http port="1"><route path="/a"/></http>', "give one of svc"),
    ('<http port="1"><route path="/a" svc="A" queue="S/Q"/></http>', "give one of svc"),
    ('<http port="1"><route path="/a" svc="A" conv="xml"/></http>', "json2ubf"),
    ('<http port="1"><route path="/a" svc="A" timeout="soon"/></http>', "timeout"),
    ('<http port="1"><host name="h" base="ftp://h"/></http>', "https://"),
    ('<http port="1"><auth name="a" kind="guess"/></http>', "basic"),
    ('<http port="1"><route path="/a" svc="A" scopes="pay"/></http>', "give auth"),
    ('<http port="1"><route path="/a" svc="A" scopes="pay" auth="none"/></http>', "give auth"),
    ('<http port="1"><route path="/a" svc="A" auth=" , "/></http>', "or none"),
    ('<http port="1"><auth name="k" kind="mtls"/><route path="/a" svc="A" auth="k kk"/></http>', 'name="kk"'),
    ('<http name="x" port="1"><auth name="k" kind="mtls"/></http>'
     '<http port="2"><route path="/a" svc="A" auth="k"/></http>', 'name="k"'),
    ('<http port="1"><auth name="k" kind="mtls"/><auth name="k" kind="mtls"/></http>', "twice"),
    ('<http port="1"><auth name="none" kind="mtls"/></http>', "another name"),
)


def test_what_is_wrong_is_named():
    with Domain() as d:
        for xml, why in WRONG:
            d.configure({"srvid": 1, "appopt": "ECHO"}, sections=xml + "\n")
            r = d.xadmin("testcfg", ok=False)
            equal(r.returncode, 1, xml)
            contains(r.stdout + r.stderr, why)


@covers("http")
def test_the_configuration_in_force_has_it():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, sections=EVERYTHING)
        with open(f"{d.home}/run/in_force.xml", encoding="utf-8") as f:
            text = f.read()
        contains(text, '<http name="all"')
        contains(text, 'cors_origins="https://a https://b"')
        contains(text, '<route path="/q" queue="S/Q"/>')
