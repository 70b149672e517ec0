"""The loops of machine code: which places of it are in them. Needs nothing but Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional, TypeVar

__all__ = ["loop_depths", "loops"]

#: What names a place: the label of a block, the number of an instruction.
Place = TypeVar("Place", str, int)


def loop_depths(entry: Place, after: Mapping[Place, Sequence[Place]]) -> dict[Place, int]:
    """The number of loops around each place that is reached from `entry`; `after` has the places that may follow one.

    >>> loop_depths("entry", {"entry": ["loop"], "loop": ["end", "loop"], "end": []})
    {'entry': 0, 'loop': 1, 'end': 0}
    """
    order, bodies = loops(entry, after)
    depths = dict.fromkeys(order, 0)
    for body in bodies.values():
        for place in body:
            depths[place] += 1
    return depths


def loops(
    entry: Place, after: Mapping[Place, Sequence[Place]]
) -> tuple[list[Place], dict[Place, set[Place]]]:
    """The places that are reached from `entry`, and those of each loop by its first one. A loop is what leads back to a place
    through which all ways to its end lead.

    >>> loops("entry", {"entry": ["loop"], "loop": ["end", "loop"], "end": []})[1]
    {'loop': {'loop'}}
    """
    order, before = _reached(entry, after)
    number = {place: at for at, place in enumerate(order)}
    immediate = _dominators(order, number, before)

    def dominates(one: Place, other: Place) -> bool:
        while number[other] > number[one]:
            other = immediate[other]
        return one == other

    ends: dict[Place, list[Place]] = {}
    for place in order:
        for following in after[place]:
            if dominates(following, place):
                ends.setdefault(following, []).append(place)
    bodies: dict[Place, set[Place]] = {}
    for head, left in ends.items():
        body = bodies[head] = {head}
        while left:
            place = left.pop()
            if place not in body:
                body.add(place)
                left.extend(before[place])
    return order, bodies


def _reached(
    entry: Place, after: Mapping[Place, Sequence[Place]]
) -> tuple[list[Place], dict[Place, list[Place]]]:
    """The places that are reached, each before what it leads to but for loops, and what leads directly to each."""
    before: dict[Place, list[Place]] = {entry: []}
    done, order, stack = {entry}, [], [(entry, 0)]
    while stack:
        place, at = stack.pop()
        if at == len(after[place]):
            order.append(place)
            continue
        stack.append((place, at + 1))
        following = after[place][at]
        before.setdefault(following, []).append(place)
        if following not in done:
            done.add(following)
            stack.append((following, 0))
    return order[::-1], before


def _dominators(
    order: Sequence[Place], number: Mapping[Place, int], before: Mapping[Place, Sequence[Place]]
) -> dict[Place, Place]:
    """The immediate dominator of each place (Cooper, Harvey and Kennedy)."""
    immediate = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for place in order[1:]:
            new: Optional[Place] = None
            for other in before[place]:
                if other not in immediate:
                    continue
                if new is None:
                    new = other
                while new != other:
                    if number[new] > number[other]:
                        new = immediate[new]
                    else:
                        other = immediate[other]
            if new is not None and immediate.get(place) != new:
                immediate[place], changed = new, True
    return immediate
