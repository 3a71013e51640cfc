import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { readSigner } from '../../../../snapshots/signing.ts';
import { appendToLog } from '../../../../snapshots/log/append.ts';
import { ORIGIN, entryOf, workspaceId } from '../../../snapshots/log/histories.ts';

/** `FOLDER KEY WORKSPACES WEEKS`: appends WEEKS weeks of WORKSPACES workspaces to the log in FOLDER. */
const [folder, key, workspaces, weeks] = process.argv.slice(2) as [string, string, string, string];

async function* histories() {
  for (let workspace = 0; workspace < Number(workspaces); workspace++) {
    const snapshots = Array.from({ length: Number(weeks) }, (_, week) => entryOf(workspace, week + 1));
    yield { workspaceId: workspaceId(workspace), snapshots };
  }
}

const { size } = await appendToLog({
  store: directoryStore(`${folder}/store`),
  lake: directoryStore(`${folder}/lake`),
  origin: ORIGIN,
  signer: await readSigner(key),
  trust: new Map(),
  histories,
});
process.stdout.write(`${size}\n`);
