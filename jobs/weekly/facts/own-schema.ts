import { execute } from '../../duckdb.ts';
import type { Connection, Database } from '../../duckdb.ts';

/** Connections that make their tables in a schema of their own, and see those of the others' behind them. */
export interface OwnSchema extends Pick<Database, 'connect'> {
  /** Drops the tables and closes the connections. */
  drop(): Promise<void>;
}

export async function ownSchema(database: Pick<Database, 'connect'>, name: string): Promise<OwnSchema> {
  const connections: Connection[] = [];
  const connect = async (): Promise<Connection> => {
    const connection = await database.connect();
    connections.push(connection);
    await execute(connection, `create schema if not exists ${name}; set search_path = '${name},main'`);
    return connection;
  };
  return {
    connect,
    async drop() {
      await execute(await connect(), `set search_path = 'main'; drop schema ${name} cascade`);
      for (const connection of connections) connection.closeSync();
    },
  };
}
