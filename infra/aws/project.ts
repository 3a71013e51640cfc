/**
 * Facts about the program that the stacks use. A test compares them with the program (test/infra/aws.test.ts).
 */

/** The ports of the API, of health and metrics, and of the database. */
export const ports = { clients: 8080, operators: 9464, postgres: 5432 } as const;

/** Readiness does not depend on database and store: an outage of these does not replace tasks. */
export const READY_PATH = '/readyz';

/** The commands of the image, as arguments of its entry point (infra/sightline). */
export const commands = {
  gateway: ['gateway'],
  weekly: ['job', 'weekly'],
  log: ['audit', 'log', 'append'],
  verify: ['audit', 'verify'],
} as const;

/** Each night verifies chain, signatures, log, the newest documents, and another thirtieth of all older ones. */
export const SUBSET = 'today/30';

/** The state of the verification. */
export const STATE_KEY = 'verify.json';

/** Key patterns of the store and the lake, for permissions. */
export const keys = {
  /** The probe object for conditional writes; every writer writes it. */
  probe: '.conditional-writes',
  pointers: 'workspaces/*/current.json',
  snapshots: 'workspaces/*/snapshots/*',
  tombstones: 'workspaces/*/tombstones/*',
  /** Lists of the lake objects that snapshots were computed from. */
  inputs: 'inputs/*',
  /** In the lake: the newest published head of each workspace. */
  heads: 'heads/*',
  /** The transparency log: in the store its heads, time stamps and tiles, in the lake the last head that was signed. */
  log: 'log/*',
  checkpoint: 'log/checkpoint',
  committed: 'log/committed.json',
  staged: 'log/staged/*',
  /** The objects of ingest, each written once. */
  deliveries: ['deliveries/*', 'tracking/*', 'runs/*', 'run-ids/*', 'rejects/*'],
  /** The weekly job's cache of earlier weeks. */
  facts: 'facts/*',
  bases: 'bases/*',
} as const;

/** Seconds that a stopping gateway continues: until the load balancer has noticed, then for requests in flight. */
export const stopping = { drain: 5, shutdown: 10 } as const;
