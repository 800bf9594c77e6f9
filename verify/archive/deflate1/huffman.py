"""Prefix codes: which length each symbol gets, and the bits that follow from the lengths.

Many sets of lengths are equally short in total. Which one is meant is fixed by the order in which the two
rarest nodes are taken, and by how a code that grew too long is repaired: both are part of the format.

>>> lengths({0: 5, 1: 2, 2: 1}, size=3, most=15)
[1, 2, 2]
>>> patterns([1, 2, 2])
['0', '01', '11']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def lengths(counts: Mapping[int, int], *, size: int, most: int) -> list[int]:
    """The code length of every symbol up to the last one in use, none longer than `most`.

    A code has at least two symbols: where fewer occur, unused ones join with a count of one.
    """
    weights = {symbol: counts[symbol] for symbol in sorted(counts)}
    last = max(weights, default=-1)
    while len(weights) < 2:
        if last < 2:
            last += 1
            weights[last] = 1
        else:
            weights[0] = 1
    forest = _Forest(weights, size)
    forest.grow()
    return forest.depths(last, most)


def patterns(code_lengths: Sequence[int]) -> list[str]:
    """The canonical code of RFC 1951 §3.2.2, each as a string from its last bit to its first."""
    result = [""] * len(code_lengths)
    code = 0
    for length in range(1, max(code_lengths) + 1):
        for symbol, its in enumerate(code_lengths):
            if its == length:
                result[symbol] = f"{code:0{length}b}"[::-1]
                code += 1
        code <<= 1
    return result


class _Forest:
    """Trees waiting to be joined, in a binary heap: rarest first, among equals the flattest first.

    The heap's shape decides between nodes that are equal in both, so it is written out here: `heapq` moves
    its elements differently.
    """

    __slots__ = ("heap", "heights", "order", "parents", "size", "weights")

    def __init__(self, weights: dict[int, int], size: int) -> None:
        self.weights = weights  # node to how often; leaves are symbols, joints are numbered from `size` on
        self.size = size
        self.heap = list(weights)
        self.heights = dict.fromkeys(self.heap, 0)
        self.parents: dict[int, int] = {}
        self.order: list[int] = []  # as they were taken off the heap, rarest first

    def _sink(self, place: int) -> None:
        """Let the node at `place` sink until no child comes before it."""
        heap, weights, heights = self.heap, self.weights, self.heights
        node = heap[place]
        rank = (weights[node], heights[node])
        while (child := 2 * place + 1) < len(heap):
            theirs = (weights[heap[child]], heights[heap[child]])
            if child + 1 < len(heap):
                right = heap[child + 1]
                if (weights[right], heights[right]) <= theirs:  # the right one wins a tie
                    child += 1
                    theirs = (weights[right], heights[right])
            if rank <= theirs:
                break
            heap[place] = heap[child]
            place = child
        heap[place] = node

    def grow(self) -> None:
        """Join the two rarest until one tree is left."""
        heap = self.heap
        for place in range(len(heap) // 2 - 1, -1, -1):
            self._sink(place)
        joint = self.size
        while len(heap) >= 2:
            rarest, last = heap[0], heap.pop()
            heap[0] = last  # the joint takes this place below, and sinks anew
            self._sink(0)
            second = heap[0]
            self.order += (rarest, second)
            self.weights[joint] = self.weights[rarest] + self.weights[second]
            self.heights[joint] = max(self.heights[rarest], self.heights[second]) + 1
            self.parents[rarest] = self.parents[second] = joint
            heap[0] = joint
            self._sink(0)
            joint += 1
        self.order.append(heap[0])

    def depths(self, last: int, most: int) -> list[int]:
        """How deep each leaf lies; where that is more than `most`, lengths are dealt out anew."""
        depth = {self.order[-1]: 0}
        too_deep = 0
        population = [0] * (most + 1)
        for node in reversed(self.order[:-1]):
            depth[node] = min(depth[self.parents[node]] + 1, most)
            too_deep += depth[self.parents[node]] == most
            if node < self.size:
                population[depth[node]] += 1
        leaves = [node for node in self.order if node < self.size]
        if too_deep:
            _rebalance(population, too_deep)
            dealt = [length for length in range(most, 0, -1) for _ in range(population[length])]
            depth = dict(zip(leaves, dealt, strict=True))
        result = [0] * (last + 1)
        for leaf in leaves:
            result[leaf] = depth[leaf]
        return result


def _rebalance(population: list[int], too_deep: int) -> None:
    """Make room: one leaf steps down from the deepest level that has one, and takes a neighbour along."""
    most = len(population) - 1
    while too_deep > 0:
        level = most - 1
        while not population[level]:
            level -= 1
        population[level] -= 1
        population[level + 1] += 2
        population[most] -= 1
        too_deep -= 2
