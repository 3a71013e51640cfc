import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll } from 'vitest';

// For so few records DuckDB with two threads takes a third more CPU time than with one. Programs that tests start have as
// many threads as there are cores, and some tests ask for more (vitest.config.ts runs this for each file).
// oxlint-disable-next-line typescript/unbound-method -- called with its class
const { create } = DuckDBInstance;
DuckDBInstance.create = async (path, options) =>
  await create.call(DuckDBInstance, path, { threads: '1', ...options });
afterAll(() => {
  DuckDBInstance.create = create;
});
