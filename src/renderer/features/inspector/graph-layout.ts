/** The layout's view of a node; `weight` is its actual or expected duration, for the critical path. */
export interface GraphNode {
  readonly id: string;
  readonly deps: readonly string[];
  readonly weight: number;
}

export interface PlacedNode {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly critical: boolean;
}

export interface PlacedEdge {
  readonly from: string;
  readonly to: string;
  /** An SVG path from the right side of one node to the left side of the other. */
  readonly path: string;
  readonly critical: boolean;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export const nodeWidth = 176;
export const nodeHeight = 60;
const gapX = 44;
const gapY = 14;

type ById = ReadonlyMap<string, GraphNode>;

/** Existing dependencies only: a plan with unknown or self-referencing ones still renders. */
function depsOf(node: GraphNode, byId: ById): readonly string[] {
  return node.deps.filter((id) => id !== node.id && byId.has(id));
}

/** The column of each node: one more than its rightmost dependency. Cycles stop at the number of nodes. */
function columnsOf(nodes: readonly GraphNode[], byId: ById): Map<string, number> {
  const columns = new Map(nodes.map((node) => [node.id, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    let moved = false;
    for (const node of nodes) {
      const after = depsOf(node, byId).map((id) => (columns.get(id) ?? 0) + 1);
      const column = Math.min(nodes.length - 1, Math.max(0, ...after));
      if (column > (columns.get(node.id) ?? 0)) {
        columns.set(node.id, column);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return columns;
}

/** Orders the rows of one column: each node near the middle of its dependencies, with ties in plan order. */
function ordered(column: readonly GraphNode[], byId: ById, rows: ReadonlyMap<string, number>): GraphNode[] {
  const middle = (node: GraphNode): number => {
    const known = depsOf(node, byId).map((id) => rows.get(id) ?? 0);
    return known.length === 0 ? 0 : known.reduce((sum, row) => sum + row, 0) / known.length;
  };
  return [...column].sort((a, b) => middle(a) - middle(b));
}

function inColumns(nodes: readonly GraphNode[], byId: ById): GraphNode[][] {
  const columns = columnsOf(nodes, byId);
  const count = Math.max(0, ...columns.values()) + 1;
  const rows = new Map<string, number>();
  return Array.from({ length: count }, (_, index) => {
    const column = ordered(
      nodes.filter((node) => columns.get(node.id) === index),
      byId,
      rows,
    );
    column.forEach((node, row) => rows.set(node.id, row - (column.length - 1) / 2));
    return column;
  });
}

/** The ids on the slowest chain of nodes: a run gets faster only if one of them does. */
export function criticalPath(nodes: readonly GraphNode[]): ReadonlySet<string> {
  const byId: ById = new Map(nodes.map((node) => [node.id, node]));
  const best = new Map<string, { readonly length: number; readonly before: string | undefined }>();
  for (const node of inColumns(nodes, byId).flat()) {
    const before = depsOf(node, byId).reduce<string | undefined>(
      (slowest, id) => ((best.get(id)?.length ?? 0) > (best.get(slowest ?? '')?.length ?? -1) ? id : slowest),
      undefined,
    );
    best.set(node.id, { length: (best.get(before ?? '')?.length ?? 0) + node.weight, before });
  }
  const path = new Set<string>();
  let at = [...best].reduce<string | undefined>(
    (end, [id, { length }]) => (end === undefined || length > (best.get(end)?.length ?? 0) ? id : end),
    undefined,
  );
  while (at !== undefined && !path.has(at)) {
    path.add(at);
    at = best.get(at)?.before;
  }
  return path;
}

function curve(from: PlacedNode, to: PlacedNode): string {
  const [x1, y1, x2, y2] = [from.x + nodeWidth, from.y + nodeHeight / 2, to.x, to.y + nodeHeight / 2];
  const bend = Math.max(gapX / 2, (x2 - x1) / 2);
  return `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`;
}

/**
 * Lays out a small graph from left to right. The layout depends only on the plan, so nothing moves during the
 * run.
 */
export function layoutGraph(nodes: readonly GraphNode[]): GraphLayout {
  if (nodes.length === 0) return { width: 0, height: 0, nodes: [], edges: [] };
  const byId: ById = new Map(nodes.map((node) => [node.id, node]));
  const columns = inColumns(nodes, byId);
  const critical = criticalPath(nodes);
  const tallest = Math.max(0, ...columns.map((column) => column.length));
  const height = Math.max(0, tallest * (nodeHeight + gapY) - gapY);
  const placed = new Map<string, PlacedNode>();
  columns.forEach((column, index) => {
    const top = (height - (column.length * (nodeHeight + gapY) - gapY)) / 2;
    column.forEach(({ id }, row) => {
      placed.set(id, {
        id,
        x: index * (nodeWidth + gapX),
        y: top + row * (nodeHeight + gapY),
        critical: critical.has(id),
      });
    });
  });
  const edges = nodes.flatMap((node) =>
    depsOf(node, byId).flatMap((id) => {
      const [from, to] = [placed.get(id), placed.get(node.id)];
      if (!from || !to) return [];
      return [{ from: id, to: node.id, path: curve(from, to), critical: from.critical && to.critical }];
    }),
  );
  const width = Math.max(0, columns.length * (nodeWidth + gapX) - gapX);
  return { width, height, nodes: nodes.flatMap((node) => placed.get(node.id) ?? []), edges };
}
