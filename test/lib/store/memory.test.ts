import { describe } from 'vitest';
import { memoryStore } from '../../support/memory-store.ts';
import { describeStore } from './contract.ts';

describe('the store in memory that tests use', () => {
  describeStore(() => {
    const objects = new Map<string, Buffer>();
    return Promise.resolve(() => memoryStore(objects));
  });
});
