# SPDX-License-Identifier: Apache-2.0
"""The vectors of area `arguments`: every case through a real tool (clause 7)."""

from isonomy.contract.canonical import digest
from isonomy.contract.outcome import Returned, Settled
from isonomy.tools.arguments import parse
from isonomy.tools.tool import Invocation
from tests.receiving import Receiving, check_misuse, check_received, check_refused
from tests.vectors import Case, each


@each("arguments")
def test_arguments(case: Case) -> None:
    if "misuse" in case:
        check_misuse(case)
        return
    receiving = Receiving(case)
    invocation = Invocation(receiving.arguments, receiving.host)
    outcome = receiving.tool.invoke(invocation)
    if "accepts" in case:
        assert isinstance(outcome, Returned)
        check_received(case, outcome.value)
        assert receiving.seen == receiving.injected
    else:
        assert isinstance(outcome, Settled)
        check_refused(case, outcome.error)
    if "decoded" in case:
        assert list(invocation.decoded) == case["decoded"]
    if "digest" in case:
        assert digest(parse(receiving.arguments)) == case["digest"]
