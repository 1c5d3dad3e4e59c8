# SPDX-License-Identifier: Apache-2.0
"""A module that takes for ever to import."""

import time

time.sleep(60)
