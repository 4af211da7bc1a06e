"""Wrong coefficients, formulas and data. Each item names some, and a test sees that its verdict falls with every one of
them: a comparison that a wrong method passes compares nothing."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Mutation:
    name: str
    change: callable = lambda asked: asked  # of a command
    data: tuple = ()  # (name of a datum, function of its value)

    def apply(self, asked):
        return self.change(asked)

    def apply_to_datum(self, name, value):
        for of, change in self.data:
            if of == name:
                return change(value)
        return value


def method(old, new):
    """Another method where `old` is asked for."""

    def change(asked):
        words = tuple(
            (name, ",".join(new if key == old else key for key in value.split(",")) if name in ("method", "methods") else
             new if name == "" and value == old else value)
            for name, value in asked.options)
        return replace(asked, options=words)

    return Mutation(f"{new} instead of {old}", change)


def step(factor):
    """Steps that are longer by a factor."""
    return Mutation(
        f"steps times {factor}",
        lambda asked: asked if asked.option("step") is None else asked.with_option(
            "step", ",".join(f"{factor}*({h})" for h in asked.option("step").split(","))))


def option(name, value):
    """One more option of every command, or another value."""
    return Mutation(f"--{name} {value}", lambda asked: asked.with_option(name, value))


def text(old, new, model=None):
    """Another text in the model (of this name, if there are several)."""

    def change(asked):
        if asked.model is None or (model is not None and asked.model.stem != model):
            return asked
        if old not in asked.model.read_text(encoding="utf-8"):
            return asked
        return replace(asked, edits=asked.edits + ((old, new),))

    return Mutation(f"{new!r} for {old!r} in the model", change)


def datum(name, change, words):
    """Another value of a number that the item itself uses."""
    return Mutation(words, data=((name, change),))
