"""docs/python-reference.md is what the docstrings say, and everything public has one."""

import os
import subprocess
import sys


def test_reference_is_up_to_date():
    script = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "python-reference.py")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
