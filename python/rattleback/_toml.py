"""What is given as Python objects, as the text of a model file."""

from __future__ import annotations

import json
from typing import Any, Mapping

from ._core import Expression
from ._expressions import Matrix, Vector


def value(item: Any) -> str:
    if isinstance(item, str):
        return json.dumps(item, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(item, Expression):
        return value(str(item))
    if isinstance(item, Vector):
        return value("[" + ", ".join(map(str, item)) + "]")
    if isinstance(item, Matrix):
        return value("[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in item.rows) + "]")
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int):
        return str(item)
    if isinstance(item, Mapping):
        return "{ " + ", ".join(f"{key(k)} = {value(v)}" for k, v in item.items()) + " }"
    if hasattr(item, "tolist"):  # numpy
        return value(item.tolist())
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(value(i) for i in item) + "]"
    return repr(float(item))


def key(name: Any) -> str:
    text = str(name)
    plain = text.isascii() and text.replace("_", "a").replace("-", "a").isalnum()
    return text if plain else value(text)


def document(sections: Mapping[str, Any]) -> str:
    """Keys of the top come before sections."""
    top = [f"{key(k)} = {value(v)}" for k, v in sections.items() if not isinstance(v, Mapping)]
    rest = []
    for name, section in sections.items():
        if isinstance(section, Mapping):
            rest.append(f"\n[{key(name)}]")
            rest += [f"{key(k)} = {value(v)}" for k, v in section.items()]
    return "\n".join(top + rest) + "\n"
