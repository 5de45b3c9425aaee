# SPDX-License-Identifier: Apache-2.0
"""pytest_plugin.py - fixtures that boot a domain

    @pytest.fixture(scope="module")
    def bank(onewake_domain):
        return onewake_domain(["mysv.py"], fields="bank.fd")

    def test_balance(bank):
        assert onewake.call("BALANCE", {"T_ACCNUM": "ACC1"}) == ...

onewake_domain(servers, ...) has the arguments of onewake.testing.Domain. One
domain at a time: the next one ends the one before. After a failed test the
ends of its logs are in the report.
"""
import pytest

from onewake.testing import Domain, DomainError

_running = []


def pytest_addoption(parser):
    parser.addoption("--onewake-transport", default=None,
                     help="transport of test domains: posix or shm")


def _stop_all():
    while _running:
        _running.pop().stop()


@pytest.fixture(scope="session")
def onewake_domain(request):
    """A function that boots a domain; the last one is taken away at the end."""
    def boot(servers=(), **how):
        _stop_all()
        how.setdefault("transport",
                       request.config.getoption("--onewake-transport"))
        domain = Domain(servers, **how).start()
        _running.append(domain)
        return domain
    yield boot
    _stop_all()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed and _running:
        try:
            logs = _running[-1].logs()
        except DomainError as e:
            logs = str(e)
        report.sections.append(("logs of the domain", logs))
