import type { WriteRecords } from './ledger';
import type { FactOf, SessionFact } from './session-event';
import type { WriteState } from './session-state';

function writeIntended({ writes }: WriteRecords, fact: FactOf<'write-intended'>): WriteRecords {
  const { callId, nodeId, tool, hash, undo } = fact;
  const write: WriteState = {
    callId,
    nodeId,
    tool,
    arguments: fact.arguments,
    hash,
    outcome: 'intended',
    ...(undo && { undo }),
  };
  return { writes: [...writes, write] };
}

function writeRefused({ writes, refusals = [] }: WriteRecords, fact: FactOf<'write-refused'>): WriteRecords {
  const { callId, nodeId, tool, target, layer, code, hash, answered } = fact;
  const refusal = {
    callId,
    nodeId,
    tool,
    target,
    layer,
    ...(code !== undefined && { code }),
    ...(hash !== undefined && { hash }),
    ...(answered && { answered }),
  };
  return { writes, refusals: [...refusals, { ...refusal, after: writes.length }] };
}

function writeEnded(records: WriteRecords, { call, result, after }: FactOf<'tool-called'>): WriteRecords {
  const { callId, outcome, error } = call;
  if (!records.writes.some((write) => write.callId === callId)) return records;
  const ended = {
    outcome,
    ...(result !== undefined && { result }),
    ...(after && { after }),
    ...(error && { code: `${error.kind}/${error.code}` }),
  };
  return changeWrites(records, (write) => (write.callId === callId ? { ...write, ...ended } : write));
}

function changeWrites(
  { writes }: WriteRecords,
  change: (write: WriteState) => WriteState,
): Pick<WriteRecords, 'writes'> {
  return { writes: writes.map(change) };
}

/** Marks earlier failures and refusals of rerun steps as superseded. */
function discardRerunWrites(
  { writes, refusals }: WriteRecords,
  { kept: reused }: FactOf<'run-resumed'>,
): WriteRecords {
  const reruns = ({ nodeId }: { readonly nodeId: string }): boolean => !reused.includes(nodeId);
  return {
    writes: writes.map((write) =>
      write.outcome === 'failed' && reruns(write) ? { ...write, superseded: true } : write,
    ),
    ...(refusals && {
      refusals: refusals.map((refusal) => (reruns(refusal) ? { ...refusal, superseded: true } : refusal)),
    }),
  };
}

/** A write after its undo ended; one that was kept counts as made again. */
function undone({ undone: _before, ...write }: WriteState, { result }: FactOf<'write-undone'>): WriteState {
  return result === 'kept' ? write : { ...write, undone: { status: 'done', result } };
}

/** A write still without an outcome when its run ends has the outcome `unknown`. */
const withoutOutcome = (write: WriteState): WriteState =>
  write.outcome === 'intended' ? { ...write, outcome: 'unknown' } : write;

function changed(records: WriteRecords, fact: SessionFact): WriteRecords {
  switch (fact.type) {
    case 'write-intended':
      return writeIntended(records, fact);
    case 'write-refused':
      return writeRefused(records, fact);
    case 'tool-called':
      return writeEnded(records, fact);
    case 'write-settled':
      return changeWrites(records, (write) =>
        write.callId === fact.callId && write.outcome === 'unknown'
          ? { ...write, outcome: fact.outcome }
          : write,
      );
    case 'write-undo-intended':
      return changeWrites(records, (write) =>
        write.callId === fact.callId ? { ...write, undone: { status: 'intended' } } : write,
      );
    case 'write-undone':
      return changeWrites(records, (write) => (write.callId === fact.callId ? undone(write, fact) : write));
    case 'run-resumed':
      return discardRerunWrites(records, fact);
    case 'run-ended':
    case 'run-interrupted':
      return changeWrites(records, withoutOutcome);
    default:
      return records;
  }
}

/** Returns a run's record of its writes after a fact; all other facts leave it unchanged. Pure. */
export function applyWriteEvent<R extends WriteRecords>(records: R, fact: SessionFact): R {
  const next = changed(records, fact);
  return next === records ? records : { ...records, ...next };
}
