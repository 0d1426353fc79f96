/** Why a unit must stop. */
export type StopCode = 'CPU_LIMIT' | 'OPS_LIMIT' | 'TOOL_CALLS';

/**
 * Milliseconds of wall time and CPU time since any fixed start. CPU time is that of the script's thread, or
 * of the whole process where the system does not report threads.
 */
export interface ComputeClock {
  wallMs(): number;
  cpuMs(): number;
}

export interface ComputeMeter {
  begin(): void;
  /** Ends the slice; waiting between slices costs nothing. */
  end(): void;
  /** Counts one interrupt tick of the engine; true when the unit must stop. */
  tick(): boolean;
  stop(code: StopCode): void;
  stopped(): StopCode | undefined;
  used(): { cpuMs: number; ticks: number };
}

/**
 * Measures a unit's compute as the smaller of wall and CPU time: a script must not pay for time that a busy
 * machine did not give it, nor for the work of the engine's compiler threads.
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
