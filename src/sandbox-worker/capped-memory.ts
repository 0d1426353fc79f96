import { guestBytes, MAX_GUEST_MIB, MIB, MIN_GUEST_MIB } from './vm';

const PAGE = 64 * 1024;

export interface CappedMemory {
  readonly memory: WebAssembly.Memory;
  full(): boolean;
  /** Lowers the limit for the unit at hand. */
  limit(megabytes: number): void;
}

/**
 * QuickJS's own memory limit counts almost nothing in the emscripten build, so the limit is the memory itself: its
 * maximum is fixed, and the engine's only way to grow it goes through `grow`, which a unit's smaller budget can refuse earlier.
 */
export function createCappedMemory(): CappedMemory {
  const memory = new WebAssembly.Memory({
    initial: (MIN_GUEST_MIB * MIB) / PAGE,
    maximum: (MAX_GUEST_MIB * MIB) / PAGE,
  });
  const grow = memory.grow.bind(memory);
  let most = MAX_GUEST_MIB * MIB;
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE > most) throw new RangeError('over the budget of the unit');
    return grow(pages);
  };
  return {
    memory,
    full: () => memory.buffer.byteLength >= most * 0.8,
    limit: (megabytes) => {
      most = guestBytes(megabytes);
    },
  };
}
