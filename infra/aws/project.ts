/**
 * What the stacks say of the program they run, once. A test of the project compares all of it with the program
 * (test/infra/aws.test.ts).
 */

/** Where the gateway listens for clients, and where its health is. */
export const ports = { clients: 8080, operators: 9464, postgres: 5432 } as const;

/** Can serve: no task is replaced because the database or the store is away. */
export const READY_PATH = '/readyz';

/** What the image runs, by the words of its entry point (infra/sightline). */
export const commands = {
  gateway: ['gateway'],
  weekly: ['job', 'weekly'],
  log: ['audit', 'log', 'append'],
  verify: ['audit', 'verify'],
} as const;

/** Each night verifies chain, signatures, log and the newest documents, and another thirtieth of the others. */
export const SUBSET = 'today/30';

/** The object that remembers what the verification saw. */
export const STATE_KEY = 'verify.json';

/** Keys below which a store or a lake keeps what, for permissions. */
export const keys = {
  /** Written by every writer, to find out whether conditional writes work. */
  probe: '.conditional-writes',
  pointers: 'workspaces/*/current.json',
  snapshots: 'workspaces/*/snapshots/*',
  tombstones: 'workspaces/*/tombstones/*',
  /** Lists of the lake objects that snapshots were made from. */
  inputs: 'inputs/*',
  /** In the lake: what the weekly job published last. */
  heads: 'heads/*',
  /** The transparency log: in the store its heads, time stamps and tiles, in the lake the last head that was signed. */
  log: 'log/*',
  checkpoint: 'log/checkpoint',
  committed: 'log/committed.json',
  staged: 'log/staged/*',
  /** What ingest writes, each object once. */
  deliveries: ['deliveries/*', 'tracking/*', 'runs/*', 'run-ids/*', 'rejects/*'],
  /** What the weekly job keeps of earlier weeks, and can make again. */
  facts: 'facts/*',
  bases: 'bases/*',
} as const;

/** How long a gateway that is told to stop goes on, in seconds: until the balancer knows, then for what is in flight. */
export const stopping = { drain: 5, shutdown: 10 } as const;
