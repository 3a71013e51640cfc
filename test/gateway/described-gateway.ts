import { systemClock } from '../../lib/clock.ts';
import { encodeDocument } from '../../lib/documents/encode.ts';
import type { Documents } from '../../lib/documents/schemas.ts';
import examples from '../openapi/examples.json' with { type: 'json' };
import { documentationFiles } from '../../gateway/docs/documentation.ts';
import { exploreFiles } from '../../gateway/explore/files.ts';
import { WEEK_PATH, tablePath } from '../../snapshots/layout.ts';
import { EXAMPLE_TABLE } from '../docs/examples.ts';
import { contentOfDocuments, encodeDocuments, encodeList } from '../snapshots/documents.ts';
import { publishSnapshot } from '../snapshots/publish.ts';
import { startListeningGateway, workspaceId } from './gateway.ts';
import type { ListeningGateway } from './gateway.ts';

const documents = examples as unknown as Documents;

/** The brand of the examples. */
export const brandId = documents.brands[0]!.id;

export interface DescribedGateway extends ListeningGateway {
  /** Of the examples; the id in the description's own examples is of another snapshot. */
  snapshotId: string;
}

/** A gateway that serves its description, and the examples in it as documents. */
export async function startDescribedGateway(): Promise<DescribedGateway> {
  const gateway = await startListeningGateway(systemClock, {
    publicFiles: [...documentationFiles(), ...exploreFiles(async () => undefined)],
  });
  const encoded = [
    encodeList(documents.brands),
    { path: WEEK_PATH, bytes: encodeDocument('week', documents.week) },
    { path: tablePath(EXAMPLE_TABLE), bytes: encodeDocument('table', documents.table) },
    ...encodeDocuments(brandId, documents),
  ];
  const content = contentOfDocuments(workspaceId, '2026-11-17T06:00:00.000Z', encoded);
  const { snapshotId } = await publishSnapshot(gateway.log, content);
  await gateway.documents.refresh();
  return { ...gateway, snapshotId };
}
