r"""Data-only CUE: bytes in, a `Struct` out, or a `Fault` that says where and why.

Accepted is what CUE itself accepts as data: fields with names, keywords or quoted strings as labels, the
shorthand `a: b: c`, structs, lists, all strings and numbers, `null`, `true`, `false`, comments, attributes,
embedded structs. Everything that would have to be evaluated is refused by name.

Three things that CUE would take are refused because readers differ over them: a value embedded where fields
are expected, a label in single quotes, and attributes of a file that change the language.

>>> parse(b'a: b: 1, a: c: "x"\n').fields[1].value.fields[0].value
Text(value='x', position=Position(line=1, column=16))
>>> try: parse(b'a: 1\nb: a\n')
... except Fault as fault: print(fault.check, fault)
cue.not-data 2:4: reference to a: expected a value

Nesting is followed with an explicit stack, so that no document can exhaust the interpreter's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from verify.cuedata.position import Fault, Position
from verify.cuedata.scanner import Scanner, Token
from verify.cuedata.syntax import Bool, Field, ListValue, Null, Number, Struct
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from verify.cuedata.syntax import Scalar, Value

DEEPEST: Final = 128  # whatever the limit says: values compare and print themselves recursively
_EVALUATING = frozenset(("experiment", "extern", "if", "ignore", "embed"))
_KEYWORDS = {"true": True, "false": False}
_OPERATORS = frozenset(
    (
        "(",
        "+",
        "-",
        "*",
        "/",
        "!",
        "<",
        ">",
        "<=",
        ">=",
        "==",
        "=~",
        "!=",
        "!~",
        "&",
        "|",
        "&&",
        "||",
        ".",
        "=",
        "~",
    )
)


def parse(data: bytes, *, limits: Limits = DEFAULT) -> Struct:
    """The document. Raises Fault (a Malformed) with one of the `cue.…` checks."""
    if len(data) > limits.document_bytes:
        raise Fault(
            Position(1, 1),
            f"document is too large: expected at most {limits.document_bytes} bytes, got {len(data)}",
            check="cue.size",
        )
    return _Parser(Scanner(_text(data), limits), min(limits.document_depth, DEEPEST)).document()


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise Fault(_place(before), "expected UTF-8, got another byte", check="cue.encoding") from None
    text = text.removeprefix("\ufeff")
    for char, name in (("\0", "NUL character"), ("\ufeff", "byte order mark inside the document")):
        if (at := text.find(char)) >= 0:
            raise Fault(_place(text[:at]), name, check="cue.encoding")
    return text


def _place(before: str) -> Position:
    return Position(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


@dataclass(slots=True)
class _Label:
    name: str
    position: Position
    mark: str
    hidden: bool


@dataclass(slots=True)
class _Open:
    """A struct or a list whose end has not been seen."""

    closer: str
    position: Position
    labels: list[_Label] = field(default_factory=list)  # what its value will be the value of
    embedded: bool = False
    fields: list[Field] = field(default_factory=list)
    items: list[Value] = field(default_factory=list)

    def value(self) -> Value:
        if self.closer == "]":
            return ListValue(tuple(self.items), self.position)
        return Struct(tuple(self.fields), self.position)


def _field(label: _Label, value: Value) -> Field:
    return Field(label.name, value, label.mark, label.hidden, label.position)


class _Parser:
    def __init__(self, scanner: Scanner, deepest: int) -> None:
        self._scanner = scanner
        self._deepest = deepest
        self._token = scanner.next()
        self._peeked: Token | None = None
        self._stack = [_Open("end", Position(1, 1))]
        self._depth = 0

    def document(self) -> Struct:
        self._preamble()
        while self._stack:
            top = self._stack[-1]
            if self._token.kind == top.closer:
                done = self._close(top)
                if done is not None:
                    return done
            elif top.closer == "]":
                self._value([])
            else:
                self._declaration(top)
        raise AssertionError  # the bottom of the stack returns

    def _advance(self) -> Token:
        token = self._token
        self._token, self._peeked = self._peeked or self._scanner.next(), None
        return token

    def _peek(self) -> Token:
        if self._peeked is None:
            self._peeked = self._scanner.next()
        return self._peeked

    def _preamble(self) -> None:
        self._file_attributes()
        for word in ("package", "import"):  # first in a file; elsewhere they are names like others
            if self._token.kind == "name" and self._token.text == word:
                raise self._fault(f"{word} clause is not data", "cue.not-data", "remove the line")

    def _file_attributes(self) -> None:
        while self._token.kind == "attribute":
            name = self._token.text[1:].partition("(")[0]
            if name in _EVALUATING:
                raise self._fault(f"attribute @{name} changes how the file is evaluated", "cue.not-data")
            self._advance()
            self._end_of_declaration("end")

    def _declaration(self, top: _Open) -> None:
        if self._token.kind == "attribute":
            self._advance()
            self._end_of_declaration(top.closer)
        elif self._token.kind == "{":
            self._push(_Open("}", self._token.position, embedded=True))
        else:
            labels = [self._label(first=True)]
            while self._is_label():
                labels.append(self._label(first=False))
            self._value(labels)

    def _is_label(self) -> bool:
        return self._token.kind in {"name", "string"} and self._peek().kind in {":", "?", "!"}

    def _label(self, *, first: bool) -> _Label:
        token = self._token
        if token.kind not in {"name", "string"}:
            raise self._unexpected("a field")
        if self._peek().kind not in {":", "?", "!"}:
            raise self._not_a_field(token)
        name, hidden = self._label_name(token, first=first)
        self._advance()
        mark = self._advance().kind if self._token.kind in {"?", "!"} else ""
        if self._token.kind != ":":
            raise self._unexpected("':'")
        self._advance()
        return _Label(name, token.position, mark, hidden)

    def _label_name(self, token: Token, *, first: bool) -> tuple[str, bool]:
        if token.kind == "string":
            if not token.label or token.value is None or not hasattr(token.value, "value"):
                raise self._fault(
                    f"label {token.text[:40]}: expected a name or a plain double-quoted string", "cue.syntax"
                )
            return str(token.value.value), False
        if "#" in token.text:
            raise self._fault(f"definition {token.text} is not data", "cue.not-data")
        if token.text in {"_", "_|_"}:
            raise self._fault(f"{token.text} cannot be a label", "cue.not-data", hint='quote it: "_"')
        if token.text.startswith("__") or (first and token.text == "try"):
            raise self._fault(f"name {token.text} is reserved", "cue.syntax", hint="quote it")
        return token.text, token.text.startswith("_")

    def _value(self, labels: list[_Label]) -> None:
        token = self._token
        if token.kind in {"{", "["}:
            self._push(_Open("}" if token.kind == "{" else "]", token.position, labels))
            return
        self._check_depth(self._depth + max(len(labels), 1))
        scalar = self._scalar()
        self._settle(labels, scalar)

    def _scalar(self) -> Scalar:
        token = self._token
        if token.kind in {"+", "-"} and self._peek().kind == "number":
            self._advance()
            return self._signed(token)
        if token.kind in {"string", "number"} and token.value is not None:
            self._advance()
            return token.value
        if token.kind == "name" and token.text in _KEYWORDS:
            self._advance()
            return Bool(_KEYWORDS[token.text], token.position)
        if token.kind == "name" and token.text == "null":
            self._advance()
            return Null(token.position)
        raise self._unexpected("a value")

    def _signed(self, sign: Token) -> Number:
        number = self._advance().value
        if not isinstance(number, Number):
            raise self._unexpected("a number")
        value = number.value.copy_negate() if sign.kind == "-" else number.value
        return replace(number, value=value, text=sign.kind + number.text, position=sign.position)

    def _push(self, opened: _Open) -> None:
        self._check_depth(self._depth + max(len(opened.labels), 1))
        self._depth += max(len(opened.labels), 1)
        self._stack.append(opened)
        self._advance()

    def _check_depth(self, depth: int) -> None:
        if depth > self._deepest:
            raise self._fault(f"nested more than {self._deepest} deep", "cue.depth")

    def _close(self, top: _Open) -> Struct | None:
        """The document, when its end was reached."""
        self._stack.pop()
        value = top.value()
        if not self._stack:
            return value if isinstance(value, Struct) else None
        self._advance()
        self._depth -= max(len(top.labels), 1)
        if top.embedded:
            self._stack[-1].fields.extend(top.fields)
            self._end_of_declaration(self._stack[-1].closer)
        else:
            self._settle(top.labels, value)
        return None

    def _settle(self, labels: list[_Label], value: Value) -> None:
        """A finished value goes where it belongs, with all the labels before it."""
        top = self._stack[-1]
        if top.closer == "]":
            top.items.append(value)
        else:
            for label in reversed(labels[1:]):
                value = Struct((_field(label, value),), label.position)
            top.fields.append(_field(labels[0], value))
            while self._token.kind == "attribute":
                self._advance()
        self._end_of_declaration(top.closer)

    def _end_of_declaration(self, closer: str) -> None:
        if self._token.kind == "comma":
            self._advance()
        elif self._token.kind != closer:
            raise self._unexpected("',' or a newline")

    def _fault(self, message: str, check: str, hint: str | None = None) -> Fault:
        return Fault(self._token.position, message, check=check, hint=hint)

    def _not_a_field(self, token: Token) -> Fault:
        if token.kind == "name" and token.text in {"for", "if", "let", "try"}:
            return self._fault(f"{token.text} is not data", "cue.not-data")
        if token.kind == "name" and "#" in token.text:
            return self._fault(f"definition {token.text} is not data", "cue.not-data")
        shown = f"reference to {token.text}" if token.kind == "name" else "embedded string"
        return self._fault(f"{shown}: expected a field", "cue.not-data")

    def _unexpected(self, wanted: str) -> Fault:
        token = self._token
        if token.kind == "name" and wanted == "a value":
            what = "bottom" if token.text == "_|_" else f"reference to {token.text}"
            return self._fault(f"{what}: expected a value", "cue.not-data")
        if token.kind == "...":
            return self._fault("ellipsis is not data", "cue.not-data")
        if token.kind in _OPERATORS:
            return self._fault(f"operator {token.text} is not data", "cue.not-data")
        if token.kind == "[" and wanted == "a field":
            return self._fault("pattern or embedded list: expected a field", "cue.not-data")
        shown = {"end": "the end", "comma": "a newline" if token.text == "\n" else "','"}.get(token.kind)
        return self._fault(f"expected {wanted}, got {shown or token.text[:40]}", "cue.syntax")
