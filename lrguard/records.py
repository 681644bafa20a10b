"""Frozen and slotted dataclasses at a tenth of their cost: `dataclass`, `field`, `replace` and `asdict`.

`dataclasses` takes 10 ms to import and half a millisecond to write the methods of each class, and a call that prints a
message needs some forty: more than all of its work. Here the methods are written once for all classes; one of which
many records are made gets an `__init__` of its own then, four times as fast. To type checkers these are the real ones,
and to `dataclasses` too, which finds their fields when it asks.
"""

from __future__ import annotations

MANY = 200
"""Records of a class after which writing an `__init__` for it is worth its 0.1 ms."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, replace
else:

    class _Made:
        """The default of a field that is made anew for each record."""

        __slots__ = ("make",)

        def __init__(self, make):
            self.make = make

    def field(*, default_factory):
        """A field whose default is what `default_factory` returns."""
        return _Made(default_factory)

    def dataclass(*, slots, frozen=False):
        """Make a record of a class; both arguments are those of `dataclasses.dataclass`, and `slots` is always True."""
        return _frozen_record if frozen else _record

    def replace(record, **changes):
        """A record like `record` but for `changes`."""
        return type(record)(**(asdict(record) | changes))

    def asdict(record):
        """The fields of a record by their names; what they hold is left as it is."""
        return {name: getattr(record, name) for name in record.__match_args__}

    def _frozen_record(cls):
        return _record(cls, {"__setattr__": _refuse, "__delattr__": _refuse, "__hash__": _hash})

    def _record(cls, methods=None):
        names = tuple(cls.__annotations__)
        body = dict(vars(cls))
        defaults = {name: body.pop(name) for name in names if name in body}
        for name in ("__dict__", "__weakref__"):
            body.pop(name, None)
        given = {"__init__": _init, "__eq__": _equal, "__hash__": None, "__repr__": _shown}
        given |= {"__reduce__": _reduced, "__replace__": replace}
        body = given | (methods or {}) | body
        body |= {"__slots__": names, "__match_args__": names, "__qualname__": cls.__qualname__}
        body |= {"__dataclass_fields__": _Fields(), "_defaults": defaults, "_made": 0}
        record = type(cls.__name__, cls.__bases__, body)
        record._puts = tuple(vars(record)[name].__set__ for name in names)
        return record

    def _init(self, *values, **named):
        cls = type(self)
        names = cls.__match_args__
        cls._made += 1
        if cls._made == MANY:
            cls.__init__ = _written_init(cls)
        if len(values) > len(names):
            raise TypeError(f"{cls.__qualname__} has {len(names)} fields, not {len(values)}")
        for put, value in zip(cls._puts, values, strict=False):
            put(self, value)
        at = len(values)
        if at < len(names):
            defaults = cls._defaults
            for name, put in zip(names[at:], cls._puts[at:], strict=True):
                if name in named:
                    value = named.pop(name)
                elif name in defaults:
                    value = defaults[name]
                    if type(value) is _Made:
                        value = value.make()
                else:
                    raise TypeError(f"{cls.__qualname__} needs {name!r}")
                put(self, value)
        if named:
            raise TypeError(f"{cls.__qualname__} cannot take {', '.join(map(repr, named))}")

    def _written_init(cls):
        """An `__init__` that is written for `cls` alone."""
        known, parameters, body = {}, [], []
        for number, (name, put) in enumerate(zip(cls.__match_args__, cls._puts, strict=True)):
            known[f"_put{number}"], value = put, name
            if name in cls._defaults:
                default = known[f"_default{number}"] = cls._defaults[name]
                parameters.append(f"{name}=_default{number}")
                if type(default) is _Made:
                    value = f"_default{number}.make() if {name} is _default{number} else {name}"
            else:
                parameters.append(name)
            body.append(f"    _put{number}(_self, {value})\n")
        exec(f"def __init__(_self, {', '.join(parameters)}):\n{''.join(body)}", known)
        return known["__init__"]

    def _values(record):
        return tuple([getattr(record, name) for name in record.__match_args__])

    def _equal(self, other):
        return _values(self) == _values(other) if type(self) is type(other) else NotImplemented

    def _hash(self):
        return hash(_values(self))

    def _shown(self):
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__qualname__}({shown})"

    def _reduced(self):
        return type(self), _values(self)

    def _refuse(self, name, *_):
        raise AttributeError(f"cannot change {name!r} of a {type(self).__qualname__}")

    class _Fields:
        """What `dataclasses` knows a dataclass by."""

        def __get__(self, record, cls):
            from dataclasses import field, make_dataclass

            fields = []
            for name in cls.__match_args__:
                default = cls._defaults.get(name, field)
                made = {"default_factory": default.make} if isinstance(default, _Made) else {"default": default}
                fields.append((name, cls.__annotations__[name], field(**({} if default is field else made))))
            return make_dataclass(cls.__name__, fields).__dataclass_fields__


__all__ = ["asdict", "dataclass", "field", "replace"]
