/**
 * The limit of hooks, and of tests that run jobs or programs or start servers: they take up to half a minute alone, and
 * minutes next to other programs on one core. All other tests have a minute.
 */
export const SLOW_TEST_MS = 600_000;
