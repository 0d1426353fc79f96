import { amongPublic, catalogueOf, publicTools } from './lib/agent-catalogues';
import { compareRows, type Goals } from './lib/agent-rows';
import { startBenchServers } from './lib/agent-servers';
import { agentTasks } from './lib/agent-tasks';
import { baselines, titles, type Baseline } from './lib/baselines';
import { runLive } from './lib/live-model';
import { retailFolder, retailTasks, startRetail } from './lib/retail-tasks';
import { measureRetail, measureTasks, type Measured } from './lib/scripted-sides';
import { stagedTasks } from './lib/staged-tasks';

/** The goals hold against all schemas with parallel calls; against the others Agent Mode must not lose. */
const oneShot: Goals = { tokens: 0.13, price: 0.5 };
const staged: Goals = { tokens: 0.35, price: 0.7 };
const noLoss: Goals = { tokens: 1, price: 1 };

function reportGroup(name: string, measured: readonly Measured[], goals: Goals): void {
  for (const baseline of baselines) {
    const rows = measured.map(({ goal, agent, sides }) => ({ goal, agent, baseline: sides[baseline] }));
    const wanted: Record<Baseline, Goals> = { turns: goals, parallel: goals, search: noLoss, code: noLoss };
    compareRows(`${name}, ${titles[baseline]}`, rows, wanted[baseline]);
  }
}

const [flag, baseUrl] = process.argv.slice(2);
if (flag === '--live') process.exitCode = await runLive(baseUrl);
else {
  const sizes = [16, 56] as const;
  for (const size of sizes) {
    const catalogue = (real: Parameters<typeof catalogueOf>[0]) => catalogueOf(real, size);
    const name = `one-shot, ${size} tools`;
    reportGroup(name, await measureTasks(agentTasks, { start: startBenchServers, catalogue }), oneShot);
  }
  const isPublic = publicTools().length > 0;
  if (isPublic) {
    const measured = await measureTasks(agentTasks, { start: startBenchServers, catalogue: amongPublic });
    reportGroup(`one-shot, among ${publicTools().length} public tools`, measured, oneShot);
  }
  const lean = (real: Parameters<typeof catalogueOf>[0]) => catalogueOf(real, 16);
  reportGroup(
    'staged, 16 tools',
    await measureTasks(stagedTasks, { start: startBenchServers, catalogue: lean }),
    staged,
  );
  const folder = retailFolder();
  if (folder === null) {
    process.stdout.write(
      'The public retail tasks are not here: put tau2-retail into ../shared/public, or name its folder in PATINA_BENCH_DATA.\n',
    );
  } else {
    const tasks = retailTasks(folder);
    const measured = await measureRetail(tasks, () => startRetail(folder));
    reportGroup(`staged, ${measured.length} public retail tasks`, measured, staged);
  }
}
