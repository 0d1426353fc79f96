import { CHECK_STAGES } from './lib/check-stages.mjs';
import { countedAsOne, runStages } from './lib/stages.mjs';

process.exitCode = await runStages(
  CHECK_STAGES.map((one) => ('run' in one ? countedAsOne(one) : one.map(countedAsOne))),
);
