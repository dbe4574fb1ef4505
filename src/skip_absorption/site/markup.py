"""HTML that is safe by construction: every text is escaped unless it is itself markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = frozenset({"img", "input", "link", "meta", "hr", "br"})


class Html(str):
    """A text that is markup already. Only this package makes one, from escaped or trusted texts."""

    __slots__ = ()


Content = str | Html | None


def element(name: str, /, *content: Content, **attributes: str | bool | None) -> Html:
    """Return an element. Texts among the content and all attribute values are escaped.

    Parameters
    ----------
    name
        The element's name, trusted.
    content
        What stands in it; None is left out.
    attributes
        A trailing underscore is dropped and other underscores become hyphens (``class_``, ``aria_label``).
        True gives the bare attribute; False and None leave it out.

    Examples
    --------
    >>> print(element("a", "x < y", href="a b&c.json", hidden=False))
    <a href="a b&amp;c.json">x &lt; y</a>
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(content)}</{name}>")


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(value)}"'


def join(parts: Iterable[Content], separator: str = "") -> Html:
    """Return the parts in a row, texts among them escaped; None is left out."""
    safe = (part if isinstance(part, Html) else escape(part) for part in parts if part is not None)
    return Html(escape(separator).join(safe))


def link(text: Content, href: str, **attributes: str | None) -> Html:
    """Return a link to a place given as a relative address, which is escaped but not rewritten."""
    return element("a", text, href=href, **attributes)
