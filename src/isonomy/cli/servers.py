# SPDX-License-Identifier: Apache-2.0
"""The MCP servers of a configuration, for whichever host calls them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isonomy.cli.config import Config, InjectedValue, McpSource
from isonomy.cli.document import Where
from isonomy.contract.misuse import Misuse
from isonomy.contract.redaction import Redactor
from isonomy.engines.java import McpSettings
from isonomy.tools.tool import Tool


def server_settings(config: Config) -> list[McpSettings]:
    """Return what each server is started with; raises `Misuse` where that cannot be had."""
    return [_settings(config, at, source) for at, source in enumerate(config.mcp)]


def server_tools(config: Config) -> list[tuple[Where, list[Tool]]]:
    """Begin the session of each server here, and return its tools with its place in the file."""
    from isonomy.mcp import McpUnavailable, mcp_server

    found: list[tuple[Where, list[Tool]]] = []
    for at, settings in enumerate(server_settings(config)):
        try:
            tools = mcp_server(**settings.arguments())
        except (Misuse, McpUnavailable) as refused:
            raise server_complaint(config, at, settings, str(refused)) from refused
        found.append((("mcp", at), tools))
    return found


def server_complaint(config: Config, at: int, settings: McpSettings, refused: str) -> Misuse:
    """Return the exception that says why a server cannot be used, without its secrets.

    These are its headers, and what its variables have from the environment. What stands in the file
    for a variable is none: it may be any word of the sentence.
    """
    given = config.mcp[at].env
    secrets = [value for name, value in settings.env.items() if given[name].env is not None]
    secrets += settings.headers.values()
    return config.complaint(("mcp", at), f"cannot be used: {Redactor().text(refused, secrets)}")


def _settings(config: Config, at: int, source: McpSource) -> McpSettings:
    where = ("mcp", at)
    if source.name in [each.name for each in config.mcp[:at]]:
        raise config.complaint((*where, "name"), "is that of a server before")
    folder = None
    if source.command is not None:
        folder = (config.folder / (source.cwd or "")).resolve()
        if source.cwd is not None and not folder.is_dir():
            raise config.complaint((*where, "cwd"), f"is no folder: {folder}")
    return McpSettings(
        name=source.name,
        command=source.command,
        url=source.url,
        env=_texts(config, (*where, "env"), source.env),
        headers=_texts(config, (*where, "headers"), source.headers),
        cwd=None if folder is None else str(folder),
        timeout=source.timeout,
        start_timeout=source.start_timeout,
        max_reply=source.max_reply,
        tools=source.tools,
    )


def _texts(config: Config, where: Where, sources: Mapping[str, InjectedValue]) -> dict[str, str]:
    values: dict[str, Any] = config.values_at(where, sources)
    for name, value in values.items():
        if not isinstance(value, str):
            raise config.complaint((*where, name), "must be text; put it in quotes")
    return values
