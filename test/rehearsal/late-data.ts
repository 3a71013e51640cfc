import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const NEWEST = 'runs-2026-11-16.ndjson';

/**
 * Removes the newest week of one workspace from a drop.
 * @returns the workspace, and a drop with the removed runs
 */
export async function withholdNewestWeek(drop: string): Promise<{ workspaceId: string; lateDrop: string }> {
  const records = async <T>(name: string) => (await linesOf(drop, name)).map((line) => JSON.parse(line) as T);
  const workspaces = await records<{ id: string }>('workspaces.ndjson');
  const workspaceId = workspaces
    .map(({ id }) => id)
    .toSorted()
    .at(-1)!;
  const brands = await records<{ id: string; workspace_id: string }>('brands.ndjson');
  const own = new Set(brands.filter((brand) => brand.workspace_id === workspaceId).map(({ id }) => id));
  const runs = await linesOf(drop, NEWEST);
  const isLate = (line: string) => own.has((JSON.parse(line) as { brand_id: string }).brand_id);
  const lateDrop = `${drop}-late`;
  await mkdir(lateDrop);
  await writeLines(lateDrop, runs.filter(isLate));
  await writeLines(
    drop,
    runs.filter((line) => !isLate(line)),
  );
  return { workspaceId, lateDrop };
}

async function linesOf(drop: string, name: string): Promise<string[]> {
  return (await readFile(join(drop, name), 'utf8')).trim().split('\n');
}

async function writeLines(drop: string, lines: readonly string[]): Promise<void> {
  await writeFile(join(drop, NEWEST), lines.map((line) => `${line}\n`).join(''));
}
