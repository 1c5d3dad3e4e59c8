# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

import signal

# A run that was started in the background ignores Ctrl-C, and every process that a test starts
# would inherit that. One that the parent handles is not ignored by its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
