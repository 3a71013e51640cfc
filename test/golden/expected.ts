import { readFileSync } from 'node:fs';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import type { Documents } from '../../lib/documents/schemas.ts';

export type GoldenCase = 'small' | 'rich';

export interface ExpectedBrand {
  workspaceId: string;
  brandId: string;
  documents: Pick<Documents, DocumentKind>;
}

export interface Expected {
  /** The brand list of each workspace, by its id. */
  brandLists: Map<string, Documents['brands']>;
  /** The week of each workspace, by its id. */
  weeks: Map<string, Documents['week']>;
  brands: ExpectedBrand[];
}

/** The expected responses for a golden case, each document as the `data` of its response. */
export function readExpected(name: GoldenCase): Expected {
  const text = readFileSync(new URL(`${name}/expected.json`, import.meta.url), 'utf8');
  const brandLists: Expected['brandLists'] = new Map();
  const weeks: Expected['weeks'] = new Map();
  const brands: ExpectedBrand[] = [];
  for (const [workspaceId, workspace] of Object.entries(JSON.parse(text) as Record<string, object>)) {
    for (const [key, value] of Object.entries(workspace)) {
      if (key === 'brands') brandLists.set(workspaceId, value as Documents['brands']);
      else if (key === 'week') weeks.set(workspaceId, value as Documents['week']);
      else brands.push({ workspaceId, brandId: key, documents: value as ExpectedBrand['documents'] });
    }
  }
  return { brandLists, weeks, brands };
}

/** The documents of one brand of the rich case, by the name that it has there. */
export function expectedOf(brandName: string): ExpectedBrand['documents'] {
  const found = readExpected('rich').brands.find((b) => b.documents.prompts.brand.name === brandName);
  if (found === undefined) throw new Error(`the rich case has no brand ${brandName}`);
  return found.documents;
}
