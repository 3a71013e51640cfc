import { DuckDBInstance } from '@duckdb/node-api';
import { vi } from 'vitest';

/** For so few records, DuckDB with one thread takes three quarters of the CPU time. Until mocks are restored. */
export function useOneThread(): void {
  const create = DuckDBInstance.create.bind(DuckDBInstance);
  vi.spyOn(DuckDBInstance, 'create').mockImplementation(
    async (path, options) => await create(path, { threads: '1', ...options }),
  );
}
