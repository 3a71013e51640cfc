/**
 * The limit of tests and hooks that run several jobs or start servers: they take up to half a minute alone, and minutes
 * next to other programs on one core. All others have a minute.
 */
export const SLOW_TEST_MS = 600_000;
