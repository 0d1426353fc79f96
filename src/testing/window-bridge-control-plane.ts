import type { ControlPlaneView, PickerPage } from '#shared/control-plane';
import type { DdrAnswer } from '#shared/ddr';
import type { IpcHandlers, IpcInput, IpcOutput } from '#shared/ipc';
import { sourceId, type ResolverItem } from '#shared/resolver';
import { ok, type Result } from '#shared/result';
import type { Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import { sampleControlPlane, sampleItems } from './sample-control-plane';

/** Overrides of the double's sample control plane. */
export interface ControlPlaneOptions {
  readonly view?: (modeId: string | null) => ControlPlaneView;
  readonly items?: Readonly<Record<string, readonly ResolverItem[]>>;
  readonly page?: (asked: IpcInput<'picker-page'>) => Result<PickerPage> | Promise<Result<PickerPage>>;
  /** The lines that change the app and no session, with what they do. */
  readonly appChanges?: Readonly<Record<string, NonNullable<IpcOutput<'app-change'>>>>;
  readonly onPreview?: (text: string) => Result<Routing> | Promise<Result<Routing>>;
  readonly onDdrCall?: (call: IpcInput<'ddr-call'>) => DdrAnswer;
  /** The session that an answered question opens. */
  readonly opened?: string;
}

interface Deps {
  readonly options: ControlPlaneOptions;
  readonly states: ReadonlyMap<string, SessionState>;
  readonly record: (sessionId: string, facts: readonly SessionFact[]) => void;
}

function fits({ header, aliases }: ResolverItem, text: string): boolean {
  const wanted = text.toLowerCase();
  return [header.id, header.displayName, ...aliases].some((name) => name.toLowerCase().includes(wanted));
}

const noRoute: Routing = {
  action: { type: 'continue-with-llm', reasonCode: 'no-match' },
  trace: { folded: '', mode: 'general', candidates: [], decision: 'No pattern fits.', unavailable: [] },
};

function chosenFacts(turn: number, commandId: string, item: ResolverItem['header']): readonly SessionFact[] {
  return [
    { type: 'picker-chosen', turn, commandId, item },
    { type: 'command-invoked', turn, commandId, displayName: commandId, item },
    { type: 'command-ended', turn, outcome: 'done', summary: `${item.displayName} was chosen.` },
  ];
}

/** The control plane's calls over samples: lists are split into pages, and a choice invokes its command. */
export function controlPlaneHandlers({ options, states, record }: Deps) {
  const items = options.items ?? sampleItems;
  const stateOf = (sessionId: string | undefined) =>
    sessionId === undefined ? undefined : states.get(sessionId);
  return {
    'control-plane': ({ sessionId }) =>
      ok((options.view ?? sampleControlPlane)(stateOf(sessionId)?.modeId ?? null)),
    'picker-page': (asked) => {
      if (options.page) return options.page(asked);
      const all = (items[sourceId(asked.source)] ?? []).filter((item) => fits(item, asked.text));
      const page = all.slice(asked.offset, asked.offset + asked.limit);
      return ok({ items: page, offset: asked.offset, total: all.length, status: { state: 'ready' } });
    },
    'picker-choose': ({ sessionId, turn, id }) => {
      const state = states.get(sessionId);
      const action = state && turnAt(state, turn)?.route?.action;
      if (action?.type !== 'open-picker') return ok({ opened: null });
      const item = (items[sourceId(action.source)] ?? []).find(({ header }) => header.id === id);
      record(sessionId, chosenFacts(turn, action.commandId, item?.header ?? { id, displayName: id }));
      return ok({ opened: options.opened ?? null });
    },
    'picker-close': ({ sessionId, turn, then }) => {
      record(sessionId, [{ type: 'picker-closed', turn, then }]);
      return ok(null);
    },
    'question-answer': ({ sessionId, turn, questionId, option }) => {
      record(sessionId, [{ type: 'question-answered', turn, questionId, option, by: 'card' }]);
      return ok({ opened: options.opened ?? null });
    },
    'route-preview': ({ text }) => options.onPreview?.(text) ?? ok(noRoute),
    'app-change': ({ text }) => ok(options.appChanges?.[text] ?? null),
    'workflow-act': () => ok(null),
    'ddr-call': (call) => ok(options.onDdrCall?.(call) ?? { ok: true, result: { ddrs: [] } }),
  } satisfies Partial<IpcHandlers>;
}
