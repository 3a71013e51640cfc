import type { Documents } from '../../../lib/documents/schemas.ts';
import { expectedText } from '../../golden/cases.ts';

const brands = Object.values(JSON.parse(expectedText('small')) as object).flatMap(
  Object.values,
) as Documents[];
const { brand: _, ...visibility } = brands.find(
  (each) => each.visibility?.perEngine.length === 0,
)!.visibility;

/** The visibility of a brand without answers. */
export const emptyVisibility = visibility;
