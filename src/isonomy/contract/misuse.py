# SPDX-License-Identifier: Apache-2.0
"""The exceptions that Isonomy raises: one root, and one for mistakes of the program.

- `IsonomyError`
    - `Misuse`: the program asked for something that makes no sense
    - `PortableError` (portable): a value or a text that clause 5 refuses
    - `ToolFailed` (response): the failure of a tool, as an exception
"""


class IsonomyError(Exception):
    """The root of every exception that Isonomy raises by itself."""


class Misuse(IsonomyError, ValueError):  # noqa: N818 - it is the program's, not an error of ours
    """Raised when the program asks for something that makes no sense.

    Its message is one sentence that says where, and what to do instead. What a model or a tool
    sent is never misuse: it ends in a response.
    """
