type Job = () => void;

/** Milliseconds of work per idle slice; a frame has 16. */
const sliceMs = 6;

const jobs = new Set<Job>();
let planned = false;

function whenIdle(run: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(run, { timeout: 400 });
  else setTimeout(run, 16);
}

function work(): void {
  const until = performance.now() + sliceMs;
  for (const job of jobs) {
    jobs.delete(job);
    job();
    if (performance.now() > until) break;
  }
  planned = false;
  plan();
}

function plan(): void {
  if (planned || jobs.size === 0) return;
  planned = true;
  whenIdle(work);
}

/** Runs a small job when the window is idle; returns the function that cancels it. */
export function runWhenIdle(job: Job): () => void {
  jobs.add(job);
  plan();
  return () => jobs.delete(job);
}
