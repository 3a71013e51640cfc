import type { Visibility } from '../../../lib/documents/visibility.ts';
import { expectedOf } from '../../golden/expected.ts';

/** Eight engines, four of them warming up; claude (at 3) is significant, ai_overview (at 1) is not. */
export const young = expectedOf('Aperture').visibility;

/** The entry of this engine, which must be there. */
export function engine(v: Visibility, slug: string): Visibility['perEngine'][number] {
  return v.perEngine.find((e) => e.slug === slug)!;
}
