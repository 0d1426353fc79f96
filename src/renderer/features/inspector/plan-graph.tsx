import { Maximize2, Minus, Plus, Replace } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { NodeState, RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { IconButton } from '../../ui/icon-button';
import { revisionOf } from '../run-parts/revised-steps';
import { stepFacts, statusOf, titleOf } from '../run-parts/run-facts';
import { StatusMark, statusWord } from '../../ui/status-mark';
import { layoutGraph, nodeHeight, nodeWidth, type GraphLayout, type PlacedNode } from './graph-layout';

export interface PlanViewProps {
  readonly run: RunState;
  readonly selected: string | null;
  readonly onSelect: (nodeId: string) => void;
  /** As tall as the window allows. */
  readonly tall?: boolean;
}

const padding = 16;
/**
 * Below this scale the titles are unreadable: the graph scrolls instead, until the user asks for all of it.
 */
const readable = 0.85;
const smallest = 0.3;
const steps = { in: 1.2, out: 1 / 1.2 };

type ShownStatus = ReturnType<typeof statusOf>;

const frames: Readonly<Record<ShownStatus, string>> = {
  pending: 'border-line border-dashed',
  running: 'border-accent',
  waiting: 'border-copper',
  done: 'border-line-strong',
  failed: 'border-danger',
  skipped: 'border-line border-dashed opacity-70',
  cancelled: 'border-line border-dashed opacity-70',
  declined: 'border-line-strong border-dashed',
};

interface NodeBoxProps {
  readonly place: PlacedNode;
  readonly node: NodeState;
  readonly status: ShownStatus;
  readonly title: string;
  /** A revision of the plan added it. */
  readonly revised: boolean;
  readonly selected: boolean;
  readonly onSelect: (nodeId: string) => void;
}

function NodeBox({ place, node, status, title, revised, selected, onSelect }: NodeBoxProps) {
  return (
    <button
      type="button"
      aria-pressed={selected}
      title={title}
      style={{ insetInlineStart: place.x, top: place.y, width: nodeWidth, height: nodeHeight }}
      className={classNames(
        'absolute flex flex-col justify-center gap-1 rounded-lg border bg-overlay px-2.5 text-start shadow-raised hover:bg-surface',
        frames[status],
        selected && 'ring-2 ring-accent ring-offset-2 ring-offset-surface',
      )}
      onClick={() => onSelect(node.id)}
    >
      <span className="flex w-full min-w-0 items-center gap-1.5">
        <StatusMark status={status} bare />
        <span dir="auto" className="min-w-0 grow truncate text-sm font-medium">
          {title}
        </span>
        {revised && <Replace aria-hidden="true" className="size-3.5 shrink-0 text-accent-text" />}
      </span>
      <span className="numbers w-full truncate ps-5.5 text-xs text-muted">
        {stepFacts(node, revised) || statusWord(status)}
        {place.critical && <span className="sr-only">{text('inspector.plan.critical')}</span>}
      </span>
    </button>
  );
}

function Edges({ layout, run }: { layout: GraphLayout; run: RunState }) {
  const ended = new Set(run.nodes.filter((node) => node.status === 'done').map((node) => node.id));
  return (
    <svg
      aria-hidden="true"
      width={layout.width}
      height={layout.height}
      className="absolute inset-0 overflow-visible"
    >
      {layout.edges.map(({ from, to, path, critical }) => (
        <path
          key={`${from}-${to}`}
          d={path}
          fill="none"
          strokeWidth={critical ? 2.25 : 1.25}
          strokeDasharray={ended.has(from) ? undefined : '4 4'}
          className={critical ? 'stroke-accent' : 'stroke-line-strong'}
        />
      ))}
    </svg>
  );
}

/** The scale at which the whole graph is visible, limited to what stays readable. */
function useFit(width: number) {
  const frame = useRef<HTMLDivElement>(null);
  const [availableWidth, setAvailableWidth] = useState(0);
  const [chosen, setChosen] = useState<number>();
  useEffect(() => {
    const box = frame.current;
    if (!box) return undefined;
    const observer = new ResizeObserver(() => setAvailableWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const fit =
    availableWidth === 0
      ? 1
      : Math.min(1, Math.max(smallest, (availableWidth - 2 * padding) / Math.max(1, width)));
  const scale = chosen ?? Math.max(readable, fit);
  const zoom = (by: number) => setChosen(Math.min(1.6, Math.max(smallest, scale * by)));
  return { frame, scale, zoom, toFit: () => setChosen(fit) };
}

/** Scrolls the selected node into view within the graph's own frame. */
function useInSight(
  frame: RefObject<HTMLDivElement | null>,
  place: PlacedNode | undefined,
  scale: number,
): void {
  const [x, y] = [place?.x, place?.y];
  useEffect(() => {
    const box = frame.current;
    if (!box || x === undefined || y === undefined) return;
    const [left, top] = [x * scale, y * scale];
    const [right, bottom] = [left + nodeWidth * scale + 2 * padding, top + nodeHeight * scale + 2 * padding];
    box.scrollTo({
      left: Math.max(right - box.clientWidth, Math.min(box.scrollLeft, left)),
      top: Math.max(bottom - box.clientHeight, Math.min(box.scrollTop, top)),
    });
  }, [frame, x, y, scale]);
}

function weightOf(node: NodeState | undefined): number {
  return node?.startedAt === undefined || node.endedAt === undefined
    ? 1
    : Math.max(1, node.endedAt - node.startedAt);
}

function useLayout(run: RunState): GraphLayout {
  return useMemo(() => {
    const finished = run.nodes.every((node) => node.status !== 'pending' && node.status !== 'running');
    const states = new Map(run.nodes.map((node) => [node.id, node]));
    const nodes = run.plan?.nodes ?? [];
    return layoutGraph(
      nodes.map(({ id, deps }) => ({ id, deps, weight: finished ? weightOf(states.get(id)) : 1 })),
    );
  }, [run.plan, run.nodes]);
}

function ZoomTools({ zoom, toFit }: { zoom: (by: number) => void; toFit: () => void }) {
  return (
    <div className="absolute end-1.5 bottom-1.5 flex rounded-md border border-line bg-overlay">
      <IconButton icon={Minus} label={text('inspector.plan.smaller')} onClick={() => zoom(steps.out)} />
      <IconButton icon={Maximize2} label={text('inspector.plan.fit')} onClick={toFit} />
      <IconButton icon={Plus} label={text('inspector.plan.larger')} onClick={() => zoom(steps.in)} />
    </div>
  );
}

/**
 * The plan from left to right, with the critical path emphasised. The list beside it has the same actions.
 */
export function PlanGraph({ run, selected, onSelect, tall = false }: PlanViewProps) {
  const layout = useLayout(run);
  const { frame, scale, zoom, toFit } = useFit(layout.width);
  useInSight(
    frame,
    layout.nodes.find(({ id }) => id === selected),
    scale,
  );
  const states = new Map(run.nodes.map((node) => [node.id, node]));
  const size = { width: layout.width * scale, height: layout.height * scale };
  return (
    <div className="relative border-b border-line bg-surface">
      <div
        ref={frame}
        role="group"
        aria-label={text('inspector.plan.graph')}
        dir="ltr"
        className={classNames('overflow-auto', tall ? 'wide:h-[calc(96vh-9rem)]' : 'max-h-96')}
      >
        <div className="w-fit min-w-full p-4 pb-10">
          <div style={size} className="relative mx-auto">
            <div
              style={{ width: layout.width, height: layout.height, transform: `scale(${scale})` }}
              className="absolute top-0 start-0 origin-top-left"
            >
              <Edges layout={layout} run={run} />
              {layout.nodes.map((place) => {
                const node = states.get(place.id);
                if (!node) return null;
                const title = titleOf(run, node.id);
                return (
                  <NodeBox
                    key={node.id}
                    place={place}
                    node={node}
                    status={statusOf(run, node)}
                    title={title}
                    onSelect={onSelect}
                    revised={revisionOf(run, node.id) !== undefined}
                    selected={selected === node.id}
                  />
                );
              })}
            </div>
          </div>
        </div>
      </div>
      <ZoomTools zoom={zoom} toFit={toFit} />
    </div>
  );
}
