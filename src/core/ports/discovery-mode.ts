/**
 * `known`: use cached tool lists and start no server. `needed`: query running servers and use the cached list
 * of an earlier start for the others. `live`: start and query every server.
 */
export type DiscoveryMode = 'known' | 'needed' | 'live';
