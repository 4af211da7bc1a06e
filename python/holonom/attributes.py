"""Attributes that are set: a misspelt one would be kept and do nothing."""
import difflib


class FixedAttributes:
    """Properties with a setter can be set, and names that begin with _; nothing else."""

    def __setattr__(self, name, value):
        there = getattr(type(self), name, None)
        if name.startswith("_") or (isinstance(there, property) and there.fset is not None):
            return super().__setattr__(name, value)
        kind = type(self).__name__
        if isinstance(there, property) or name in self.__dict__:
            raise AttributeError(f"{name!r} of a {kind} can be read, not set")
        if callable(there):
            raise AttributeError(self._why_not(name) or f"{name!r} of a {kind} is called, not set: {name}(...)")
        settable = [n for n in dir(type(self)) if getattr(getattr(type(self), n), "fset", None)]
        near = difflib.get_close_matches(name, settable, n=1) or [n for n in settable if n.lower() == name.lower()]
        raise AttributeError(f"a {kind} has no attribute {name!r} to be set"
                             + (f"; did you mean {near[0]!r}?" if near else "; names of your own begin with _"))

    def _why_not(self, name):
        """What to do instead, where a method looks like a value; None if nothing special."""
