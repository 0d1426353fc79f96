/** Why a unit may not go on. */
export type StopCode = 'CPU_LIMIT' | 'OPS_LIMIT' | 'TOOL_CALLS';

/** Milliseconds of wall time and of CPU time, from any fixed start: the script's thread's, or the whole process's where the system does not tell. */
export interface ComputeClock {
  wallMs(): number;
  cpuMs(): number;
}

export interface ComputeMeter {
  begin(): void;
  /** Ends the slice; waiting between slices costs nothing. */
  end(): void;
  /** One interrupt tick of the engine; true when the unit has to stop. */
  tick(): boolean;
  stop(code: StopCode): void;
  stopped(): StopCode | undefined;
  used(): { cpuMs: number; ticks: number };
}

/**
 * Counts what a unit computes. The smaller of wall and CPU time is taken: a busy machine must not charge a script
 * for time it did not get, nor the engine's compiler threads for work it did not do.
 */
export function createComputeMeter(
  clock: ComputeClock,
  limits: { readonly cpuMs: number; readonly maxOps: number },
): ComputeMeter {
  let spent = 0;
  let ticks = 0;
  let stopCode: StopCode | undefined;
  let slice: { wall: number; cpu: number } | undefined;
  const inSlice = (): number =>
    slice === undefined ? 0 : Math.max(0, Math.min(clock.wallMs() - slice.wall, clock.cpuMs() - slice.cpu));
  return {
    begin() {
      slice = { wall: clock.wallMs(), cpu: clock.cpuMs() };
    },
    end() {
      spent += inSlice();
      slice = undefined;
    },
    tick() {
      ticks += 1;
      if (ticks > limits.maxOps) stopCode ??= 'OPS_LIMIT';
      else if (spent + inSlice() >= limits.cpuMs) stopCode ??= 'CPU_LIMIT';
      return stopCode !== undefined;
    },
    stop(code) {
      stopCode ??= code;
    },
    stopped: () => stopCode,
    used: () => ({ cpuMs: spent + inSlice(), ticks }),
  };
}
