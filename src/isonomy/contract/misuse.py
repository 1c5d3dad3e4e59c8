# SPDX-License-Identifier: Apache-2.0
"""The exceptions that Isonomy raises: one root, and one for mistakes of the program.

    IsonomyError
    ├── Misuse            the program asked for something that makes no sense
    ├── PortableError     portable.py: a value or a text that clause 5 refuses
    └── ToolFailed        response.py: the failure of a tool, as an exception
"""


class IsonomyError(Exception):
    """The root of every exception that Isonomy raises by itself."""


class Misuse(IsonomyError, ValueError):
    """Raised when the program asks for something that makes no sense.

    Its message is one sentence that says where, and what to do instead. It is never made from what a
    model or a tool sent: those end in responses.
    """
