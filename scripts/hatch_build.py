# SPDX-License-Identifier: Apache-2.0
"""The wheel's build hook: see that the Java bundle is there before the files are gathered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarHook(BuildHookInterface[Any]):
    """Builds the Java bundle where it is missing and can be built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle for a real wheel; an editable install leaves it to `make jar`."""
        del build_data
        root = Path(self.root)
        jar = root / "src" / "isonomy" / "bridge" / "_jars" / "isonomy.jar"
        if version == "editable" or jar.exists():
            return
        script = root / "scripts" / "java.py"
        told = "The wheel is built without the Java bundle, whose build is"
        command = [sys.executable, str(script), "jar", "--skipping", told]
        built = subprocess.run(command, check=False, capture_output=True, text=True)
        if built.returncode:
            message = f"Maven failed to build the Java bundle:\n{built.stdout}{built.stderr}"
            raise RuntimeError(message)
        if not jar.exists():
            self.app.display_warning(built.stdout.strip())
