"""What every setting of a page has in common."""

from dataclasses import fields


class Controls:
    """Base of the frozen dataclass that holds the controls of a page: scalars, each with a default; it fits in a URL."""

    def changes(self) -> dict[str, float | int | str | bool]:
        """The fields that differ from the defaults: what a permalink must carry."""
        return {field.name: getattr(self, field.name) for field in fields(self) if getattr(self, field.name) != field.default}
