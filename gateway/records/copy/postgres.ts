import { copyStatements, demandSame, mustWrite } from './content.ts';
import type { Content, CopySide } from './content.ts';
import { openPostgresDatabase, readPostgresDatabase } from '../postgres/database.ts';
import { postgresName } from '../postgres/settings.ts';
import type { RunSql } from '../postgres/database.ts';
import { demandKnownSchema, postgresSchemaVersion } from '../schema.ts';

/** The records in a PostgreSQL database, as one side of a copy. */
export function postgresSide(url: string, maxWaitMs: number): CopySide {
  const name = postgresName(url);
  return {
    name,
    identity: async () =>
      await readPostgresDatabase(url, maxWaitMs, async (rows) => {
        const [row] = await rows<{ identity: string }>('schema/identify');
        return row!.identity;
      }),
    read: async () =>
      await readPostgresDatabase(url, maxWaitMs, async (rows) => {
        demandKnownSchema(name, 'postgres', await postgresSchemaVersion(rows));
        return await contentOf(rows);
      }),
    fill: async (content) => {
      const database = await openPostgresDatabase(url, {
        purpose: 'create',
        maxWaitMs,
        admissionsAtOnce: 1,
      });
      try {
        return await database.transaction(async (rows) => {
          await rows('copy/lock-tables');
          const there = await contentOf(rows);
          if (!mustWrite(content, there, name)) return { content: there, isNew: false };
          await rows('copy/clear-plans');
          for (const [statement, values] of copyStatements(content)) await rows(statement, values);
          await rows('copy/continue-numbers');
          const written = await contentOf(rows);
          demandSame(content, written, name);
          return { content: written, isNew: true };
        });
      } finally {
        await database.close();
      }
    },
  };
}

async function contentOf(rows: RunSql): Promise<Content> {
  const plain = async <Row extends object>(name: string) =>
    (await rows<Row>(name)).map((row) => ({ ...row }));
  return {
    plans: await plain('copy/read-plans'),
    workspaces: await plain('copy/read-workspaces'),
    keys: await plain('copy/read-keys'),
  };
}
