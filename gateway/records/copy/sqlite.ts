import { realpathSync } from 'node:fs';
import { copyStatements, cutTimes, demandSame, mustWrite } from './content.ts';
import type { Content, CopySide } from './content.ts';
import { demandKnownSchema } from '../schema.ts';
import { openSqliteDatabase, readSqliteDatabase } from '../sqlite/database.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';

const MILLISECOND = 1000;

/** The records in a SQLite file, as one side of a copy. */
export function sqliteSide(path: string, maxWaitMs: number): CopySide {
  const name = `records file ${path}`;
  return {
    name,
    identity: async () => realPath(path),
    read: async () =>
      readSqliteDatabase(path, maxWaitMs, (reading) => {
        demandKnownSchema(name, 'sqlite', reading.schemaVersion());
        return contentOf(reading);
      }),
    fill: async (given) => {
      const content = cutTimes(given, MILLISECOND);
      const database = openSqliteDatabase(path, { busyTimeoutMs: maxWaitMs, purpose: 'create' });
      try {
        return database.transaction(() => {
          const there = contentOf(database);
          if (!mustWrite(content, there, name)) return { content: there, isNew: false };
          database.rows('copy/clear-plans');
          for (const [statement, rows] of copyStatements(content)) database.rows(statement, rows);
          const written = contentOf(database);
          demandSame(content, written, name);
          return { content: written, isNew: true };
        });
      } finally {
        database.close();
      }
    },
  };
}

function contentOf(database: Pick<SqliteDatabase, 'rows'>): Content {
  // The driver's rows have no prototype, so a deep comparison with other objects would fail.
  const plain = <Row extends object>(name: string) => database.rows<Row>(name).map((row) => ({ ...row }));
  return {
    plans: plain('copy/read-plans'),
    workspaces: plain('copy/read-workspaces'),
    keys: plain('copy/read-keys'),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // does not exist yet, so it cannot be the other database
  }
}
