# SPDX-License-Identifier: Apache-2.0
"""Where durable batches are kept (spec/journal.md)."""
