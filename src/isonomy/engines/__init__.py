# SPDX-License-Identifier: Apache-2.0
"""Where batches run, other than in this process: hosts of their own."""
