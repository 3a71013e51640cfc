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
import type { ListeningGateway, TestGatewayOptions } from './gateway.ts';

/** The documents of the OpenAPI examples: one brand with prompts, engines, competitors and sources. */
export const exampleDocuments = examples as unknown as Documents;
export const brandId = exampleDocuments.brands[0]!.id;

export interface DescribedGateway extends ListeningGateway {
  /** Of the examples; the id in the description's own examples is of another snapshot. */
  snapshotId: string;
  /** Publishes the examples, some of them replaced, as of a day, in workspace 1 or another; returns the id. */
  publish(day: string, replaced?: Partial<Documents>, workspace?: string): Promise<string>;
}

/**
 * A gateway that serves its description, and the examples in it as documents, some of them replaced, as of 17 November. Its
 * workspace has an older snapshot too, of another brand.
 */
export async function startDescribedGateway(
  clock = systemClock,
  replaced: Partial<Documents> = {},
  options: TestGatewayOptions = {},
): Promise<DescribedGateway> {
  const publicFiles = [...documentationFiles(), ...exploreFiles(async () => undefined)];
  const gateway = await startListeningGateway(clock, { publicFiles, ...options });
  const publish = async (day: string, others: Partial<Documents> = {}, workspace = workspaceId) => {
    const documents = { ...exampleDocuments, ...others };
    const encoded = [
      encodeList(documents.brands),
      { path: WEEK_PATH, bytes: encodeDocument('week', documents.week) },
      { path: tablePath(EXAMPLE_TABLE), bytes: encodeDocument('table', documents.table) },
      ...encodeDocuments(documents.visibility.brand.id, documents),
    ];
    const content = contentOfDocuments(workspace, `${day}T06:00:00.000Z`, encoded);
    const { snapshotId } = await publishSnapshot(gateway.log, content);
    await gateway.documents.refresh();
    return snapshotId;
  };
  return { ...gateway, publish, snapshotId: await publish('2026-11-17', replaced) };
}
