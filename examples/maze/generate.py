#!/usr/bin/env python3
"""Makes mazes and a way through each: generate.py COUNT [SEED] > mazes.jsonl

A maze is a list of rows: '#' is a wall, '.' is free, 'S' the start and 'G' the goal. The answer is
the same rows with 'o' on a shortest way. Two extra walls are open, so a maze may have several ways.
verify.py accepts each of them.
"""
import json
import random
import sys

CELLS = 4  # in a row and in a column
SIZE = 2 * CELLS + 1


def carve(rng):
    """Cells joined by a random walk that covers all of them, and two more walls opened."""
    maze = [["#"] * SIZE for _ in range(SIZE)]
    stack = [(rng.randrange(CELLS), rng.randrange(CELLS))]
    seen = set(stack)
    while stack:
        r, c = stack[-1]
        maze[2 * r + 1][2 * c + 1] = "."
        ways = [(r + a, c + b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        ways = [w for w in ways if min(w) >= 0 and max(w) < CELLS and w not in seen]
        if not ways:
            stack.pop()
            continue
        way = rng.choice(ways)
        maze[r + way[0] + 1][c + way[1] + 1] = "."
        seen.add(way)
        stack.append(way)
    walls = [(r, c) for r in range(1, SIZE - 1) for c in range(1, SIZE - 1) if (r + c) % 2 and maze[r][c] == "#"]
    for r, c in rng.sample(walls, 2):
        maze[r][c] = "."
    return maze


def shortest_way(maze, start, goal):
    """The squares between start and goal, by breadth-first search from the goal."""
    after, front = {goal: None}, [goal]
    while start not in after:
        following = []
        for r, c in front:
            for square in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)):
                if maze[square[0]][square[1]] != "#" and square not in after:
                    after[square] = (r, c)
                    following.append(square)
        front = following
    way, square = [], after[start]
    while square != goal:
        way.append(square)
        square = after[square]
    return way


def main():
    count = int(sys.argv[1])
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for _ in range(count):
        maze = carve(rng)
        cells = [(2 * r + 1, 2 * c + 1) for r in range(CELLS) for c in range(CELLS)]
        start, goal = rng.sample(cells, 2)
        maze[start[0]][start[1]], maze[goal[0]][goal[1]] = "S", "G"
        puzzle = ["".join(row) for row in maze]
        for r, c in shortest_way(maze, start, goal):
            maze[r][c] = "o"
        print(json.dumps({"input": puzzle, "output": ["".join(row) for row in maze]}))


if __name__ == "__main__":
    main()
