import { createModelDownload } from '../main/adapters/local-model/model-download';
import { createModelFolder } from '../main/adapters/local-model/model-folder';
import { createManualClock } from './manual-clock';
import { testLock } from './test-lock';
import { offeredTiny } from './tiny-gguf';

// Downloads the tiny model and prints the result.
const [, , home = '', address = ''] = process.argv;
const folder = createModelFolder(home);
const download = createModelDownload({ folder, clock: createManualClock().clock, lock: testLock });
process.stdout.write(JSON.stringify(await download.start(offeredTiny(address), new URL(address))));
