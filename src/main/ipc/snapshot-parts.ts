import { appError } from '#shared/app-error';
import type { SnapshotPart } from '#shared/ipc';
import { err, ok, type Result } from '#shared/result';
import type { SessionState, TurnBlocks } from '#shared/session-state';
import type { SessionLog } from '../../core/session/session-log';

/** UTF-16 units of one part, a few milliseconds of work for main and for the page; a block is never split. */
const partLength = 256 * 1_024;

const moved = appError('HOST', 'STATE', 'The session has changed since its first part was read.', {
  retryable: true,
});

/**
 * The blocks from `from` on that fit into one part, as JSON, and the index of the first block that does not.
 */
function cutBlocks(blocks: TurnBlocks, from: number): { readonly json: string; readonly end: number } {
  const texts: string[] = [];
  let length = 0;
  for (let at = from; at < blocks.length && length < partLength; at += 1) {
    const text = JSON.stringify(blocks[at]);
    texts.push(text);
    length += text.length;
  }
  return { json: `[${texts.join(',')}]`, end: from + texts.length };
}

/**
 * Serves snapshots of sessions in parts. A snapshot stays as it was at its first part, whatever is recorded
 * in the meantime.
 */
export function createSnapshotParts(log: Pick<SessionLog, 'open'>) {
  const underWay = new Map<string, SessionState>();

  const first = (sessionId: string): Result<SnapshotPart> => {
    const opened = log.open(sessionId);
    if (!opened.ok) return opened;
    const { blocks, ...rest } = opened.value.state;
    const { json, end } = cutBlocks(blocks, 0);
    const text = `${JSON.stringify(rest).slice(0, -1)},"blocks":${json}}`;
    return ok({ text, next: nextOf(opened.value.state, end) });
  };

  const nextOf = (state: SessionState, block: number): SnapshotPart['next'] => {
    if (block >= state.blocks.length) {
      underWay.delete(state.id);
      return null;
    }
    underWay.set(state.id, state);
    return { seq: state.seq, block };
  };

  return {
    part(sessionId: string, next: SnapshotPart['next'] | undefined): Result<SnapshotPart> {
      if (!next) return first(sessionId);
      const state = underWay.get(sessionId);
      if (state?.seq !== next.seq) return err(moved);
      const { json, end } = cutBlocks(state.blocks, next.block);
      return ok({ text: json, next: nextOf(state, end) });
    },
  };
}
