import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalPath, layoutGraph, nodeHeight, nodeWidth, type GraphNode } from './graph-layout';

const node = (id: string, deps: readonly string[] = [], weight = 1): GraphNode => ({ id, deps, weight });

const diamond = [node('a'), node('b', ['a'], 5), node('c', ['a']), node('d', ['b', 'c'])];

describe('layoutGraph', () => {
  it('puts every node to the right of its dependencies', () => {
    const graph = fc.array(fc.array(fc.nat(30), { maxLength: 4 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(graph, (deps) => {
        const nodes = deps.map((list, index) =>
          node(`n${index}`, index === 0 ? [] : [...new Set(list.map((dep) => `n${dep % index}`))]),
        );
        const { nodes: placed, width, height } = layoutGraph(nodes);
        const at = new Map(placed.map((place) => [place.id, place]));
        for (const { id, deps: before } of nodes) {
          for (const dep of before) expect(at.get(dep)?.x).toBeLessThan(at.get(id)?.x ?? 0);
        }
        for (const { x, y } of placed) {
          expect(x + nodeWidth).toBeLessThanOrEqual(width);
          expect(y + nodeHeight).toBeLessThanOrEqual(height);
          expect(y).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('never puts two nodes in one position', () => {
    const { nodes } = layoutGraph([...diamond, node('e'), node('f', ['a'])]);
    expect(new Set(nodes.map(({ x, y }) => `${x},${y}`)).size).toBe(6);
  });

  it('draws an edge for every dependency and marks the critical ones', () => {
    const { edges } = layoutGraph(diamond);
    expect(edges.map(({ from, to, critical }) => [from, to, critical])).toEqual([
      ['a', 'b', true],
      ['a', 'c', false],
      ['b', 'd', true],
      ['c', 'd', false],
    ]);
  });

  it('draws an invalid plan: missing names, self-references, cycles', () => {
    const { nodes, edges } = layoutGraph([node('a', ['ghost', 'a', 'b']), node('b', ['a'])]);
    expect(nodes).toHaveLength(2);
    expect(edges).toHaveLength(2);
  });

  it('is empty for an empty plan', () => {
    expect(layoutGraph([])).toEqual({ width: 0, height: 0, nodes: [], edges: [] });
  });
});

describe('criticalPath', () => {
  it('is the longest chain by time, not by nodes', () => {
    const nodes = [node('a'), node('b', ['a']), node('c', ['b']), node('slow', ['a'], 50)];
    expect([...criticalPath(nodes)].sort()).toEqual(['a', 'slow']);
  });

  it('is the whole of a single chain', () => {
    expect(criticalPath([node('a'), node('b', ['a']), node('c', ['b'])]).size).toBe(3);
  });
});
