"""torch.fx.experimental.refinement_types: what must hold between sizes."""

import dataclasses

from opwright.compat._absent import absent

__all__ = ["Equality"]


@dataclasses.dataclass(eq=True, repr=False)
class Equality:
    """Two sizes are equal.

    >>> Equality(2, 2)
    2 = 2
    """

    lhs: object
    rhs: object

    def __repr__(self) -> str:
        return f"{self.lhs} = {self.rhs}"


__getattr__ = absent(__name__)
