# SPDX-License-Identifier: Apache-2.0
"""The contract: values only, and their forms on the wire. Imports nothing of ours."""
