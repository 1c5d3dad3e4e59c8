# SPDX-License-Identifier: Apache-2.0
"""What looks at finished calls: event log, metrics, spans, redaction, report."""
