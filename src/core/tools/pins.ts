import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ToolChange, ToolPin, ToolText } from '#shared/tool-pin';
import type { PinStore } from '../ports/pin-store';
import type { ToolDefinition } from '../ports/tool-definition';
import { compareLines, wholeTexts } from './line-diff';

/** The pinned definition of a tool, and the pin to store when it changed. */
export interface PinnedDefinition {
  readonly definition: ToolDefinition;
  readonly changedPin?: ToolPin;
}

function textOf({ description, inputSchema, outputSchema, annotations, hash }: ToolDefinition): ToolText {
  return {
    description,
    inputSchema,
    hash: hash ?? '',
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
  };
}

/** Tools of bundled servers are not pinned because they change with the app. */
export const isPinned = ({ hash, bundled }: ToolDefinition): boolean =>
  hash !== undefined && bundled === undefined;

/**
 * The effective definition. The first definition seen is pinned; a different one counts as changed, and the
 * pinned one stays in use until the user accepts the change. Tools of bundled servers are not pinned. Pure.
 */
export function enforcePin(definition: ToolDefinition, recorded: ToolPin | undefined): PinnedDefinition {
  const { uri, hash } = definition;
  if (!isPinned(definition)) return { definition };
  const words = textOf(definition);
  if (!recorded) return { definition, changedPin: { uri, held: words } };
  if (recorded.held.hash === hash)
    return recorded.seen ? { definition, changedPin: { uri, held: recorded.held } } : { definition };
  const { outputSchema: _output, annotations: _annotations, ...rest } = definition;
  const { outputSchema, annotations, ...shown } = recorded.held;
  const effective: ToolDefinition = {
    ...rest,
    ...shown,
    changed: true,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
  };
  return recorded.seen?.hash === hash
    ? { definition: effective }
    : { definition: effective, changedPin: { ...recorded, seen: words } };
}

const readable = ({ hash: _hash, ...words }: ToolText): string => `${JSON.stringify(words, null, 2)}\n`;

/** The change of a tool as shown to a person; null: nothing has changed. */
export function changeOf({ uri, held: current, seen, keptBlocked: blocked }: ToolPin): ToolChange | null {
  if (!seen) return null;
  const [before, after] = [readable(current), readable(seen)];
  // Its limit of edits keeps a server from controlling how long the comparison takes.
  const hunks = compareLines(before, after) ?? [wholeTexts(before, after)];
  const lines = hunks.flatMap((hunk) => [...hunk.lines]);
  return { uri, hash: seen.hash, ...(blocked === seen.hash && { keptBlocked: true }), lines };
}

/** The pinned definitions of tools, and the user's decisions about their changes. */
export interface ToolPins {
  /** Returns the effective definitions and pins new ones. HOST/STORAGE when a pin cannot be stored. */
  enforce(listed: readonly ToolDefinition[]): Result<readonly ToolDefinition[]>;
  changes(): Result<readonly ToolChange[]>;
  /** Pins a tool to the change that was shown; HOST/STATE when the definition has changed again. */
  accept(uri: string, hash: string): Result<ToolChange>;
  /** Blocks a tool at the change that was shown and stops asking about it; HOST/STATE as for `accept`. */
  block(uri: string, hash: string): Result<null>;
  /** The fingerprint of the definition that a tool is pinned to. */
  hashOf(uri: string): string | undefined;
  forget(server: string): Result<null>;
}

const notShown = appError('HOST', 'STATE', 'That tool has no such pending change.', {
  hint: 'List the tools again and review the current change.',
});

export function createToolPins(store: PinStore): ToolPins {
  const find = (uri: string): ToolPin | undefined => {
    const pins = store.list();
    return pins.ok ? pins.value.find((entry) => entry.uri === uri) : undefined;
  };
  return {
    enforce(listed) {
      if (!listed.some(isPinned)) return ok(listed);
      const pins = store.list();
      if (!pins.ok) return pins;
      const byUri = new Map(pins.value.map((entry) => [entry.uri, entry]));
      const enforced = listed.map((definition) => enforcePin(definition, byUri.get(definition.uri)));
      const changed = enforced.flatMap(({ changedPin: entry }) => entry ?? []);
      const stored = changed.length === 0 ? ok(null) : store.put(changed);
      return stored.ok ? ok(enforced.map(({ definition }) => definition)) : stored;
    },
    changes() {
      const pins = store.list();
      return pins.ok ? ok(pins.value.flatMap((entry) => changeOf(entry) ?? [])) : pins;
    },
    accept(uri, hash) {
      const entry = find(uri);
      const change = entry && changeOf(entry);
      if (!entry?.seen || change?.hash !== hash) return err(notShown);
      const stored = store.put([{ uri, held: entry.seen }]);
      return stored.ok ? ok(change) : stored;
    },
    block(uri, hash) {
      const entry = find(uri);
      if (entry?.seen?.hash !== hash) return err(notShown);
      return store.put([{ ...entry, keptBlocked: hash }]);
    },
    hashOf: (uri) => find(uri)?.held.hash,
    forget: store.forget,
  };
}
