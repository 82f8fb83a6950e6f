"""The text of one function on its way to LLVM: lines, labels, and slots for variables."""

from __future__ import annotations


class FunctionText:
    """Lines of assembly. Variables live in slots of memory, which LLVM turns into registers."""

    def __init__(self) -> None:
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.names = 0
        self.open = True
        """Whether the next line can be reached."""

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}.{self.names}"

    def emit(self, line: str) -> None:
        if self.open:
            self.lines.append(f"  {line}")

    def let(self, expression: str) -> str:
        name = f"%{self.name('v')}"
        self.emit(f"{name} = {expression}")
        return name

    def slot(self, kind: str, *, zero: str | None = None, align: int | None = None) -> str:
        """A place for a value, made when the function begins."""
        name = f"%{self.name('slot')}"
        aligned = "" if align is None else f", align {align}"
        self.slots.append(f"  {name} = alloca {kind}{aligned}")
        if zero is not None:
            self.slots.append(f"  store {kind} {zero}, ptr {name}")
        return name

    def label(self, name: str) -> None:
        """Go on at a label that jumps lead to as well."""
        self.go(name)
        self.place(name)

    def go(self, name: str) -> None:
        self.emit(f"br label %{name}")
        self.open = False

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        self.emit(f"br i1 {condition}, label %{then}, label %{otherwise}")
        self.open = False

    def place(self, name: str) -> None:
        """Begin a block that only jumps lead to."""
        self.lines.append(f"{name}:")
        self.open = True

    def leave(self, line: str) -> None:
        """A line after which nothing follows."""
        self.emit(line)
        self.open = False
