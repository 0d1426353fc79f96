import { join } from 'node:path';
import { createTextFolder } from '../adapters/storage/text-folder';
import { createEarlierPlans } from '../../core/agent/earlier-plans';
import { createObservedTypes } from '../../core/agent/observed-types';

/** What is learned from runs, for the planning of later ones; it can be deleted at any time. */
export function composeLearned(home: string) {
  const texts = createTextFolder(join(home, 'learned'));
  const nodeReplies = createTextFolder(join(home, 'cache', 'replies'));
  return { observed: createObservedTypes(texts), earlier: createEarlierPlans(texts), nodeReplies };
}
