/**
 * `known`: what is known without starting any server. `needed`: one that runs is asked, of another what it listed in an
 * earlier start is enough. `live`: each is started and asked.
 */
export type DiscoveryMode = 'known' | 'needed' | 'live';
