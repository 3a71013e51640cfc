import { z } from 'zod';
import { refuseUnlessOldestFirst, withRules } from './rules/rules.ts';
import { brandReference, instant } from './shared.ts';

const brand = z
  .strictObject({
    ...brandReference.shape,
    createdAt: instant.describe('When the brand was created, UTC.'),
  })
  .meta({ id: 'Brand', description: 'A brand of the workspace.' });

/** All brands of a workspace, oldest first (methodology, Brands and prompts). */
export const brandsSchema = withRules(z.array(brand), (brands, refuse) =>
  refuseUnlessOldestFirst(brands, [], refuse),
).meta({ id: 'Brands', description: 'All brands of the workspace, oldest first.' });

export type Brands = z.infer<typeof brandsSchema>;
